"""What a network sees of gomoku: stones, the opening, and what is threatened.

Where `row` is 5, a row of 4 becomes one of 5 by one more stone, wherever its gap is; an
open row of 3 becomes by one more an unbroken row of 4 with both ends empty, either of
which completes it. For another `row` all is longer or shorter. Only rows that win by
the rule count. Renju's fouls are left aside here: they have a plane of their own.
"""

import numpy as np
from numpy.typing import NDArray

from ludens.game import Planes, rule
from ludens.games._gomoku_board import (
    CARO,
    CELLS,
    DOWN,
    FREESTYLE,
    HISTORY,
    MARGIN,
    RENJU,
    RIF,
    ROW,
    SIZE,
    STEP,
    THREATS,
    Board,
    see,
)
from ludens.games._gomoku_fouls import legal_black
from ludens.games._gomoku_opening import BY_CHOICE, PHASES, PLAY, colour

Stones = NDArray[np.int64]
"""[stone, row]: a bit for each column with an empty point, an own or another stone."""
BACK = [f"{k} move{'s' * (k > 1)} back" for k in range(1, HISTORY + 1)]
PLANES = (
    "own stones",
    "opponent's stones",
    "black to move",
    *(f"own stones {back}" for back in BACK),
    *(f"opponent's stones {back}" for back in BACK),
    *PHASES,
    *(("points offered",) if RIF else ()),
)
FIRST_OF_HISTORY = 3
FIRST_OF_PHASES = FIRST_OF_HISTORY + 2 * HISTORY
OFFERED = FIRST_OF_PHASES + len(PHASES)
FIRST_OF_THREATS = len(PLANES)
MADE = (
    f"row of {ROW}",
    f"row of {ROW - 1}",
    f"row of {ROW - 1} with two points to complete it",
    f"open row of {ROW - 2}",
)
WINS, FOUR, TWICE, OPEN_THREE = range(len(MADE))
FORBIDDEN = FIRST_OF_THREATS + 2 * len(MADE)
if THREATS:
    PLANES += (
        *(f"points for an own {what}" for what in MADE),
        *(f"points for an opponent's {what}" for what in MADE),
        *(("points forbidden to black",) if RENJU else ()),
    )


@rule
def observe(state: np.record, planes: Planes) -> None:
    mover = colour(state)
    own = 1 - 2 * mover
    for cell in range(CELLS):
        if state.board[cell] != 0:
            show(planes[int(state.board[cell] != own)], cell, 1)
    planes[2] = 1 - mover
    if HISTORY > 0:
        for plane in range(2 * HISTORY):
            side, back = divmod(plane, HISTORY)
            planes[FIRST_OF_HISTORY + plane] = planes[side]
            for cell in state.recent[side ^ mover, : back + 1]:
                if cell > 0:
                    show(planes[FIRST_OF_HISTORY + plane], cell - 1, 0)
    if BY_CHOICE and state.phase < PLAY:
        planes[FIRST_OF_PHASES + state.phase] = 1
    if RIF:
        for cell in state.offered:
            if cell > 0:
                show(planes[OFFERED], cell - 1, 1)
    if THREATS:
        show_threats(state.board, own, planes[FIRST_OF_THREATS:])
        show_threats(state.board, -own, planes[FIRST_OF_THREATS + len(MADE) :])
        if RENJU:
            show_fouls(state.board, planes[FORBIDDEN])


@rule
def show(plane: NDArray[np.float32], cell: int, value: int) -> None:
    plane[cell // SIZE, cell % SIZE] = value


@rule
def show_fouls(board: Board, plane: NDArray[np.float32]) -> None:
    """Show the empty points where black may not play."""
    points = np.empty(CELLS, np.int32)
    count, k = legal_black(board, points), 0
    for cell in range(CELLS):
        is_legal = k < count and points[k] == cell
        k += int(is_legal)
        show(plane, cell, int(board[cell] == 0 and not is_legal))


@rule
def show_threats(board: Board, mark: int, planes: Planes) -> None:
    """Show what a stone of one side would make on each empty point."""
    words = np.zeros((3, SIZE + 2 * MARGIN), np.int64)
    for row in range(SIZE):
        for column in range(SIZE):
            stone = mark * board[row * SIZE + column]
            words[stone, MARGIN + row] |= 1 << column
    answers = np.zeros(CELLS, np.int64)
    is_longer = FREESTYLE or (RENJU and mark < 0)
    for way in range(4):
        for row in range(SIZE - (ROW - 1) * DOWN[way]):
            one, two, three = find_rows(words, row, way, is_longer)
            cell = row * SIZE
            while one | two | three != 0:
                if one & 1 != 0:
                    show(planes[WINS], nth_empty(board, cell, way, 1), 1)
                if two & 1 != 0:
                    point = nth_empty(board, cell, way, 1)
                    other = nth_empty(board, cell, way, 2)
                    show_four(point, other, answers, planes)
                    show_four(other, point, answers, planes)
                if three & 1 != 0:  # the first of them is an end of the straight four
                    show(planes[OPEN_THREE], nth_empty(board, cell, way, 2), 1)
                    show(planes[OPEN_THREE], nth_empty(board, cell, way, 3), 1)
                one, two, three, cell = one >> 1, two >> 1, three >> 1, cell + 1


@rule
def find_rows(
    words: Stones, row: int, way: int, is_longer: bool
) -> tuple[int, int, int]:
    """Return the columns where rows begin that lack one stone, two, or three.

    These three are to leave a straight four after one of them: the row and the point
    beyond it begin and end with an empty point.
    """
    empty, own, others = words
    none, one, two, three = -1, 0, 0, 0
    for i in range(ROW):
        stones, gaps = see(own, row, way, i), see(empty, row, way, i)
        three = (three & stones) | (two & gaps)
        two = (two & stones) | (one & gaps)
        one = (one & stones) | (none & gaps)
        none &= stones
    three &= see(empty, row, way, 0) & see(empty, row, way, ROW)
    if not is_longer:
        alone = ~see(own, row, way, -1)
        three &= alone & ~see(own, row, way, ROW + 1)
        alone &= ~see(own, row, way, ROW)
        one &= alone
        two &= alone
    if CARO:
        closed = see(others, row, way, -1) & see(others, row, way, ROW)
        one &= ~closed
        two &= ~closed
    return one, two, three


@rule
def nth_empty(board: Board, cell: int, way: int, count: int) -> int:
    """Return the n-th empty point of a row."""
    while True:
        count -= int(board[cell] == 0)
        if count == 0:
            return cell
        cell += STEP[way]


@rule
def show_four(
    point: int, answer: int, answers: NDArray[np.int64], planes: Planes
) -> None:
    """Show that a stone on a point makes a four, which another point completes."""
    show(planes[FOUR], point, 1)
    if answers[point] == 0:
        answers[point] = answer + 1
    elif answers[point] != answer + 1:
        show(planes[TWICE], point, 1)
