"""Pyrga: hand-worked positions for every rule, and a second implementation."""

import random
from itertools import product

import numpy as np
import pytest
from literal_pyrga import LiteralPyrga

from ludens import load_game
from ludens.bench import kernel as bench_kernel
from ludens.game import OVER
from ludens.state import State
from marked import quick

SLOW = pytest.mark.slow
ALL_OPTIONS = (
    "pyrga:towers_to_win=3,arrow_must_point_inside=true,no_second_square=true,"
    "tiebreak=stacks"
)


@pytest.fixture(scope="module")
def game():
    return load_game("pyrga")


def play(moves, spec="pyrga"):
    """Return the state after moves in notation."""
    state = load_game(spec, compiled=False).new()
    for move in moves.split():
        state.apply(move)
    return state


def position(drawing, to_play, spec="pyrga"):
    """Return the state of a drawing: capitals are the first player's pieces."""
    state = load_game(spec, compiled=False).new()
    state.raw.allowed, state.raw.to_play = 0, to_play
    for cell, word in enumerate(drawing.split()):
        if word.startswith("["):
            state.raw.allowed |= 1 << cell
        for slot, letter in enumerate(word.strip("[]")[:3]):
            if letter != ".":
                state.raw.pieces[int(letter.islower()), slot] |= 1 << cell
                if slot == 2:
                    way = "^>v<".index(word.strip("[]")[3])
                    state.raw.heads[way] |= 1 << cell
    return state


def legal_names(state):
    return [state.action_name(action) for action in state.legal_actions()]


def legal_cells(state):
    return sorted({name[1:3] for name in legal_names(state)})


def legal_kinds(state):
    return "".join(sorted({name[0] for name in legal_names(state)}))


def random_states(game, count, seed):
    """Yield every state of some random games, the finished ones included."""
    choose = random.Random(seed)
    for _ in range(count):
        state = game.new()
        yield state
        while not state.is_over:
            state.apply(choose.choice(state.legal_actions()))
            yield state


def test_first_piece_goes_anywhere():
    assert play("").legal_actions() == list(range(96))


def test_square_forces_its_orthogonal_neighbours():
    assert legal_cells(play("Sb2")) == ["a2", "b1", "b3", "c2"]
    assert legal_cells(play("Sd1")) == ["c1", "d2"]
    assert len(legal_names(play("Sd1"))) == 2 * 6


def test_circle_forces_the_same_cell():
    expected = ["Sb2", "Ab2u", "Ab2r", "Ab2d", "Ab2l"]
    assert legal_names(play("Cb2")) == expected


@pytest.mark.parametrize(
    ("arrow", "cells"),
    [
        ("Ab3u", ["b1", "b2"]),
        ("Aa2r", ["b2", "c2", "d2"]),
        ("Ac1d", ["c2", "c3", "c4"]),
        ("Ab4l", ["a4"]),
    ],
)
def test_arrow_forces_its_ray_up_to_the_edge_without_its_own_cell(arrow, cells):
    assert legal_cells(play(arrow)) == cells


def test_limit_comes_from_the_last_move_only():
    assert legal_cells(play("Sb2 Ab3d")) == ["b4"]


def test_ray_of_length_zero_falls_back_to_empty_cells_with_any_kind():
    state = play("Sb1 Aa1u")
    assert len(legal_cells(state)) == 14
    assert not {"a1", "b1"} & set(legal_cells(state))
    assert len(state.legal_actions()) == 14 * 6


def test_circle_that_completes_a_tower_falls_back_to_empty_cells():
    before = position(
        """
        ....    .ca<  ....  ....
        [S.av]  SC..  ....  ....
        ....    ....  ....  ....
        ....    ....  ....  ....
        """,
        to_play=0,
    )
    before.apply("Ca2")
    assert str(before).splitlines() == [
        "    a      b      c      d",
        "1 [....]  .ca<  [....] [....]",
        "2  SCav   SC..  [....] [....]",
        "3 [....] [....] [....] [....]",
        "4 [....] [....] [....] [....]",
        "first: stock S3 C3 A5, towers 1",
        "second: stock s5 c4 a3, towers 0, to move",
    ]


def test_kind_already_in_the_cell_is_not_placed_again():
    state = position(
        """
        ....  ....   ....  ....
        ....  ....   ....  ....
        ....  s...   ....  ....
        .... [..A>]  ....  ....
        """,
        to_play=1,
    )
    assert legal_names(state) == ["Sb4", "Cb4"]


def test_kinds_used_up_lead_to_the_fallback_and_stay_out_of_it():
    state = position(
        """
        ..A^  ..A>   ..Av  ..A<
        ..A^  [S...] ....  ....
        .c..  .c..   ....  ....
        sc..  sc..   ....  ....
        """,
        to_play=1,
    )
    state.apply("Cb2")  # only an arrow would fit on b2, and the first player has none
    empty = ["c2", "c3", "c4", "d2", "d3", "d4"]
    assert legal_cells(state) == empty
    assert legal_kinds(state) == "CS"
    assert len(state.legal_actions()) == 2 * len(empty)


FULL_BOARD = """
[S.A^] s... S... s...
 s...  S... s... S...
 .C..  .c.. .C.. .C..
 .C..  S... s... .C..
"""


def test_game_ends_when_the_limit_is_full_and_no_cell_is_empty():
    state = position(FULL_BOARD, to_play=1)
    state.apply("Ca1")
    assert state.is_over
    assert state.legal_actions() == []
    assert state.raw.allowed == 0


def test_game_goes_on_when_one_cell_is_empty():
    state = position(FULL_BOARD.replace("S... s... .C..\n", "S... .... .C..\n"), 1)
    state.apply("Ca1")
    assert not state.is_over
    assert legal_cells(state) == ["c4"]


def test_game_ends_when_all_pieces_are_used(game):
    ended = [s.copy() for s in random_states(game, 60, seed=5) if s.is_over]
    longest = [state for state in ended if len(state.history) == 30]
    assert longest
    for state in longest:
        stocks = "stock S0 C0 A0", "stock s0 c0 a0"
        assert all(stock in str(state) for stock in stocks)


def test_tower_belongs_to_the_majority_not_to_who_completes_it():
    state = play("Sb2 Sb1 Cb2 Ab2u", "pyrga:towers_to_win=1")  # the second completes it
    assert state.is_over
    assert state.result == 1
    state = play("Aa1u Sb2 Sb1 Cb2 Ab2u", "pyrga:towers_to_win=1")
    assert state.is_over
    assert state.result == -1


def test_tower_of_three_own_pieces_counts():
    state = play("Sb2 Sa2 Ab2l Ca2 Aa2r Sc2 Cb2")
    assert "2  scA>   SCA<   s..." in str(state)
    assert str(state).count("towers 1") == 2


ONE_TOWER_EACH = """
SCa^ scA^ {}
.... .... .... ....
.... .... .... ....
.... .... .... ....
"""


def outcome(row, spec="pyrga"):
    state = position(ONE_TOWER_EACH.format(row), OVER, spec)
    return state.result


def test_most_towers_wins_whoever_moved_last():
    assert outcome("SCA> ....") == 1
    assert outcome("sca> ....") == -1
    assert outcome("SCa> ScA>") == 1


def test_equal_towers_are_a_draw_whatever_else_is_on_the_board():
    assert outcome(".... ....") == 0
    assert outcome("SC.. S...") == 0


def test_towers_to_win_ends_the_game_only_at_that_number():
    moves = "Sb2 Sb1 Cb2 Ab2u"
    assert play(moves, "pyrga:towers_to_win=1").is_over
    assert not play(moves, "pyrga:towers_to_win=2").is_over
    assert not play(moves).is_over


def test_tiebreak_counts_own_pairs_then_single_pieces():
    spec = "pyrga:tiebreak=stacks"
    assert outcome("SC.. s...", spec) == 1
    assert outcome("S... s.a>", spec) == -1
    assert outcome("Sc.. s...", spec) == -1  # a mixed pair belongs to nobody
    assert outcome("Sc.. ....", spec) == 0
    assert outcome("SCA> sc..", spec) == 1  # towers come first
    assert outcome("..A> ....", spec) == 1


def test_arrow_must_point_inside_forbids_rays_of_length_zero():
    state = play("", "pyrga:arrow_must_point_inside=true")
    arrows = [name for name in legal_names(state) if name[0] == "A"]
    assert len(arrows) == 4 * 12
    corner = [name for name in arrows if name[1:3] == "a1"]
    assert corner == ["Aa1r", "Aa1d"]
    assert [name for name in arrows if name[1:3] == "d3"] == ["Ad3u", "Ad3d", "Ad3l"]


def test_no_second_square_binds_the_first_players_second_piece():
    spec = "pyrga:no_second_square=true"
    assert legal_kinds(play("Sb2 Cb1")) == "AS"
    assert legal_kinds(play("Sb2 Cb1", spec)) == "A"
    assert legal_kinds(play("Sb2", spec)) == "ACS"  # the second player is free
    assert legal_kinds(play("Ab2u Cb1", spec)) == "AS"  # no square in the opening
    assert legal_kinds(play("Sb2 Ab1r Cc1 Ac1d", spec)) == "ACS"  # his third piece


def test_no_second_square_holds_in_the_fallback():
    state = play("Sb2 Ab1u", "pyrga:no_second_square=true")
    assert legal_kinds(state) == "AC"
    assert len(state.legal_actions()) == 14 * 5


def test_perft():
    rules = load_game("pyrga").rules

    def perft(raw, depth):
        actions = np.empty(96, np.int32)
        count = rules.legal(raw[0], actions)
        if depth == 1:
            return count
        total = 0
        for action in actions[:count]:
            after = raw.copy()
            rules.apply(after[0], action)
            total += perft(after, depth - 1)
        return total

    raw = load_game("pyrga").states(1)
    rules.start(raw[0])
    # Depth 2 by hand: 48 neighbours of squares x 6, 16 circles x 5, and in each of four
    # directions rays of 0, 1, 2, 3 cells from 4 cells each: 4 x (90 + 6 + 12 + 18).
    assert [perft(raw, depth) for depth in (1, 2, 3)] == [96, 2384, 54752]


def assert_same_games(game, literal, count, seed):
    """Play random games with both implementations; return how long each was."""
    choose = random.Random(seed)
    rules, raw, lengths = game.rules, game.states(1), []
    actions = np.empty(96, np.int32)
    for _ in range(count):
        raw[:] = 0
        rules.start(raw[0])
        twin = literal()
        while expected := twin.legal():
            assert raw[0].to_play == twin.mover
            found = actions[: rules.legal(raw[0], actions)].tolist()
            assert found == expected
            action = choose.choice(expected)
            rules.apply(raw[0], action)
            twin.apply(action)
        assert raw[0].to_play == OVER
        assert rules.result(raw[0]) == twin.result()
        lengths.append(len(twin.moves))
    return lengths


@pytest.mark.parametrize("count", [700, pytest.param(6000, marks=SLOW)])
def test_same_as_the_literal_rules_in_many_games(game, count):
    lengths = assert_same_games(game, LiteralPyrga, count, seed=1)
    assert 20 <= min(lengths) <= 23
    assert max(lengths) == 30
    assert abs(np.mean(lengths) - 29) < 0.1


@pytest.mark.parametrize("count", [20, pytest.param(200, marks=SLOW)])
@pytest.mark.parametrize(
    ("towers", "inside", "no_second", "tie"),
    [*product((0, 2, 3), (False, True), (False, True), ("none", "stacks"))],
)
def test_same_as_the_literal_rules_with_options(towers, inside, no_second, tie, count):
    options = {
        "towers_to_win": towers,
        "arrow_must_point_inside": inside,
        "no_second_square": no_second,
        "tiebreak": tie,
    }
    game = load_game("pyrga", options=options, compiled=False)
    assert_same_games(
        game, lambda: LiteralPyrga(towers, inside, no_second, tie), count, seed=2
    )


@pytest.mark.parametrize("spec", quick(["pyrga", ALL_OPTIONS], "pyrga"))
def test_compiled_rules_equal_plain_ones(spec):
    plain = load_game(spec, compiled=False)
    for state in random_states(load_game(spec), 15, seed=3):
        twin = State.replay(plain, state.history)
        assert twin.raw.tobytes() == state.raw.tobytes()
        assert twin.legal_actions() == state.legal_actions()
        assert np.array_equal(twin.observe(), state.observe())
        assert np.array_equal(twin.targets(), state.targets())
        assert twin.result == state.result


def test_random_play_has_the_known_figures(game):
    totals = np.zeros(4)
    count = 100_000
    kernel = game.kernel(bench_kernel)
    plies = kernel.play_random(count, np.array([11], np.uint64), totals)
    first, second, drawn = totals[:3] / count
    assert first == pytest.approx(0.415, abs=0.006)
    assert second == pytest.approx(0.333, abs=0.006)
    assert drawn == pytest.approx(0.252, abs=0.006)
    assert plies / count == pytest.approx(28.98, abs=0.02)


def test_symmetries_turn_arrows_with_the_board(game):
    def image(move, symmetry):
        action = game.new().read_action(move)
        turned = game.rules.transform_action(action, symmetry)
        return game.new().action_name(turned)

    assert [image("Aa1r", k) for k in range(4)] == ["Aa1r", "Ad1d", "Ad4l", "Aa4u"]
    assert [image("Aa1r", k) for k in range(4, 8)] == ["Ad1l", "Ad4u", "Aa4r", "Aa1d"]
    assert [image("Ab1u", k) for k in (1, 4)] == ["Ad2r", "Ac1u"]
    assert [image("Sb1", 1), image("Cb1", 4)] == ["Sd2", "Cc1"]


@pytest.mark.parametrize("spec", ["pyrga", ALL_OPTIONS])
def test_symmetries_commute_with_the_rules(spec):
    game = load_game(spec)
    turn = game.rules.transform_action
    choose = random.Random(4)
    for state in random_states(game, 6, seed=4):
        for k in range(8):
            twin = state.transformed(k)
            moves = state.legal_actions()
            assert twin.legal_actions() == sorted(turn(a, k) for a in moves)
            assert twin.result == state.result
            if moves:
                action = choose.choice(moves)
                after = state.copy()
                after.apply(action)
                twin.apply(turn(action, k))
                assert twin.raw.tobytes() == after.transformed(k).raw.tobytes()


def test_observation_turns_like_a_picture(game):
    for state in random_states(game, 2, seed=6):
        planes = state.observe()
        for k in range(8):
            pictures = planes[:, :, ::-1] if k >= 4 else planes
            expected = np.rot90(pictures, -(k % 4), axes=(1, 2)).copy()
            up_right_down_left = expected[6:10].copy()
            for way in range(4):
                turned = ((4 - way if k >= 4 else way) + k) % 4
                expected[6 + turned] = up_right_down_left[way]
            assert np.array_equal(state.transformed(k).observe(), expected)


def test_observation_holds_the_whole_state(game):
    bits = 1 << np.arange(16).reshape(4, 4)
    for state in random_states(game, 20, seed=7):
        if state.is_over:
            continue
        planes = state.observe()
        sets = [int((plane * bits).sum()) for plane in planes]
        rebuilt = game.states(1)
        raw = rebuilt[0]
        raw.to_play = planes[17, 0, 0]
        raw.pieces[raw.to_play] = sets[0:3]
        raw.pieces[1 - raw.to_play] = sets[3:6]
        raw.heads[:] = sets[6:10]
        raw.allowed = sets[10]
        assert raw.tobytes() == state.raw.tobytes()


def test_observation_is_the_movers_and_shows_both_stocks():
    planes = play("Sb2 Cb1 Ab1l").observe()  # the second player is to move
    names = load_game("pyrga", compiled=False).plain.PLANES
    shown = dict(zip(names, planes, strict=True))
    assert shown["own circles"][0, 1] == 1
    assert shown["opponent's squares"][1, 1] == 1
    assert shown["opponent's arrows"][0, 1] == 1
    assert shown["arrows pointing left"][0, 1] == 1
    assert shown["cells allowed"].tolist() == [[1, 0, 0, 0], *[[0] * 4] * 3]
    assert (shown["own circles in stock"] == np.float32(0.8)).all()
    assert (shown["own squares in stock"] == 1).all()
    assert (shown["opponent's squares in stock"] == np.float32(0.8)).all()
    assert (shown["the second player moves"] == 1).all()
    assert planes.min() >= 0
    assert planes.max() <= 1


def test_same_bytes_after_different_last_moves_that_allow_the_same():
    one = play("Aa1u Ad1u Aa4l")
    other = play("Aa4l Ad1u Aa1u")
    assert one.raw.tobytes() == other.raw.tobytes()
    # The same pieces, but the last move allows something else.
    assert play("Sb2 Sb3 Sb4").raw.tobytes() != play("Sb4 Sb3 Sb2").raw.tobytes()


def test_targets_show_the_owner_of_each_tower():
    state = position(ONE_TOWER_EACH.format("SC.. sca>"), OVER)
    expected = np.zeros((1, 4, 4))
    expected[0, 0] = [1, -1, 0, -1]
    assert np.array_equal(state.targets(), expected)


def test_notation_is_unique_and_reads_back():
    state = play("")
    names = legal_names(state)
    assert len(set(names)) == 96
    assert [state.read_action(name) for name in names] == list(range(96))
    assert [names[0], names[17], names[32], names[95]] == ["Sa1", "Cb1", "Aa1u", "Ad4l"]
    assert state.choices(names.index("Sb2")) == ("square", "b2")
    assert state.choices(names.index("Ab2u")) == ("arrow", "b2", "up")


def test_every_choice_is_a_shape_of_the_scene(game):
    for state in random_states(game, 3, seed=8):
        offered = {shape.choice for shape in state.scene()}
        for action in state.legal_actions():
            assert set(state.choices(action)) <= offered


def test_scene_shows_pieces_with_owner_and_direction():
    scene = play("Sb2 Ab3l Ca3").scene()
    labels = {shape.label: shape for shape in scene}
    arrow = labels["second player's arrow on b3 pointing left"]
    assert (arrow.kind, arrow.owner, arrow.choice) == ("polygon", 1, "b3")
    tip_x, tip_y = arrow.points[0]
    assert tip_x < 1.5
    assert tip_y == 2.5
    assert labels["first player's circle on a3"].kind == "disc"
    assert labels["first player's square on b2"].owner == 0
    assert labels["second player's arrows in stock: 4"].choice == "arrow"
    assert labels["first player's circles in stock: 4"].choice == ""


def test_drawing_shows_pieces_owners_directions_allowed_cells_and_stocks():
    assert str(play("Sb2 Ab3d Cb4 Sb4")).splitlines() == [
        "    a      b      c      d",
        "1  ....   ....   ....   ....",
        "2  ....   S...   ....   ....",
        "3  ....  [..av]  ....   ....",
        "4 [....]  sC..  [....]  ....",
        "first: stock S4 C4 A5, towers 0, to move",
        "second: stock s4 c5 a4, towers 0",
    ]
