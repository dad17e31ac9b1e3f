import json
import math
import random
import re
from collections import Counter
from itertools import product
from typing import Any

import numpy as np
import pytest
from literal_triangle import DATA, WEIGHTS, LiteralTriangle, points_up

from ludens import check_game, load_game
from ludens.bench import kernel as bench_kernel
from ludens.errors import IllegalAction, UserError
from ludens.game import CHANCE, OVER
from ludens.loading.game import Game
from ludens.state import State

DRAWN = json.loads(DATA.read_text())
ONE_UP, UP_OVER_DOWN, ONE_DOWN, UP_DOWN = 1, 2, 3, 4  # numbers of shapes
BIG = 11  # five triangles
SLOW = pytest.mark.slow
BEHAVIOUR = "107d7af7da56e9cbf144b771"


@pytest.fixture(scope="module")
def game() -> Game:
    return load_game("triangle")


@pytest.fixture(scope="module")
def plain() -> Game:
    return load_game("triangle", compiled=False)


def table(game: Game, name: str) -> list[Any]:
    """Return a table of the board, a part of the game, for these options."""
    return game._plain.place.__globals__[name]


def position(game: Game, board: str, slots: str) -> State:
    """Return a state from a drawing: # is filled, rows not drawn are empty."""
    state = game.new(setup="1 1 1", seed=1)
    cells = [
        f"{chr(ord('a') + column)}{row + 1}"
        for row, line in enumerate(board.strip("\n").split("\n"))
        for column, mark in enumerate(line)
        if mark == "#"
    ]
    for cell in cells:
        state.edit(f"toggle {cell}")
    for slot, shape in enumerate(slots.split()):
        state.edit(f"slot {slot + 1} {shape}")
    return state


def filled(state: State) -> int:
    return sum(int(word).bit_count() for word in state.raw.occupied)


def test_the_board_has_96_cells_48_up_and_24_lines(plain):
    death, up = plain.new(seed=1).observe()[1:3]
    assert (death == 0).sum() == 96
    assert up[death == 0].sum() == 48
    lengths = [9, 9, 11, 11, 13, 13, 15, 15]
    lines = [sorted(map(len, table(plain, "LINES")[i : i + 8])) for i in (0, 8, 16)]
    assert lines == [lengths] * 3
    literal = LiteralTriangle()
    cells = {
        frozenset(table(plain, "CELLS")[i] for i in n) for n in table(plain, "LINES")
    }
    assert cells == set(literal.lines)
    assert len(table(plain, "LINES")) == 24


def test_a_line_falls_and_rises_as_worked_by_hand(plain):
    # From c4 (up) one falls to c5 (down), d5 (up), d6 (down), ...
    names = [
        {f"{chr(97 + c)}{r + 1}" for r, c in (table(plain, "CELLS")[i] for i in line)}
        for line in table(plain, "LINES")
    ]
    falling = "a4 a5 b5 b6 c6 c7 d7 d8 e8"
    rising = "a5 a4 b4 b3 c3 c2 d2 d1 e1"
    assert set(falling.split()) in names
    assert set(rising.split()) in names
    assert {f"{c}1" for c in "defghijkl"} in names


LEVEL = """
   ########
"""


def test_a_complete_line_is_cleared_and_paid(game):
    state = position(game, LEVEL, f"{ONE_UP} {ONE_UP} {ONE_DOWN}")
    state.apply("1l1")
    assert filled(state) == 0
    assert state.score == pytest.approx(0.01 + 9 * 0.5 + 0.005, abs=1e-12)


def test_all_but_one_cell_of_a_line_stays(game):
    state = position(game, "\n   ###  ##", f"{ONE_UP} {ONE_UP} {ONE_DOWN}")
    state.apply("1l1")
    assert filled(state) == 6
    assert state.score == pytest.approx(0.01 + 0.005, abs=1e-12)


# The upper row and the rising line a5 a4 b4 b3 c3 c2 d2 d1 e1 meet in d1 and e1.
CROSSING = """
    ########
  ##
 ##
##
#
"""


def test_two_lines_clear_at_once_and_shared_cells_count_once(game):
    state = position(game, CROSSING, f"{ONE_UP} {ONE_UP} {ONE_DOWN}")
    assert filled(state) == 15
    state.apply("1d1")
    assert filled(state) == 0
    assert state.score == pytest.approx(0.01 + 16 * 0.5 + 0.005, abs=1e-12)


def test_only_the_complete_one_of_two_crossing_lines_clears(game):
    state = position(game, CROSSING.replace("#\n", "\n", 1), "1 1 3")
    assert filled(state) == 14
    state.apply("1d1")
    assert filled(state) == 6  # f1 to k1
    assert [state.observe()[0, 0, c] for c in (3, 4, 5)] == [0, 0, 1]


def test_triangles_keep_their_orientation(plain):
    state = plain.new(seed=1, setup=f"{ONE_UP} {ONE_DOWN} {UP_DOWN}")
    by_slot = [[], [], []]
    for action in state.legal_actions():
        slot, cell = divmod(action, 120)
        by_slot[slot].append(divmod(cell, 15))
    assert len(by_slot[0]) == len(by_slot[1]) == 48
    assert all(points_up(cell) for cell in by_slot[0])
    assert not any(points_up(cell) for cell in by_slot[1])
    assert (0, 3) in by_slot[2]
    assert (0, 11) not in by_slot[2]  # its second triangle would leave the row
    with pytest.raises(IllegalAction, match="1e1 is not legal"):
        state.apply("1e1")


def test_slots_are_refilled_only_when_all_three_are_empty(plain):
    state = State(plain)
    for outcome in plain.plain.setup("1 3 4"):
        state.apply_chance(outcome)
    state.apply("2e1")
    assert list(state.raw.slots) == [1, 0, 4]
    state.apply("1d1")
    assert list(state.raw.slots) == [0, 0, 4]
    assert not state.is_chance
    state.apply("3f1")
    assert state.is_chance
    assert list(state.raw.slots) == [0, 0, 0]
    for number in (5, 6, 7):
        assert state.is_chance
        state.apply_chance(number - 1)
    assert list(state.raw.slots) == [5, 6, 7]
    assert state.to_play == 0


def test_the_game_is_over_when_nothing_left_fits():
    small = load_game("triangle:columns=6,playable=0-6/0-6", compiled=False)
    # Row 1: v^v^v^, row 2: ^v^v^v. Shape 11 spans three columns of both rows.
    state = State.replay(small, [0, BIG - 1, BIG - 1])
    assert state.to_play == 0
    state.apply("1d1")
    assert state.is_over
    assert state.score == pytest.approx(0.01, abs=1e-12)
    assert state.legal_actions() == []


def test_the_start_is_checked_for_game_over():
    narrow = load_game("triangle:columns=6,playable=0-3/0-0", compiled=False)
    assert narrow.new(seed=1, setup=f"{BIG} {BIG} {BIG}").is_over
    assert narrow.new(seed=1, setup=f"{BIG} {BIG} {ONE_UP}").to_play == 0
    state = State(narrow)
    for _ in range(2):
        state.apply_chance(BIG - 1)
        assert state.is_chance  # not before the last draw


def before_a_refill(**rewards: float) -> State:
    """Play the last shape on a small board, after which the largest no longer fit."""
    spec = "triangle:columns=6,playable=0-6/0-6"
    small = load_game(spec, options=rewards, compiled=False)
    state = State.replay(small, [ONE_UP - 1] * 3 + ["slot 2 empty", "slot 3 empty"])
    state.apply("1d1")
    assert state.is_chance
    return state


def refilled(state: State, *outcomes: int) -> State:
    twin = state.copy()
    for outcome in outcomes:
        twin.apply_chance(outcome)
    return twin


def test_a_refill_can_end_the_game():
    state = before_a_refill()
    assert refilled(state, BIG - 1, BIG - 1, BIG - 1).is_over
    assert refilled(state, BIG - 1, BIG - 1, ONE_DOWN - 1).to_play == 0


def test_the_refill_after_a_move_decides_whether_it_survived():
    state = before_a_refill(survive_reward=3.0, over_reward=-2.0)
    assert state.score == pytest.approx(0.01, abs=1e-12)
    end = refilled(state, BIG - 1, BIG - 1, BIG - 1)
    assert end.score == pytest.approx(0.01 - 2.0, abs=1e-12)
    on = refilled(state, BIG - 1, BIG - 1, ONE_DOWN - 1)
    assert on.score == pytest.approx(0.01 + 3.0, abs=1e-12)


def test_the_first_refill_pays_nothing(plain):
    assert plain.new(seed=1).score == 0


def play_together(game: Game, literal: LiteralTriangle, seed: int) -> Counter[str]:
    """Play a random game on both; compare all there is after every move."""
    rng = random.Random(seed)
    state, rules = game.states(1)[0], game.rules
    actions = np.empty(game.num_actions, np.int32)
    bit = {cell: 1 << n for n, cell in enumerate(sorted(literal.playable))}
    literal.restart()
    rules.start(state)
    seen: Counter[str] = Counter(games=1)
    reward = due = 0.0
    while True:
        if set(literal.slots) == {None}:
            draws = rng.choices(range(23), WEIGHTS, k=literal.num_slots)
            for shape in draws:
                assert state.to_play == CHANCE
                reward += rules.apply_chance(state, shape)
            literal.refill(draws)
        if seen["moves"]:
            due += 0.0 if literal.over else 0.005
        assert abs(reward - due) < 1e-9
        legal = literal.legal()
        count = rules.legal(state, actions) if state.to_play == 0 else 0
        assert actions[:count].tolist() == legal
        assert state.to_play == (OVER if literal.over else 0)
        words = enumerate(state.occupied.tolist())
        occupied = sum(word << 64 * n for n, word in words)
        assert occupied == sum(map(bit.__getitem__, literal.occupied))
        if literal.over:
            return seen
        action = rng.choice(legal)
        reward = rules.apply(state, action)
        placed, cleared = literal.move(action)
        due = 0.01 * placed + 0.5 * cleared
        seen.update(moves=1, cleared=cleared, clears=bool(cleared))


@pytest.mark.parametrize("count", [400, pytest.param(10_000, marks=SLOW)])
def test_many_games_agree_with_the_literal_rules(game, count):
    literal = LiteralTriangle()
    seen: Counter[str] = Counter()
    for seed in range(count):
        seen += play_together(game, literal, seed)
    assert seen["moves"] / count == pytest.approx(19.85, abs=0.5)
    assert seen["cleared"] / count == pytest.approx(3.0, abs=0.5)
    assert seen["clears"] > count / 10


BOARDS = {
    "0-6/0-6": 6,
    "1-7/0-8/0-8/1-7": 9,
    "0-3/2-5/4-8/0-0/1-8": 8,  # torn: lines of many lengths, a row without cells
    "2-18/0-20/0-20/0-20/0-20/0-20/0-20/0-20/0-20/3-17": 20,
    "/".join(["0-26"] * 20): 26,
}


@pytest.mark.parametrize("board", BOARDS)
def test_other_boards_agree_with_the_literal_rules(board):
    ranges = [tuple(map(int, row.split("-"))) for row in board.split("/")]
    other = load_game(
        f"triangle:playable={board},columns={BOARDS[board]}", compiled=False
    )
    literal = LiteralTriangle(ranges, BOARDS[board])
    lines = {
        frozenset(table(other, "CELLS")[i] for i in n) for n in table(other, "LINES")
    }
    assert lines == set(literal.lines)
    for seed in range(1 if "0-26" in board else 10):
        play_together(other, literal, seed)


@pytest.mark.parametrize(("slots", "least"), [(1, 5), (2, 7), (5, 3)])
def test_other_slots_and_shortest_lines_agree_with_the_literal_rules(slots, least):
    board, columns = "0-3/2-5/4-8/0-0/1-8/0-8", 8
    ranges = [tuple(map(int, row.split("-"))) for row in board.split("/")]
    spec = f"triangle:playable={board},columns={columns},slots={slots},min_line={least}"
    other = load_game(spec, compiled=False)
    literal = LiteralTriangle(ranges, columns, slots, least)
    assert 0 < len(table(other, "LINES")) == len(set(literal.lines))
    for seed in range(20):
        play_together(other, literal, seed)


@pytest.mark.parametrize("slots", [1, 2, 4])
def test_other_numbers_of_slots_keep_the_contract(slots):
    spec = f"triangle:columns=6,playable=0-6/0-6,min_line=6,slots={slots}"
    game = load_game(spec, compiled=False)
    report = check_game(game, games=6)
    assert report.ok, str(report)
    state = game.new(seed=1, setup=" ".join(["1"] * slots))
    assert len(state.look()["slots"]) == slots
    assert game.num_actions == slots * 12
    assert state.scene()[-1].part == f"slots/{slots}"
    names = game.plain.PLANES
    seen = dict(zip(names, state.observe(), strict=True))
    assert seen["slots left"][0, 0] == 1
    fits = seen[f"shape of slot {slots} fits"]
    of_slot = [a % 12 for a in state.legal_actions() if a // 12 == slots - 1]
    assert np.flatnonzero(fits).tolist() == of_slot
    with pytest.raises(UserError, match="write toggle d4, slot 1 7"):
        state.edit(f"slot {slots + 1} 7")


def test_the_default_options_play_as_they_always_did(game):
    """Nets and runs name this; it changes only if the rules do."""
    assert game.behaviour == BEHAVIOUR


def test_a_board_without_lines_can_be_played():
    torn = load_game("triangle:playable=0-1/3-4/6-7")
    state = torn.new(seed=1, setup=f"{ONE_DOWN} {ONE_DOWN} {ONE_DOWN}")
    assert table(torn, "LINES") == []
    for move in ("2a1", "1g3", "3d2"):
        assert state.to_play == 0
        state.apply(move)
    assert filled(state) == 3
    assert state.is_over  # whatever the refill gave
    assert state.score == pytest.approx(3 * 0.01 + 2 * 0.005, abs=1e-12)


@pytest.mark.parametrize("count", [1, pytest.param(20, marks=SLOW)])
def test_compiled_and_plain_rules_play_the_same_games(game, plain, count):
    for seed in range(count):
        first, second = game.new(seed), plain.new(seed)
        rng = random.Random(seed)
        while not first.is_over:
            action = rng.choice(first.legal_actions())
            first.apply(action)
            second.apply(action)
            assert first.raw.tobytes() == second.raw.tobytes()
            assert first.score == second.score
            assert first.legal_actions() == second.legal_actions()
            assert (first.observe() == second.observe()).all()
        assert (first.targets() == first.observe()[:1]).all()
        assert second.is_over


def test_random_play_scores_as_it_should(game):
    totals = np.zeros(4)
    rng = np.array([7], np.uint64)
    plies = game.kernel(bench_kernel).play_random(30_000, rng, totals)
    assert plies / 30_000 == pytest.approx(19.8, abs=0.2)
    assert totals[3] / 30_000 == pytest.approx(2.24, abs=0.12)


def test_draws_follow_the_weights(plain):
    state = State(plain)
    assert [round(31 * p, 9) for _, p in state.chance()] == WEIGHTS
    assert sum(p for _, p in state.chance()) == pytest.approx(1)
    assert len(WEIGHTS) == 23
    drawn: Counter[int] = Counter()
    for seed in range(2000):
        drawn.update(plain.new(seed).history)
    for shape, weight in enumerate(WEIGHTS):
        expected = 6000 * weight / 31
        assert abs(drawn[shape] - expected) < 5 * math.sqrt(expected)


def test_a_state_holds_no_generator(plain):
    state = plain.new(seed=1, setup="1 1 1")
    for _ in range(2):
        state.apply(state.legal_actions()[0])
    same = plain.new(seed=2, setup="1 1 1")
    for _ in range(2):
        same.apply(same.legal_actions()[0])
    assert state.raw.tobytes() == same.raw.tobytes()
    last = state.legal_actions()[0]
    refills = set()
    for seed in range(5):
        twin = state.copy(seed=seed)
        twin.apply(last)
        refills.add(tuple(twin.raw.slots.tolist()))
    assert len(refills) > 1
    blind = state.copy()
    blind.apply(last)
    assert blind.is_chance


def test_the_state_is_small_and_has_no_score(plain):
    names = ("occupied", "slots", "to_play", "has_begun")
    kept = tuple(n for n in plain.plain.STATE.names if not n.startswith("_gap"))
    assert kept == names
    assert plain.plain.STATE.itemsize == 24


@pytest.mark.parametrize("board", BOARDS)
def test_all_shapes_look_different_to_the_network(board):
    size = f"playable={board},columns={BOARDS[board]}"
    other = load_game(f"triangle:{size},line_features=false", compiled=False)
    state = other.states(1)[0]
    looks = []
    for value in range(24):
        state.slots[:] = (value, 0, value)
        planes = np.zeros(other.observation_shape, np.float32)
        other.rules.observe(state, planes)
        first, second, third = planes[4:31].reshape(3, 9, -1)
        assert (first == third).all()
        assert not second.any()
        assert (first == first[:, :1]).all()  # the same on every cell
        looks.append(first[:, 0])
        if value:
            shape = DRAWN[value - 1]["cells"]
            assert first[0, 0] == shape[0][2]
            assert first[1:, 0].sum() == len(shape)
    assert len({look.tobytes() for look in looks}) == 24


def test_line_features_say_what_moves_do(game):
    names = game.plain.PLANES
    num_clearing = 0
    for seed in range(8):
        state, rng = game.new(seed), random.Random(seed)
        while not state.is_over:
            seen = dict(zip(names, state.observe(), strict=True))
            fits = np.stack([seen[f"shape of slot {k} fits"] for k in (1, 2, 3)])
            assert fits.reshape(-1).nonzero()[0].tolist() == state.legal_actions()
            assert seen["slots left"][0, 0] == np.float32(
                np.count_nonzero(state.raw["slots"]) / 3
            )
            clears = [seen[f"cells cleared by slot {k}"] for k in (1, 2, 3)]
            clearing = np.stack(clears).reshape(-1).nonzero()[0].tolist()
            assert set(clearing) <= set(state.legal_actions())
            action = rng.choice(clearing or state.legal_actions())
            slot, cell = divmod(action, 120)
            told = seen[f"cells cleared by slot {slot + 1}"].reshape(-1)[cell]
            places = seen[f"places left for slot {slot + 1}"][0, 0]
            assert places == np.float32(fits[slot].sum() / 96)
            filled = seen["occupied"].sum()
            shape = DRAWN[state.raw["slots"][slot] - 1]["cells"]
            state.apply(action)
            freed = filled + len(shape) - state.observe()[0].sum()
            assert (told > 0) == (freed > 0)
            assert told * 15 >= freed - 1e-4
            num_clearing += int(freed > 0)
    assert num_clearing > 0


NEXT_SHAPE = ("chance that the next shape fits", "places for the next shape")


def test_line_features_say_what_moves_leave_to_others(game):
    """What is told before a move is what is counted after it."""
    names = game.plain.PLANES
    for seed in range(4):
        state, rng = game.new(seed), random.Random(seed)
        while not state.is_over:
            seen = dict(zip(names, state.observe(), strict=True))
            clears = [seen[f"cells cleared by slot {k}"] for k in (1, 2, 3)]
            clearing = np.stack(clears).reshape(-1).nonzero()[0].tolist()
            action = rng.choice(clearing or state.legal_actions())
            slot, cell = divmod(action, 120)
            others = [k + 1 for k in {0, 1, 2} - {slot} if state.raw["slots"][k]]
            state.apply(action)
            after = dict(zip(names, state.observe(), strict=True))
            for what in NEXT_SHAPE:
                told = seen[f"{what} after slot {slot + 1}"].reshape(-1)[cell]
                assert told == after[what][0, 0]
            counts = [after[f"places left for slot {k}"][0, 0] * 96 for k in others]
            room = min([n / (n + 1) for n in counts], default=1)
            told = seen[f"places for the other slots after slot {slot + 1}"]
            assert told.reshape(-1)[cell] == pytest.approx(room, abs=1e-5)


def test_line_features_tell_how_full_lines_are(plain):
    state = plain.new(seed=1)
    state.edit("toggle d1")
    seen = dict(zip(plain.plain.PLANES, state.observe(), strict=True))
    level = seen["share filled of the level line"]
    assert level[0, 3:12].tolist() == [np.float32(1 / 9)] * 9
    assert not level[1:].any()
    assert level.sum() == np.float32(1)
    near = seen["nearness of the end of the level line"]
    assert near[0, 3] == np.float32(1 / 9)
    assert near[4, 0] == np.float32(1 / 16)
    for slope in ("falling", "rising"):
        lines = seen[f"share filled of the {slope} line"]
        values, counts = np.unique(lines[lines > 0], return_counts=True)
        assert np.allclose(values * counts, 1)
    assert seen["chance that the next shape fits"][0, 0] == 1
    before = plain.new(seed=1).observe()[-1, 0, 0]
    assert 0 < seen["places for the next shape"][0, 0] < before


def test_line_features_can_be_left_out():
    bare = load_game("triangle:line_features=false", compiled=False)
    state = bare.new(seed=1)
    assert state.observe().shape == (31, 8, 15)
    assert (state.observe() == load_game("triangle").new(seed=1).observe()[:31]).all()


def test_slots_may_change_places(plain):
    rules = plain.plain
    for seed in range(5):
        state = plain.new(seed)
        state.apply(random.Random(seed).choice(state.legal_actions()))
        for symmetry in range(6):
            image = state.transformed(symmetry)
            moves = {
                rules.transform_action(action, symmetry): action
                for action in state.legal_actions()
            }
            assert sorted(moves) == image.legal_actions()
            for there, here in list(moves.items())[::7]:
                ours, theirs = state.copy(), image.copy()
                ours.apply(here)
                theirs.apply(there)
                assert ours.transformed(symmetry).raw == theirs.raw
                assert ours.score == theirs.score
    assert len({tuple(order) for order in plain._plain.ORDERS}) == 6


def corners(cells: list[list[int]]) -> list[list[complex]]:
    """Return the corners of a shape's triangles as points of the plane."""
    step = complex(0, math.sqrt(3) / 2)
    base = [(c / 2 + r * step + step * up, up) for r, c, up in cells]
    return [[p, p + 1, p + 0.5 + step * (1 - 2 * up)] for p, up in base]


def outline(triangles: list[list[complex]]) -> frozenset[tuple[float, float]]:
    """Return what is left of a shape when it may be moved about: its own corners."""
    sets = [
        frozenset((round(p.real, 6), round(p.imag, 6)) for p in t) for t in triangles
    ]
    x, y = min(min(t) for t in sets)
    return frozenset(
        frozenset((round(a - x, 4) + 0.0, round(b - y, 4) + 0.0) for a, b in t)
        for t in sets
    )


def test_no_turn_or_mirror_image_keeps_the_weights():
    weights = {outline(corners(s["cells"])): s["weight"] for s in DRAWN}
    assert len(weights) == 23
    keeping = []
    for mirrored, turn in product((False, True), range(6)):
        by = complex(math.cos(turn * math.pi / 3), math.sin(turn * math.pi / 3))
        images = {}
        for shape in DRAWN:
            points = corners(shape["cells"])
            turned = [
                [(-p.conjugate() if mirrored else p) * by for p in t] for t in points
            ]
            images[outline(turned)] = shape["weight"]
        if images == weights:
            keeping.append((mirrored, turn))
    assert keeping == [(False, 0)]


def test_anchors_are_the_first_triangle_of_the_upper_row():
    for shape in DRAWN:
        cells = sorted((r, c) for r, c, _ in shape["cells"])
        assert cells[0] == (0, 0)
        assert {r for r, _ in cells} <= {0, 1}


def test_every_action_has_one_name_that_reads_back(plain):
    state = plain.new(seed=1)
    names = [state.action_name(action) for action in range(plain.num_actions)]
    assert len(set(names)) == plain.num_actions == 360
    assert names[120 + 3 * 15 + 3] == "2d4"
    assert state.read_action("2D4") == 120 + 3 * 15 + 3
    assert state.choices(120 + 3 * 15 + 3) == ("slot2", "d4")
    assert state.outcome_name(6) == "shape 7"


def test_choices_are_on_the_scene_and_triangles_tile(plain):
    state = plain.new(seed=1, setup="3 7 12")
    scene = state.scene()
    offered = {shape.choice for shape in scene}
    for action in state.legal_actions():
        assert set(state.choices(action)) <= offered
    board = [s for s in scene if s.role in ("cell", "filled", "death")]
    assert Counter(s.role for s in board) == {"cell": 96, "death": 24}
    edges: Counter[frozenset[tuple[float, float]]] = Counter()
    for shape in board:
        points = [(round(x, 6), round(y, 6)) for x, y in shape.points]
        edges.update(
            frozenset((points[i], points[(i + 1) % 3])) for i in range(len(points))
        )
    assert max(edges.values()) == 2
    # 8 rows of 15: inner edges between columns (14 a row) and between rows.
    below = sum(points_up((r, c)) for r in range(7) for c in range(15))
    assert sum(n == 2 for n in edges.values()) == 8 * 14 + below
    slots = [s for s in scene if s.choice.startswith("slot") and s.kind == "polygon"]
    assert Counter(s.choice for s in slots) == {"slot1": 2, "slot2": 4, "slot3": 5}
    assert sum(s.role == "anchor" for s in scene) == 3


def test_filled_cells_and_empty_slots_show_on_the_scene(plain):
    state = plain.new(seed=1, setup=f"{UP_DOWN} 1 1")
    state.apply("1d1")
    roles = Counter(shape.role for shape in state.scene())
    assert roles["filled"] == 2
    assert roles["anchor"] == 2
    assert roles["slot"] == 3


def test_the_drawing_shows_board_and_slots(plain):
    state = plain.new(seed=1, setup="2 12 4")
    state.apply("3d1")
    assert re.sub(r" +$", "", str(state), flags=re.MULTILINE) == (
        "  a b c d e f g h i j k l m n o\n"
        "1 · · · ▲ ▼ △ ▽ △ ▽ △ ▽ △ · · ·\n"
        "2 · · △ ▽ △ ▽ △ ▽ △ ▽ △ ▽ △ · ·\n"
        "3 · △ ▽ △ ▽ △ ▽ △ ▽ △ ▽ △ ▽ △ ·\n"
        "4 △ ▽ △ ▽ △ ▽ △ ▽ △ ▽ △ ▽ △ ▽ △\n"
        "5 ▽ △ ▽ △ ▽ △ ▽ △ ▽ △ ▽ △ ▽ △ ▽\n"
        "6 · ▽ △ ▽ △ ▽ △ ▽ △ ▽ △ ▽ △ ▽ ·\n"
        "7 · · ▽ △ ▽ △ ▽ △ ▽ △ ▽ △ ▽ · ·\n"
        "8 · · · ▽ △ ▽ △ ▽ △ ▽ △ ▽ · · ·\n"
        "\n"
        "1: shape 2    2: shape 12   3: empty\n"
        "▲                 ▲\n"
        "▽             ▽ △ ▽"
    )


def test_a_caller_may_choose_the_first_shapes(plain):
    assert plain.new(seed=1, setup="3 7 12").raw.slots.tolist() == [3, 7, 12]
    for wrong, why in {
        "3 7": "name three shapes",
        "3 7 24": "'24' is not a shape; they go from 1 to 23",
        "0 1 2": "'0' is not a shape",
        "a b c": "'a' is not a shape",
    }.items():
        with pytest.raises(UserError, match=why):
            plain.new(seed=1, setup=wrong)


def test_an_edit_toggles_cells_and_sets_slots(plain):
    state = plain.new(seed=1, setup="1 1 1")
    state.edit("toggle D4")
    assert state.observe()[0, 3, 3] == 1
    state.edit("slot 2 7")
    state.edit("slot 3 empty")
    assert state.raw.slots.tolist() == [1, 7, 0]
    state.edit("toggle d4")
    assert filled(state) == 0
    replayed = State.replay(plain, state.history)
    assert replayed.raw.tobytes() == state.raw.tobytes()


def test_an_edit_that_completes_a_line_clears_it_without_reward(plain):
    state = position(plain, LEVEL, "1 1 1")
    state.edit("toggle l1")
    assert filled(state) == 0
    assert state.score == 0


def test_an_edit_decides_again_whether_the_game_is_over():
    small = load_game("triangle:columns=6,playable=0-6/0-6", compiled=False)
    state = small.new(seed=1, setup=f"{ONE_UP} {BIG} {BIG}")
    state.edit("slot 1 empty")
    assert state.to_play == 0
    state.edit("toggle d1")
    assert state.is_over
    state.edit("toggle d1")
    assert state.to_play == 0
    state.edit("toggle d1")
    state.edit(f"slot 1 {ONE_UP}")
    assert state.to_play == 0


@pytest.mark.parametrize(
    ("words", "why"),
    [
        ("", "write toggle d4, slot 1 7 or slot 1 empty"),
        ("toggle", "write toggle"),
        ("slot 4 7", "write toggle"),
        ("slot 2 24", "'24' is not a shape"),
        ("toggle a1", "'a1' is not a playable cell"),
        ("toggle z99", "'z99' is not a playable cell"),
    ],
)
def test_a_wrong_edit_changes_nothing(plain, words, why):
    state = plain.new(seed=1)
    before = state.raw.tobytes()
    with pytest.raises(UserError, match=why):
        state.edit(words)
    assert state.raw.tobytes() == before


def test_an_edit_cannot_empty_the_last_slot_or_touch_a_refill(plain):
    state = plain.new(seed=1)
    state.edit("slot 1 empty")
    state.edit("slot 2 empty")
    with pytest.raises(UserError, match="one slot must keep a shape"):
        state.edit("slot 3 empty")
    waiting = State(plain)
    with pytest.raises(UserError, match="being refilled"):
        waiting.edit("slot 1 3")
    waiting.edit("toggle d4")
    assert waiting.is_chance


@pytest.mark.parametrize(
    ("options", "why"),
    [
        ({"playable": "3-12/oops"}, "cannot have a row 'oops'; write first-end"),
        ({"playable": ""}, "playable has 1 rows"),
        ({"playable": "0-15/5-3"}, "cannot have a row '5-3'"),
        ({"playable": "0-15/0-16"}, "cannot have a row '0-16'; .* within 0-15"),
        ({"playable": "0-0/0-0"}, "no shape fits on the board"),
        ({"playable": "/".join(["0-15"] * 21)}, "playable has 21 rows"),
        ({"columns": 5}, "columns cannot be 5; allowed"),
        ({"columns": 27}, "columns cannot be 27"),
        ({"clear_reward": "much"}, "clear_reward cannot be 'much'"),
    ],
)
def test_a_board_that_cannot_be_is_refused_in_one_line(options, why):
    with pytest.raises(UserError, match=why) as caught:
        load_game("triangle", options=options)
    assert "\n" not in str(caught.value)


def test_rewards_are_options():
    spec = "triangle:place_reward=1,clear_reward=10,survive_reward=100,over_reward=-7"
    rich = load_game(spec, compiled=False)
    state = position(rich, LEVEL, f"{ONE_UP} {ONE_UP} {ONE_DOWN}")
    state.apply("1l1")
    assert state.score == 1 + 90 + 100
    small = load_game(f"{spec},columns=6,playable=0-6/0-6", compiled=False)
    end = small.new(seed=1, setup=f"{ONE_UP} {BIG} {BIG}")
    end.apply("1d1")
    assert end.is_over
    assert end.score == 1 - 7
