"""What gomoku shows of threats: positions worked by hand, and a slow second opinion."""

import random
from collections.abc import Iterator

import numpy as np
import pytest

from ludens import load_game
from ludens.state import State

Point = tuple[int, int]
Board = dict[Point, int]
Found = dict[str, set[Point]]
WAYS = ((0, 1), (1, 0), (1, 1), (1, -1))
MARKS = {"X": 1, "O": -1, ".": 0}
PLANES = ("row", "four", "twice", "three")
"""The planes of a side, in their order."""


def position(text: str, options: str = "", to_play: int = 0) -> State:
    """Return the state drawn as text, X for black."""
    rows = [line.split() for line in text.strip().splitlines()]
    spec = f"gomoku:size={len(rows)}{options and ','}{options}"
    state = load_game(spec, compiled=False).new()
    state.raw.board[:] = [MARKS[mark] for row in rows for mark in row]
    state.raw.ply = np.count_nonzero(state.raw.board)
    state.raw.to_play = to_play
    return state


def seen(state: State, opponent: bool = False) -> Found:
    """Return the points of each plane of threats of a side."""
    planes = state.observe()[3 + 4 * opponent : 7 + 4 * opponent]
    points = [{(int(r), int(c)) for r, c in np.argwhere(plane)} for plane in planes]
    return dict(zip(PLANES, points, strict=True))


def named(state: State, opponent: bool = False) -> dict[str, str]:
    """Return the names of the points of each plane that is not empty."""
    size = state.game.plain.SHAPE[0]
    names = {
        plane: " ".join(state.action_name(r * size + c) for r, c in sorted(points))
        for plane, points in seen(state, opponent).items()
    }
    return {plane: text for plane, text in names.items() if text}


FOURS = """
    . . . . . . . . .
    . . . . . . . . .
    . . O X X . X . .
    . . . . . . . . .
    . . . . . . . . .
    . . . . . . . X .
    . O O . . . . X .
    . . . . . . . X .
    . . . . . . . . .
"""


def test_a_broken_three_makes_fours_and_an_open_three_two_points() -> None:
    state = position(FOURS)
    found = named(state)
    assert found["four"] == "f3 h3 h4 h5 h9"
    assert found["twice"] == "h5"
    assert "row" not in found
    assert named(position(FOURS, to_play=1), opponent=True) == found


TWO_FOURS = """
    O . . . . . . . .
    . X . . . . . . .
    . . X . . . . . .
    . . . X . . . . .
    . O X X . . X . .
    . . . . . . . . .
    . . . . . . . . .
    . . . . . . . . .
    . . . . . . . . .
"""


def test_fours_on_two_lines_are_completed_at_two_points() -> None:
    found = named(position(TWO_FOURS))
    assert (found["four"], found["twice"]) == ("e5 f5 f6", "e5")


SIX = """
    . . . . . . . . .
    . . . . . . . . .
    . X X . X X X . .
    . . . . . . . . .
    . O O O O . . . .
    X . . . . . . . .
    . . . . . . . . .
    . . . . . . . . .
    . . . . . . . . .
"""


@pytest.mark.parametrize(
    ("rule", "black", "white"),
    [
        ("freestyle", "d3", "a5 f5"),
        ("standard", "", "a5 f5"),
        ("renju", "", "a5 f5"),
        ("caro", "", "a5 f5"),
    ],
)
def test_only_rows_that_win_by_the_rule_are_shown(
    rule: str, black: str, white: str
) -> None:
    state = position(SIX, f"rule={rule}")
    assert named(state).get("row", "") == black
    assert named(state, opponent=True)["row"] == white


def test_caro_shows_no_row_between_two_stones_of_the_other_side() -> None:
    text = SIX.replace(". O O O O .", "X O O O O .").replace("O . . . .", "O . X . .")
    assert named(position(text, "rule=standard"), opponent=True)["row"] == "f5"
    assert "row" not in named(position(text, "rule=caro"), opponent=True)


TWOS = """
    . . . . . . . . .
    . . . . . . . . .
    . . . X X . . . .
    . . . . . . . . .
    . . . . . . . . .
    . . . . . . . . .
    O . O . O . . . .
    . . . . . . . . .
    X X . . . . . . .
"""


def test_an_open_three_needs_empty_points_around_its_four() -> None:
    state = position(TWOS)
    assert named(state) == {"three": "b3 c3 f3 g3"}
    assert named(state, opponent=True) == {"four": "b7 d7", "three": "d7 f7"}


def test_for_another_row_all_is_as_much_longer_or_shorter() -> None:
    text = """
        . . . . . .
        . . X . . .
        . . . . . .
        . O O . O .
        . . . . . .
        . . . . . .
    """
    state = position(text, "row=4")
    assert named(state, opponent=True)["row"] == "d4"
    assert {"b2", "d2"} <= set(named(state)["three"].split())
    assert "four" not in named(state)


# A slow reading of what the planes say: put the stones, look whether a row wins.


def rows_through(
    board: Board, points: tuple[Point, ...], mark: int, length: int
) -> Iterator[tuple[int, int]]:
    """Yield what is beyond both ends of each such row with all these points."""
    r, c = points[0]
    for down, right in WAYS:
        for back in range(length):
            steps = range(-1 - back, length + 1 - back)
            cells = [(r + i * down, c + i * right) for i in steps]
            row = cells[1:-1]
            if set(points) <= set(row) and all(board.get(p) == mark for p in row):
                yield board.get(cells[0], 2), board.get(cells[-1], 2)


def is_won(
    board: Board, points: tuple[Point, ...], mark: int, rule: str, length: int
) -> bool:
    exact = rule in ("standard", "caro") or (rule == "renju" and mark == 1)
    for ends in rows_through(board, points, mark, length):
        is_longer, is_closed = mark in ends, ends == (-mark, -mark)
        if not (exact and is_longer) and not (rule == "caro" and is_closed):
            return True
    return False


def read_slowly(board: Board, mark: int, rule: str, length: int) -> Found:
    found: Found = {plane: set() for plane in PLANES}
    empty = [point for point in board if board[point] == 0]
    for first in empty:
        after = board | {first: mark}
        if is_won(after, (first,), mark, rule, length):
            found["row"].add(first)
        answers = 0
        for second in empty:
            if second != first and on_line(first, second, length):
                both, pair = after | {second: mark}, (first, second)
                answers += is_won(both, pair, mark, rule, length)
                if is_straight(both, pair, mark, rule, length):
                    found["three"].add(first)
        if answers > 0:
            found["four"].add(first)
        if answers > 1:
            found["twice"].add(first)
    return found


def on_line(first: Point, second: Point, length: int) -> bool:
    down, right = abs(first[0] - second[0]), abs(first[1] - second[1])
    return (down in (0, right) or right == 0) and max(down, right) < length


def is_straight(
    board: Board, pair: tuple[Point, ...], mark: int, rule: str, length: int
) -> bool:
    """Tell whether two stones are in a row one short, which wins at both its ends."""
    (r, c), (r2, c2) = sorted(pair)
    distance = max(abs(r2 - r), abs(c2 - c))
    down, right = (r2 - r) // distance, (c2 - c) // distance
    for back in range(length - 1 - distance):
        start = -back
        row = [(r + i * down, c + i * right) for i in range(start, start + length - 1)]
        ends = [(r + i * down, c + i * right) for i in (start - 1, start + length - 1)]
        if all(board.get(p) == mark for p in row) and all(
            board.get(end) == 0
            and is_won(board | {end: mark}, (*row, end), mark, rule, length)
            for end in ends
        ):
            return True
    return False


@pytest.mark.parametrize(
    "spec",
    [
        *(f"size=7,rule={rule}" for rule in ("freestyle", "standard", "renju")),
        "size=9,rule=caro",
        "size=7,row=3",
        "size=7,row=4,rule=standard",
        "size=8,row=6",
    ],
)
def test_a_slow_reading_finds_the_same_threats(spec: str) -> None:
    game = load_game(f"gomoku:{spec}", compiled=False)
    size, length = int(game.options["size"]), int(game.options["row"])
    rng = random.Random(spec)
    num_shown = dict.fromkeys(PLANES, 0)
    for share in (0.2, 0.3, 0.5):
        state = game.new()
        weights = (2 * share, share, 3 - 3 * share)
        marks = rng.choices((1, -1, 0), weights, k=size * size)
        state.raw.board[:] = marks
        state.raw.to_play = rng.randrange(2)
        board = {divmod(cell, size): mark for cell, mark in enumerate(marks)}
        for opponent in (False, True):
            mark = 1 if state.raw.to_play == opponent else -1
            slow = read_slowly(board, mark, str(game.options["rule"]), length)
            assert seen(state, opponent) == slow, state
            for plane in PLANES:
                num_shown[plane] += len(slow[plane])
    assert num_shown["four"] > 0 < num_shown["three"]


def test_renju_shows_what_is_forbidden_whoever_moves() -> None:
    text = """
        . . . . . . . .
        . . . X . . . .
        . . . X . . . .
        . X X . . . O .
        . . . . . O . .
        . . . . . . . .
        . . . . . . . .
        X X X . X X . .
    """
    for to_play in range(2):
        state = position(text, "rule=renju", to_play)
        cells = np.flatnonzero(state.observe()[-1])
        assert [state.action_name(int(cell)) for cell in cells] == ["d4", "d8"]


def test_threats_can_be_left_out() -> None:
    state = load_game("gomoku:size=7,rule=renju,threats=false", compiled=False).new()
    assert state.observe().shape == (3, 7, 7)
