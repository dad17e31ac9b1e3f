"""Triple Triad: every rule on hand-worked boards, and agreement with a second one."""

import random
from collections import Counter

import numpy as np
import pytest
from literal_triple_triad import (
    CARDS,
    CELLS,
    ELEMENTS,
    LiteralTripleTriad,
    possible_cards,
)

from ludens import load_game
from ludens.errors import UserError
from ludens.game import CHANCE, OVER
from ludens.loading.game import parse_spec

EVERYTHING = "same=true,same_wall=true,plus=true,elemental=true"
SLOW = pytest.mark.slow
NUMBERS = {card["name"].replace(" ", ""): i for i, card in enumerate(CARDS)}
CREEPS = "Creeps, Creeps, Creeps, Creeps, Creeps"  # 5 2 5 2: never beat each other


def plain(options=""):
    return load_game(f"triple_triad:{options}".rstrip(":"), compiled=False)


def after(board, move, options="", elements=None):
    """Let player 0 place a card ("Ifrit b2") on a drawn board; return the owners."""
    game = plain(options)
    raw = game.states(1)[0]
    for cell, word in enumerate(board.split()):
        if word != ".":
            name, owner = word.split("/")
            raw.board[cell] = (NUMBERS[name] + 1) * (-1 if owner == "1" else 1)
    for name, element in (elements or {}).items():
        raw.elements[cell_number(name)] = ELEMENTS.index(element)
    name, place = move.split()
    raw.hands[0, 0] = NUMBERS[name] + 1
    raw.step = 13
    game.rules.apply(raw, cell_number(place))
    return owners(raw)


def cell_number(name):
    return "abc".index(name[0]) + 3 * int(name[1]) - 3


def owners(raw):
    marks = ["." if card == 0 else "01"[int(card < 0)] for card in raw.board]
    return [" ".join(marks[row : row + 3]) for row in (0, 3, 6)]


# The basic rule


def test_a_strictly_higher_side_flips_and_an_equal_or_lower_one_does_not():
    # Ifrit 9 6 2 8: beats Geezard's south 1 and Gesper's east 5; Cockatrice's west is
    # 6 as well, Grat's north 7 is higher, and Funguar is only diagonal to it.
    board = """
        Funguar/1  Geezard/1  .
        Gesper/1   .          Cockatrice/1
        .          Grat/1     .
    """
    assert after(board, "Ifrit b2") == ["1 0 .", "0 0 1", ". 1 ."]


def test_own_cards_never_flip():
    board = """
        .          Geezard/0  .
        Gesper/0   .          Cockatrice/0
        .          Grat/0     .
    """
    assert after(board, "Ifrit b2") == [". 0 .", "0 0 0", ". 0 ."]


def test_basic_flips_do_not_chain():
    # Ifrit's east 6 beats PuPu's west 1; PuPu's east A would beat Cockatrice's west 6.
    board = """
        .  PuPu/1  Cockatrice/1
        .  .       .
        .  .       .
    """
    assert after(board, "Ifrit a1") == ["0 0 1", ". . .", ". . ."]


def test_the_edge_of_a_row_touches_nothing():
    # c1 and a2 follow each other in the numbering of cells but do not touch.
    board = """
        .          .  .
        Geezard/1  .  .
        .          .  .
    """
    assert after(board, "Edea c1") == [". . 0", "1 . .", ". . ."]


# The end


def play_in_order(first, second, starter):
    """Play the starter's hand and the other one in order into a1, b1, c1, a2, ..."""
    hands = [first, second] if starter == 0 else [second, first]
    state = plain("hands=random").new(setup=f"{hands[0]} | {hands[1]} | {starter}")
    for ply in range(9):
        assert state.to_play == (starter + ply) % 2
        state.apply(ply // 2 * 9 + ply)
    assert np.count_nonzero(state.raw.hands[1 - starter]) == 1
    return state


def test_the_unplayed_card_counts_so_that_no_flips_make_a_draw():
    state = play_in_order(CREEPS, CREEPS, starter=0)
    assert owners(state.raw) == ["0 1 0", "1 0 1", "0 1 0"]
    assert state.result == 0
    state = play_in_order(CREEPS, CREEPS, starter=1)
    assert owners(state.raw) == ["1 0 1", "0 1 0", "1 0 1"]
    assert state.result == 0


def test_one_flip_by_the_second_player_wins_six_to_four():
    # Its fourth card, Iguion 8 2 8 2, goes to b3, below the 5 of b2.
    iguion_fourth = "Creeps, Creeps, Creeps, Iguion, Creeps"
    state = play_in_order(CREEPS, iguion_fourth, starter=0)
    assert owners(state.raw) == ["0 1 0", "1 1 1", "0 1 0"]
    assert state.result == -1
    assert state.targets()[1, 0, 0] == pytest.approx(-0.2)
    state = play_in_order(CREEPS, iguion_fourth, starter=1)
    assert owners(state.raw) == ["1 0 1", "0 0 0", "1 0 1"]
    assert state.result == 1
    assert state.targets()[1, 0, 0] == pytest.approx(0.2)


def test_a_board_of_five_to_four_for_the_starter_is_no_win():
    # The second player's Iguion on a2 takes a1 above it, and at the end the starter's
    # own on c3 takes c2: 5 of the 9 cells, but 5 of the 10 cards.
    last = "Creeps, Creeps, Creeps, Creeps, Iguion"
    state = play_in_order(last, "Creeps, Iguion, Creeps, Creeps, Creeps", starter=0)
    assert owners(state.raw) == ["1 1 0", "1 0 0", "0 1 0"]
    assert state.result == 0


def test_counting_the_unplayed_card_takes_the_advantage_from_the_starter():
    game = load_game("triple_triad")
    deals = random.Random(5)
    actions, choose = np.empty(45, np.int32), random.Random(7)
    wins, board_wins, count = 0, 0, 4_000
    for _ in range(count):
        raw = game.new(deals.getrandbits(32)).raw
        sign = 1 - 2 * int(raw.to_play)
        while raw.to_play != OVER:
            legal = game.rules.legal(raw, actions)
            game.rules.apply(raw, actions[choose.randrange(legal)])
        wins += game.rules.result(raw) * sign > 0
        board_wins += np.sign(raw.board).sum() * sign > 0
    assert wins / count == pytest.approx(0.37, abs=0.025)
    assert board_wins / count == pytest.approx(0.72, abs=0.025)


# Same

SAME = """
    .  Gilgamesh/1  .
    .  .            Cockatrice/1
    .  .            .
"""  # Ifrit on b2: north 9 meets south 9, east 6 meets west 6


def test_same_flips_two_equal_pairs():
    assert after(SAME, "Ifrit b2", "same=true") == [". 0 .", ". 0 0", ". . ."]
    assert after(SAME, "Ifrit b2", "plus=true") == [". 1 .", ". 0 1", ". . ."]


def test_same_needs_two_pairs():
    board = SAME.replace("Gilgamesh/1", "Seifer/1   ")  # south A
    assert after(board, "Ifrit b2", "same=true") == [". 1 .", ". 0 1", ". . ."]


@pytest.mark.parametrize("mine", ["Gilgamesh", "Cockatrice"])
def test_an_own_card_makes_a_pair_for_same_and_stays(mine):
    board = SAME.replace(f"{mine}/1", f"{mine}/0")
    assert after(board, "Ifrit b2", "same=true") == [". 0 .", ". 0 0", ". . ."]


def test_same_between_own_cards_flips_nothing_else():
    # Grat's north 7 is above Ifrit's south 2.
    board = """
        .  Gilgamesh/0  .
        .  .            Cockatrice/0
        .  Grat/1       .
    """
    assert after(board, "Ifrit b2", "same=true") == [". 0 .", ". 0 0", ". 1 ."]


# Squall A 4 6 9 on b1: its north A meets the wall, its east 4 Quezacotl's west 4.
WALL = """
    .  .  Quezacotl/1
    .  .  .
    .  .  .
"""


def test_the_wall_is_a_ten_for_same_wall_only():
    walls = "same=true,same_wall=true"
    assert after(WALL, "Squall b1", walls) == [". 0 0", ". . .", ". . ."]
    assert after(WALL, "Squall b1", "same=true") == [". 0 1", ". . .", ". . ."]


def test_an_empty_cell_is_not_a_wall():
    board = """
        .  .  .
        .  .  Quezacotl/1
        .  .  .
    """
    walls = "same=true,same_wall=true"
    assert after(board, "Squall b2", walls) == [". . .", ". 0 1", ". . ."]


def test_a_side_below_ten_makes_no_pair_with_the_wall():
    # Quistis 9 6 A 2 on b1: north 9; east 6 meets Cockatrice's west 6.
    board = WALL.replace("Quezacotl", "Cockatrice")
    walls = "same=true,same_wall=true"
    assert after(board, "Quistis b1", walls) == [". 0 1", ". . .", ". . ."]


def test_walls_alone_flip_nothing_and_do_not_count_for_plus():
    # Edea A A 3 3 on c1 meets two walls; Diablos' east A is above her west 3.
    board = """
        .  Diablos/1  .
        .  .          .
        .  .          .
    """
    assert after(board, "Edea c1", "same=true,same_wall=true,plus=true")[0] == ". 1 0"


def test_same_wall_without_same_is_refused():
    with pytest.raises(UserError, match="same_wall=true means nothing without same"):
        plain("same_wall=true")


# Plus

# Geezard 1 4 1 5 on b2: 1+6 = 1+6 above and below, 4+7 = 5+6 right and left; each of
# its own sides is lower.
PLUS = """
    .            BloodSoul/1  .
    Forbidden/1  .            Jelleye/1
    .            RedBat/1     .
"""


def test_plus_flips_the_pairs_of_both_of_two_sums():
    assert after(PLUS, "Geezard b2", "plus=true") == [". 0 .", "0 0 0", ". 0 ."]
    assert after(PLUS, "Geezard b2", "same=true") == [". 1 .", "1 0 1", ". 1 ."]


def test_plus_needs_two_equal_sums():
    board = PLUS.replace("RedBat/1 ", "Grat/1   ").replace("Jelleye/1", ".")
    assert after(board, "Geezard b2", "plus=true") == [". 1 .", "1 0 .", ". 1 ."]


def test_an_own_card_makes_a_pair_for_plus_and_stays():
    board = PLUS.replace("RedBat/1", "RedBat/0").replace("Forbidden/1", ".")
    assert after(board, "Geezard b2", "plus=true") == [". 0 .", ". 0 1", ". 0 ."]


def test_plus_between_own_cards_flips_nothing_else():
    board = PLUS.replace("RedBat/1", "RedBat/0").replace("BloodSoul/1", "BloodSoul/0")
    board = board.replace("Forbidden/1", ".")
    assert after(board, "Geezard b2", "plus=true") == [". 0 .", ". 0 1", ". 0 ."]


# Combo

# Ifrit on b2 flips Gilgamesh and Cockatrice by Same. Gilgamesh's west 6 beats Blobra's
# east 3; Cockatrice's south 2 beats Geezard's north 1, Geezard's west 5 Grat's east 1,
# but Grat's west 1 not Gesper's east 5.
COMBO = """
    Blobra/1  Gilgamesh/1  .
    .         .            Cockatrice/1
    Gesper/1  Grat/1       Geezard/1
"""


def test_cards_flipped_by_same_capture_on_in_a_chain():
    assert after(COMBO, "Ifrit b2", "same=true") == ["0 0 .", ". 0 0", "1 0 0"]


def test_without_combo_same_stops_at_its_own_flips():
    options = "same=true,combo=false"
    assert after(COMBO, "Ifrit b2", options) == ["1 0 .", ". 0 0", "1 1 1"]


def test_a_basic_flip_starts_no_combo_even_next_to_same():
    # Ifrit's west 8 beats Gayla's east 1; Gayla's south 4 would beat Gesper's north 1.
    board = """
        .         Gilgamesh/1  .
        Gayla/1   .            Cockatrice/1
        Gesper/1  .            .
    """
    assert after(board, "Ifrit b2", "same=true") == [". 0 .", "0 0 0", "1 . ."]


def test_a_card_that_plus_and_the_basic_rule_flip_starts_a_combo():
    # 9+2 = 6+5, and Ifrit beats both; Cockatrice's west 6 beats Blobra's east 3.
    board = """
        Blobra/1  Cockatrice/1  .
        .         .             Geezard/1
        .         .             .
    """
    assert after(board, "Ifrit b2", "plus=true") == ["0 0 .", ". 0 0", ". . ."]
    assert after(board, "Ifrit b2", "same=true") == ["1 0 .", ". 0 0", ". . ."]


def test_a_combo_does_not_run_through_a_basic_flip():
    # Gilgamesh, flipped by Same, takes Death Claw 4 4 7 2 on a1, whose south 7 would
    # take Gayla on a2; but Ifrit has taken Gayla before, and her south 4 rests.
    board = """
        DeathClaw/1  Gilgamesh/1  .
        Gayla/1      .            Cockatrice/1
        Gesper/1     .            .
    """
    assert after(board, "Ifrit b2", "same=true") == ["0 0 .", "0 0 0", "1 . ."]
    # Quezacotl's east 9 is out of Ifrit's reach: there it is the combo that takes a2.
    board = board.replace("Gayla/1    ", "Quezacotl/1")
    assert after(board, "Ifrit b2", "same=true") == ["0 0 .", "0 0 0", "0 . ."]


# Elemental

RIGHT = """
    .  .  .
    .  .  {}/1
    .  .  .
"""


def right_flips(card, element_here="none", element_there="none", placed="Ifrit"):
    elements = {"b2": element_here, "c2": element_there}
    rows = after(RIGHT.format(card), f"{placed} b2", "elemental=true", elements)
    return rows[1] == ". 0 0"


def test_the_own_element_adds_one():
    # Ifrit (fire) has 6 to the east, Cockatrice (thunder) 6 to the west.
    assert not right_flips("Cockatrice")
    assert right_flips("Cockatrice", "fire")
    assert not right_flips("Cockatrice", "fire", "thunder")


def test_any_other_element_takes_one():
    # Geezard (none) has 5 to the west.
    assert right_flips("Geezard")
    assert not right_flips("Geezard", "ice")
    assert right_flips("Geezard", "ice", "fire")
    assert right_flips("Cockatrice", "none", "water")


def test_a_ten_becomes_eleven():
    # Leviathan (water) has A to the east, Cerberus A to the west.
    assert not right_flips("Cerberus", placed="Leviathan")
    assert right_flips("Cerberus", "water", placed="Leviathan")


def test_elements_do_not_touch_same_and_plus():
    ice = {"b2": "ice"}
    same, plus = "same=true,elemental=true", "plus=true,elemental=true"
    assert after(SAME, "Ifrit b2", same, ice) == [". 0 .", ". 0 0", ". . ."]
    for cell in ("b1", "a2", "b2"):
        rows = after(PLUS, "Geezard b2", plus, {cell: "ice"})
        assert rows == [". 0 .", "0 0 0", ". 0 ."]
    # 9-1 = 8 and 6-1 = 5 would be equal only with the element.
    board = """
        .  FujinRaijin/1  .
        .  .              Geezard/1
        .  .              .
    """
    assert after(board, "Ifrit b2", same, ice) == [". 1 .", ". 0 1", ". . ."]


def test_elements_do_not_touch_the_wall():
    options = "same=true,same_wall=true,elemental=true"
    rows = after(WALL, "Squall b1", options, {"b1": "ice"})
    assert rows == [". 0 0", ". . .", ". . ."]


def test_elements_count_in_a_combo():
    # Cockatrice's south 2 beats Blobra's north 2 only on its own element.
    board = """
        .  Gilgamesh/1  .
        .  .            Cockatrice/1
        .  .            Blobra/1
    """
    options = "same=true,elemental=true"
    assert after(board, "Ifrit b2", options)[2] == ". . 1"
    assert after(board, "Ifrit b2", options, {"c2": "thunder"})[2] == ". . 0"


# Agreement


@pytest.mark.parametrize(
    "spec",
    [
        "triple_triad",
        pytest.param(f"triple_triad:{EVERYTHING},hands=random", marks=SLOW),
    ],
)
def test_compiled_and_plain_rules_agree(spec):
    fast, slow = load_game(spec), load_game(spec, compiled=False)
    choose = random.Random(3)
    for seed in range(15):
        here, there = fast.new(seed=seed), slow.new(seed=seed)
        while not here.is_over:
            assert here.raw.tobytes() == there.raw.tobytes()
            assert here.legal_actions() == there.legal_actions()
            assert np.array_equal(here.observe(), there.observe())
            action = choose.choice(here.legal_actions())
            here.apply(action)
            there.apply(action)
        assert here.history == there.history
        assert here.result == there.result
        assert np.array_equal(here.targets(), there.targets())


def deal(game, raw, choose, balanced):
    """Deal both games the same, comparing what can be dealt; return the deal."""
    probabilities, hands = np.zeros(110), [[], []]
    for draw in range(10):
        count = game.rules.chance(raw, probabilities)
        possible = np.flatnonzero(probabilities[:count]).tolist()
        assert possible == possible_cards(hands, draw // 5, draw % 5, balanced)
        hands[draw // 5].append(choose.choice(possible))
        game.rules.apply_chance(raw, hands[draw // 5][-1])
    starter = choose.randrange(2)
    game.rules.apply_chance(raw, starter)
    elements = {}
    while raw.to_play == CHANCE:
        element = choose.choice((0, choose.randrange(1, 9)))
        elements[CELLS[len(elements)]] = ELEMENTS[element]
        game.rules.apply_chance(raw, element)
    return hands, starter, elements


def compare_games(spec, count, compiled):
    """Play random games by both rules; return what happened in them."""
    game, options = load_game(spec, compiled=compiled), parse_spec(spec)[1]
    options = {name: value == "true" for name, value in options.items()}
    balanced = "hands=random" not in spec
    choose, actions, seen = random.Random(spec), np.empty(45, np.int32), Counter()
    for _ in range(count):
        raw = game.states(1)[0]
        game.rules.start(raw)
        hands, starter, elements = deal(game, raw, choose, balanced)
        literal = LiteralTripleTriad(hands, starter, options, elements)
        while not literal.is_over():
            assert raw.to_play == literal.mover
            legal = actions[: game.rules.legal(raw, actions)].tolist()
            assert legal == sorted(s * 9 + r * 3 + c for s, (r, c) in literal.legal())
            action = choose.choice(legal)
            game.rules.apply(raw, action)
            literal.play(action // 9, CELLS[action % 9])
            marks = [
                "." if o is None else str(o) for o in map(literal.owner_of.get, CELLS)
            ]
            assert " ".join(owners(raw)) == " ".join(marks)
        assert raw.to_play == OVER
        assert game.rules.result(raw) == literal.result()
        seen += literal.seen
        seen[f"result {literal.result()}"] += 1
    return seen


OPTIONS = {  # and what must be seen of each
    "": ["result 0"],
    "hands=random": ["result 0"],
    "same=true": ["same", "same with an own card", "combo"],
    "plus=true": ["plus", "combo"],
    "same=true,plus=true": ["same", "plus", "combo"],
    "same=true,same_wall=true": ["same", "same by a wall", "combo"],
    "elemental=true": [],
    EVERYTHING: ["same", "combo"],
    "same=true,plus=true,combo=false": ["same", "plus"],
    f"hands=random,{EVERYTHING}": ["same", "same by a wall", "plus", "combo"],
}


@pytest.mark.parametrize(
    ("compiled", "count"), [(False, 125), pytest.param(True, 4000, marks=SLOW)]
)
@pytest.mark.parametrize("options", OPTIONS)
def test_random_games_agree_with_the_literal_rules(options, compiled, count):
    spec = f"triple_triad:{options}".rstrip(":")
    seen = compare_games(spec, count, compiled)
    for what in [*OPTIONS[options], "result 1", "result -1"]:
        assert seen[what] >= count // 100, seen
