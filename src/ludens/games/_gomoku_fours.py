"""Gomoku's rows that lack a stone or two: the points that win, the moves that force.

Windows of as many points as a row has are looked at, all that begin in one row of the
board at a time. A word has a bit for each column: those of the side to move in its
lower half, those of the other side in its upper half.
"""

import numpy as np
from numpy.typing import NDArray

from ludens.game import Actions, rule
from ludens.games._gomoku_board import (
    CARO,
    DOWN,
    RIGHT,
    ROW,
    SIZE,
    STEP,
    Board,
    point_at,
    run,
    wins,
)
from ludens.games._gomoku_fouls import is_legal
from ludens.games._gomoku_opening import colour, is_opening

Words = NDArray[np.int64]
HALF = 32
LOWER = (1 << HALF) - 1
# The bits of a stone of the other side, of nothing, of a stone of this side.
STONES = np.array([1 << HALF, 0, 1])
UNBARRED = np.array([1 << HALF, 1 << HALF | 1, 1])
BEGINS = np.array(
    [
        sum((1 << HALF | 1) << c for c in range(SIZE) if 0 <= c + x * (ROW - 1) < SIZE)
        for x in RIGHT[:4]
    ]
)
"""[way]: the columns where a window has room for all its points."""
LAST = SIZE - DOWN[:4] * (ROW - 1)
"""[way]: the rows above this one have room below them."""


@rule
def forcing(state: np.record, actions: Actions) -> int:
    if is_opening(state):
        return 0
    board, mark = state.board, 1 - 2 * colour(state)
    words = read(board, mark)
    win, threat, has_three = look(board, mark, words)
    if win >= 0:
        actions[0] = win
        return 1
    if not has_three:
        return 0
    count, kept = fours(board, mark, words, actions), 0
    for i in range(count):
        cell = actions[i]
        actions[kept] = cell
        is_safe = threat < 0 or stops(board, cell, mark)
        kept += int(is_safe and is_legal(state, cell))
    return kept


@rule
def read(board: Board, mark: int) -> Words:
    """Return the words of each row of the board: its stones, and what is not barred."""
    words = np.empty((SIZE, 2), np.int64)
    for row in range(SIZE):
        stones, unbarred = 0, 0
        for cell in range((row + 1) * SIZE - 1, row * SIZE - 1, -1):
            stone = 1 + mark * board[cell]
            stones = stones << 1 | STONES[stone]
            unbarred = unbarred << 1 | UNBARRED[stone]
        words[row, 0], words[row, 1] = stones, unbarred
    return words


@rule
def lacking(words: Words, way: int, row: int) -> tuple[int, int]:
    """Return where windows begin that lack one stone, and where two, for each side."""
    none, one, two, unbarred = BEGINS[way], 0, 0, BEGINS[way]
    for i in range(ROW):
        stones, others = words[row + i * DOWN[way], 0], words[row + i * DOWN[way], 1]
        if RIGHT[way] < 0:
            stones, others = stones << i, others << i
        else:
            stones, others = stones >> i * RIGHT[way], others >> i * RIGHT[way]
        two = (two & stones) | (one & ~stones)
        one = (one & stones) | (none & ~stones)
        none &= stones
        unbarred &= others
    return int(one & unbarred), int(two & unbarred)


@rule
def look(board: Board, mark: int, words: Words) -> tuple[int, int, bool]:
    """Return a point that wins for each side, -1: none, and if a four may be made."""
    win, threat, has_three = -1, -1, False
    for way in range(4):
        for row in range(LAST[way]):
            one, two = lacking(words, way, row)
            has_three |= two & LOWER != 0
            if one & LOWER != 0 and win < 0:
                win = first_five(board, mark, one, way, row)
            if one >> HALF != 0 and threat < 0:
                threat = first_five(board, -mark, one >> HALF, way, row)
    return win, threat, has_three


@rule
def first_five(board: Board, mark: int, begins: int, way: int, row: int) -> int:
    """Return the first point that wins in windows that lack one stone, -1: none."""
    for column in range(SIZE):
        if begins >> column & 1:
            point = gap(board, row * SIZE + column, way, 0)
            if wins(board, point, mark):
                return point
    return -1


@rule
def gap(board: Board, cell: int, way: int, skipped: int) -> int:
    """Return an empty point of a window, after some others."""
    while board[cell] != 0 or skipped > 0:
        skipped -= int(board[cell] == 0)
        cell += STEP[way]
    return int(cell)


@rule
def fours(board: Board, mark: int, words: Words, actions: Actions) -> int:
    """Write the points that make a four, each once, fouls left aside; return how many.

    A four is a row that one more stone makes win.
    """
    count = 0
    for way in range(4):
        for row in range(LAST[way]):
            begins = lacking(words, way, row)[1] & LOWER
            for column in range(SIZE):
                if begins >> column & 1:
                    one = gap(board, row * SIZE + column, way, 0)
                    other = gap(board, row * SIZE + column, way, 1)
                    count = add_four(board, mark, one, other, actions, count)
                    count = add_four(board, mark, other, one, actions, count)
    return count


@rule
def add_four(
    board: Board, mark: int, cell: int, five: int, actions: Actions, count: int
) -> int:
    """Add a point if a second one then wins and it is not there yet."""
    for i in range(count):
        if actions[i] == cell:
            return count
    board[cell] = mark
    actions[count] = cell
    count += int(wins(board, five, mark))
    board[cell] = 0
    return count


@rule
def stops(board: Board, cell: int, mark: int) -> bool:
    """Tell whether a stone leaves the other side no point that wins."""
    board[cell] = mark
    threat = look(board, mark, read(board, mark))[1]
    board[cell] = 0
    return threat < 0


@rule
def parries(board: Board, threat: int, mark: int, actions: Actions) -> int:
    """Write what may stop a five at a point; return how many.

    That is the point itself, and in caro an end of the row if the other is closed.
    """
    actions[0] = threat
    count = 1
    if CARO:
        for way in range(4):
            ahead = run(board, threat, way, 0, -mark) + 1
            behind = run(board, threat, way + 4, 0, -mark) + 1
            end = point_at(board, threat, way, ahead)
            other = point_at(board, threat, way + 4, behind)
            if ahead + behind == ROW + 1 and end + other == mark:
                step = -behind if other == 0 else ahead
                actions[count] = threat + step * STEP[way]
                count += 1
    return count
