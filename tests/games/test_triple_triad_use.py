"""Triple Triad: cards, deals and wishes, notation, drawings, what a learner sees."""

import csv
import random
import re
from collections import Counter
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from literal_triple_triad import CARDS, ELEMENTS

from ludens import load_game
from ludens.errors import IllegalAction, UserError
from ludens.game import CHANCE
from ludens.games._cards import VALUES
from ludens.state import State

BALANCED = "Geezard, Ochu, Chimera, Ifrit, Squall | Grat, Bomb, PuPu, Shiva, Edea"
EVERYTHING = "same=true,same_wall=true,plus=true,elemental=true"


def plain(options=""):
    return load_game(f"triple_triad:{options}".rstrip(":"), compiled=False)


# Cards


def test_there_are_110_cards_11_of_each_level_in_order_of_level():
    assert len(CARDS) == 110
    assert [card["level"] for card in CARDS] == [1 + i // 11 for i in range(110)]
    assert len({card["name"] for card in CARDS}) == 110


def test_every_value_is_between_1_and_10_and_every_element_is_known():
    for card in CARDS:
        assert all(1 <= card[s] <= 10 for s in ("north", "east", "south", "west"))
        assert card["element"] in ELEMENTS


# The deal


def test_a_balanced_deal_gives_each_slot_its_two_levels():
    state = State.replay(plain(), [])
    for draw in range(10):
        slot = draw % 5
        dealt = list(range(22 * slot, 22 * slot + 22))
        if draw == 9:
            dealt.remove(88)  # the other player has it
        assert [outcome for outcome, _ in state.chance()] == dealt
        assert {p for _, p in state.chance()} == {1 / len(dealt)}
        levels = {CARDS[card]["level"] for card in dealt}
        assert levels == {2 * slot + 1, 2 * slot + 2}
        state.apply_chance(dealt[0])
    assert state.chance() == [(0, 0.5), (1, 0.5)]
    state.apply_chance(1)
    assert state.to_play == 1


def test_a_random_deal_repeats_only_cards_below_level_9():
    state = State.replay(plain("hands=random"), [])
    for count, card in enumerate((109, 3, 88, 3)):
        gone = {0: set(), 1: {109}, 2: {109}, 3: {109, 88}}[count]
        assert {outcome for outcome, _ in state.chance()} == set(range(110)) - gone
        assert {p for _, p in state.chance()} == {1 / (110 - len(gone))}
        state.apply_chance(card)
    assert 3 in dict(state.chance())


def test_elements_are_dealt_cell_by_cell_with_a_quarter_of_the_cells_marked():
    game = plain("elemental=true")
    state = State.replay(game, game.plain.setup(f"{BALANCED} | 1"))
    for cell in range(9):
        assert state.to_play == CHANCE
        assert state.chance() == [(0, 0.75), *((e, 1 / 32) for e in range(1, 9))]
        assert state.outcome_name(6) == f"{'abc'[cell % 3]}{cell // 3 + 1} has fire"
        state.apply_chance(cell)
    assert state.to_play == 1
    assert list(state.raw.elements) == list(range(9))


def test_both_players_start_some_games():
    game = plain()
    assert {game.new(seed=seed).to_play for seed in range(20)} == {0, 1}


def test_chance_outcomes_have_names():
    state = State.replay(plain(), [])
    assert state.outcome_name(0) == "player 0 gets Geezard"
    state = State.replay(plain(), plain().plain.setup(BALANCED))
    assert state.outcome_name(1) == "player 1 starts"


# Hands by wish


def cards_of(state, player):
    return [CARDS[card - 1]["name"] for card in state.raw.hands[player]]


def test_hands_and_starter_can_be_given():
    for starter in (0, 1):
        state = plain().new(setup=f"{BALANCED} | {starter}")
        assert cards_of(state, 0) == ["Geezard", "Ochu", "Chimera", "Ifrit", "Squall"]
        assert cards_of(state, 1) == ["Grat", "Bomb", "PuPu", "Shiva", "Edea"]
        assert state.to_play == starter


def test_chance_decides_the_starter_if_it_is_not_given():
    starters = {plain().new(seed=seed, setup=BALANCED).to_play for seed in range(20)}
    assert starters == {0, 1}


def test_hands_can_be_given_in_any_spelling_by_number_and_in_any_order():
    wish = "bahumut, 84, FUNGAR, Wedge, Biggs, tri face | 109,77,55,23,1 | 0"
    state = plain().new(setup=wish)
    assert cards_of(state, 0) == [
        *("Funguar", "Tri-Face", "Wedge, Biggs", "Ifrit", "Bahamut"),
    ]
    assert cards_of(state, 1)[4] == "Squall"
    state = plain("hands=random").new(setup=f"{wish.split('|')[0]} | 5,5,5,5,5 | 0")
    assert cards_of(state, 0)[0] == "Bahamut"  # random hands keep their order


@pytest.mark.parametrize(
    ("wish", "message"),
    [
        ("Ifrt, 1, 2, 3, 4 | 1, 2, 3, 4, 5", "no card 'Ifrt'; the nearest is 'Ifrit'"),
        ("110, 1, 2, 3, 4 | 1, 2, 3, 4, 5", "no card 110; they go from 0 to 109"),
        ("-1, 1, 2, 3, 4 | 1, 2, 3, 4, 5", "no card '-1'"),
        ("1, 2, 3, 4 | 1, 2, 3, 4, 5", "a hand has 5 cards, not 4: 1, 2, 3, 4"),
        ("1, 2, 3, 4, 5", "five cards | five cards | the starter, 0 or 1"),
        (f"{BALANCED} | 2", "five cards | five cards | the starter, 0 or 1"),
        (BALANCED.replace("Edea", "Squall"), "Squall exists only once"),
        (BALANCED.replace("Ifrit", "Bomb"), "levels 1, 3, 5, 4, 10; use hands=random"),
    ],
)
def test_a_wish_that_cannot_be_dealt_is_refused_in_one_line(wish, message):
    with pytest.raises(UserError, match=re.escape(message)) as error:
        plain().new(setup=wish)
    assert "\n" not in str(error.value)


def test_every_alias_means_its_card():
    data = Path(__file__).parents[2] / "src" / "ludens" / "games" / "data"
    with (data / "cards_aliases.csv").open(encoding="utf-8", newline="") as file:
        aliases = [(row["seed_spelling"], row["name"]) for row in csv.DictReader(file)]
    game = plain("hands=random")
    for alias, name in aliases:
        wish = game.plain.setup(f"{alias}, 1, 2, 3, 4 | 5, 6, 7, 8, 9 | 0")
        assert CARDS[wish[0]]["name"] == name


# Actions, notation, drawing


def test_indices_do_not_shift_when_a_card_is_played():
    state = plain().new(setup=f"{BALANCED} | 0")
    state.apply("1a1")
    state.apply("1a2")
    assert {action // 9 for action in state.legal_actions()} == {1, 2, 3, 4}
    state.apply("4b2")
    assert CARDS[state.raw.board[4] - 1]["name"] == "Ifrit"
    with pytest.raises(IllegalAction, match="1c3 is not legal here"):
        state.apply("1c3")


def test_there_is_a_move_for_every_card_in_hand_and_every_empty_cell():
    state = plain().new(setup=f"{BALANCED} | 1")
    counts = []
    while not state.is_over:
        counts.append(len(state.legal_actions()))
        state.apply(state.legal_actions()[-1])
    assert counts == [5 * 9, 5 * 8, 4 * 7, 4 * 6, 3 * 5, 3 * 4, 2 * 3, 2 * 2, 1]


def test_action_names_are_unique_and_read_back():
    state = plain().new(setup=f"{BALANCED} | 0")
    names = [state.action_name(action) for action in range(45)]
    assert names[0] == "1a1"
    assert names[4 * 9 + 5] == "5c2"
    assert [state.read_action(name) for name in names] == list(range(45))


@pytest.mark.parametrize(
    "spelling", ["ifrit b2", "Ifrit@b2", "IFRIT @ B2", "4 b2", "4@b2", "ifr b2"]
)
def test_a_move_can_name_its_card(spelling):
    state = plain().new(setup=f"{BALANCED} | 0")
    assert state.read_action(spelling) == 3 * 9 + 4


@pytest.mark.parametrize("spelling", ["shiva b2", "6 b2", "ifrit", "b2", "ifrit d4"])
def test_a_card_that_is_not_in_the_movers_hand_is_no_move(spelling):
    state = plain().new(setup=f"{BALANCED} | 0")
    with pytest.raises(IllegalAction, match="is not a move of triple_triad"):
        state.read_action(spelling)


def test_every_action_is_a_choice_of_a_card_and_a_cell_on_the_scene():
    state = plain(EVERYTHING).new(seed=4)
    while not state.is_over:
        clickable = Counter(shape.choice for shape in state.scene() if shape.choice)
        for action in state.legal_actions():
            assert all(clickable[choice] == 1 for choice in state.choices(action))
        cards = [shape for shape in state.scene() if shape.role == "card"]
        assert len(cards) == 10
        state.apply(random.Random(4).choice(state.legal_actions()))
    owned = Counter(shape.owner for shape in state.scene() if shape.role == "card")
    assert owned[0] - owned[1] == pytest.approx(10 * state.targets()[1, 0, 0])


def test_the_drawing_shows_the_board_the_hands_and_the_score():
    state = plain().new(setup=f"{BALANCED} | 0")
    state.apply("1b1")
    state.apply("4b2")
    assert (
        [line.rstrip() for line in str(state).splitlines()]
        == """\
         a              b              c
  +--------------+--------------+--------------+
  |              |      1       |              |
1 |              |    5 O 4     |              |
  |              |      1       |              |
  |              |   Geezard    |              |
  +--------------+--------------+--------------+
  |              |      6       |              |
2 |              |    9 O 7     |              |
  |              |      4       |              |
  |              |    Shiva     |              |
  +--------------+--------------+--------------+
  |              |              |              |
3 |              |              |              |
  |              |              |              |
  |              |              |              |
  +--------------+--------------+--------------+
X player 0: 4, to move
  2 Ochu 5 6 3 3
  3 Chimera 7 6 5 3
  4 Ifrit 9 6 2 8
  5 Squall A 4 6 9
O player 1: 6
  1 Grat 7 1 3 1
  2 Bomb 2 7 6 3
  3 PuPu 3 A 2 1
  5 Edea A A 3 3""".splitlines()
    )


def test_the_drawing_shows_elements():
    game = plain("elemental=true")
    deal = [*game.plain.setup(f"{BALANCED} | 0"), 6, 6, 0, 0, 0, 0, 0, 0, 8]
    state = State.replay(game, [*deal, 3 * 9, 0 * 9 + 1])
    marks = [line for line in str(state).splitlines() if re.search("fire|holy", line)]
    assert [line.split("|")[1:4] for line in marks] == [
        ["   fire +1    ", "   fire -1    ", " " * 14],
        [" " * 14, " " * 14, "     holy     "],
    ]


# What the learner sees


def test_the_observation_shows_both_hands_and_the_board_to_the_mover():
    state = plain().new(setup=f"{BALANCED} | 1")
    planes = state.observe()
    names = state.game.plain.PLANES
    own_first = [float(planes[k, 2, 1]) for k in range(4)]
    assert names[:2] == ("own card 1 north", "own card 1 east")
    assert own_first == pytest.approx([0.7, 0.1, 0.3, 0.1])  # Grat
    assert planes[20:24, 0, 0] == pytest.approx([0.1, 0.4, 0.1, 0.5])  # Geezard
    state.apply("1a1")
    planes = state.observe()
    assert not planes[20:24].any()  # Grat has left the hand of the other player
    assert planes[40:44, 0, 0] == pytest.approx([0.7, 0.1, 0.3, 0.1])
    assert planes[44].sum() == 0
    assert planes[45].sum() == planes[45, 0, 0] == 1


def test_the_observation_is_the_same_when_the_players_change_places():
    hands = BALANCED.split("|")
    here = plain().new(setup=f"{hands[0]} | {hands[1]} | 0")
    there = plain().new(setup=f"{hands[1]} | {hands[0]} | 1")
    for move in ("1a1", "4a2", "5b2", "3c3"):
        here.apply(move)
        there.apply(move)
        assert np.array_equal(here.observe(), there.observe())


def test_the_observation_shows_what_elements_do_to_every_card():
    game = plain("elemental=true")
    deal = [*game.plain.setup(f"{BALANCED} | 0"), 6, 6, 0, 0, 0, 0, 0, 0, 8]
    state = State.replay(game, deal)
    planes, names = state.observe(), game.plain.PLANES
    ifrit = planes[names.index("own card 4 bonus here")]
    assert ifrit.tolist() == [[1, 1, 0], [0, 0, 0], [0, 0, -1]]
    geezard = planes[names.index("own card 1 bonus here")]
    assert geezard.tolist() == [[-1, -1, 0], [0, 0, 0], [0, 0, -1]]
    state.apply("4a1")
    planes = state.observe()
    assert planes[names.index("board bonus here")][0].tolist() == [1, 0, 0]
    assert not planes[names.index("other card 4 bonus here")].any()


def test_targets_are_the_owners_and_the_margin_for_player_0():
    for seed in range(20):
        state = plain().new(seed=seed)
        while not state.is_over:
            state.apply(random.Random(seed).choice(state.legal_actions()))
        planes = state.targets()
        assert np.array_equal(planes[0].reshape(-1), np.sign(state.raw.board))
        assert np.sign(planes[1, 1, 1]) == state.result
        assert abs(planes).max() <= 1


def test_the_order_of_both_hands_can_be_permuted():
    game = plain(EVERYTHING)
    choose = random.Random(2)
    for seed in range(10):
        state = game.new(seed=seed)
        while not state.is_over:
            k = choose.randrange(120)
            image = state.transformed(k)
            legal = state.legal_actions()
            moved = [game.rules.transform_action(action, k) for action in legal]
            assert image.legal_actions() == sorted(moved)
            action = choose.choice(legal)
            image.apply(game.rules.transform_action(action, k))
            state.apply(action)
            assert state.transformed(k).raw.tobytes() == image.raw.tobytes()
        assert image.result == state.result


def test_the_first_symmetry_changes_nothing_and_all_differ():
    game = plain()
    state = game.new(setup=f"{BALANCED} | 0")
    images = [state.transformed(k).raw.tobytes() for k in range(120)]
    assert images[0] == state.raw.tobytes()
    assert len(set(images)) == 120


def test_observation_compares_cards_with_what_they_would_touch() -> None:
    game = load_game("triple_triad")
    state = game.new(seed=3)
    names = game.plain.PLANES
    for _ in range(5):
        state.apply(state.legal_actions()[0])
    planes, hand = state.observe(), state.raw.hands[state.to_play]
    values = VALUES
    board = np.asarray(state.raw.board).reshape(3, 3) * (1 - 2 * state.to_play)
    around = ((-1, 0), (0, 1), (1, 0), (0, -1))
    others = [c for c in state.raw.hands[1 - state.to_play] if c != 0]
    for slot in np.flatnonzero(hand):
        beats = planes[names.index(f"what own card {slot + 1} beats here")]
        beaten = planes[names.index(f"what beats own card {slot + 1} here")]
        for row, column in np.ndindex(3, 3):
            wins = dangers = 0
            for side, (down, right) in enumerate(around):
                near = (row + down, column + right)
                if board[row, column] != 0 or not all(0 <= i < 3 for i in near):
                    continue
                own, back = values[hand[slot], side], (side + 2) % 4
                if board[near] < 0:
                    wins += own > values[-board[near], back]
                if board[near] == 0:
                    dangers += sum(values[card, back] > own for card in others)
            assert beats[row, column] == wins / 4
            assert beaten[row, column] == dangers / 16


def test_dangers_are_the_captures_that_could_follow():
    game = plain()
    names = game.plain.PLANES
    for seed in range(6):
        state, rng = game.new(seed), random.Random(seed)
        while not state.is_over:
            planes = state.observe()
            expected = np.zeros(9, np.float32)
            for cell, empty in product(range(9), range(9)):
                card = int(state.raw["board"][cell])
                other = int(card > 0)
                for slot in range(5):
                    held = state.raw["hands"][other, slot] != 0
                    if card == 0 or state.raw["board"][empty] != 0 or not held:
                        continue
                    after = state.raw.copy()
                    after["to_play"] = other
                    game.plain.apply(after, slot * 9 + empty)
                    expected[cell] += (int(after["board"][cell]) * card < 0) / 16
            dangers = planes[names.index("what could take the card here")]
            assert dangers.reshape(-1).tolist() == expected.tolist()
            lead = planes[names.index("lead in cards")]
            sign = 1 if state.to_play == 0 else -1
            assert (lead == np.float32(sign * game.plain.margin(state.raw) / 10)).all()
            state.apply(rng.choice(state.legal_actions()))
