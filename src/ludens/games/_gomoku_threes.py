"""Gomoku's open threes: the moves that make one, and the answers to one.

An open three becomes a straight four by one more stone: an unbroken row with an empty
point at each end, either of which then wins. In caro, where ends may be closed, and of
black in renju, where a stone elsewhere may make such a point a foul, nothing is known.
"""

import numpy as np
from numpy.typing import NDArray

from ludens.game import Actions, rule
from ludens.games._gomoku_board import (
    CARO,
    CELLS,
    DOWN,
    RENJU,
    RIGHT,
    ROW,
    SIZE,
    STEP,
    Board,
    wins,
)
from ludens.games._gomoku_fours import (
    HALF,
    LOWER,
    Words,
    fours,
    gap,
    look,
    read,
)
from ludens.games._gomoku_moves import candidates, keep_legal
from ludens.games._gomoku_opening import colour, is_opening

Hits = NDArray[np.int8]
"""[CELLS]: how many open threes a stone on each point would stop."""
BEGINS = np.array(
    [
        sum((1 << HALF | 1) << c for c in range(SIZE) if 0 <= c + x * ROW < SIZE)
        for x in RIGHT[:4]
    ]
)
"""[way]: the columns where a window has room for a row and one point more."""
LAST = np.maximum(SIZE - DOWN[:4] * ROW, 0)
"""[way]: the rows above this one have room below them."""


@rule
def is_unknown(mark: int) -> bool:
    """Tell whether nothing is known of the open threes of a side."""
    return CARO or (RENJU and mark > 0)


@rule
def pressing(state: np.record, actions: Actions) -> int:
    mark = 1 - 2 * colour(state)
    if is_opening(state) or is_unknown(mark):
        return 0
    board = state.board
    words = read(board, mark)
    win, threat, _ = look(board, mark, words)
    if win >= 0:
        return 0
    is_known = np.zeros(CELLS, np.bool_)
    for i in range(fours(board, mark, words, actions)):
        is_known[actions[i]] = True
    if threat >= 0:
        count = keep_open(board, mark, threat, is_known, actions)
        return keep_legal(state, count, actions)
    stops = np.zeros(CELLS, np.int8)
    others = 0 if is_unknown(-mark) else open_threes(board, -mark, words, HALF, stops)
    count = 0
    for way in range(4):
        for row in range(LAST[way]):
            begins = open_rows(words, way, row)[1] & LOWER
            for column in range(SIZE):
                if begins >> column & 1:
                    first = row * SIZE + column
                    one = gap(board, first + STEP[way], way, 0)
                    other = gap(board, first + STEP[way], way, 1)
                    board[one] = mark
                    is_open = becomes_straight(board, mark, first, way, other)
                    board[one] = 0
                    for cell in (one, other):
                        if is_open and not is_known[cell] and stops[cell] == others:
                            is_known[cell] = True
                            actions[count] = cell
                            count += 1
    return keep_legal(state, count, actions)


@rule
def keep_open(
    board: Board, mark: int, threat: int, is_known: NDArray[np.bool_], actions: Actions
) -> int:
    """Write the point that stops a five, if the side then has an open three."""
    if is_known[threat]:
        return 0
    actions[0] = threat
    board[threat] = mark
    hits = np.zeros(CELLS, np.int8)
    num_threes = open_threes(board, mark, read(board, mark), 0, hits)
    board[threat] = 0
    return min(1, num_threes)


@rule
def answers(state: np.record, actions: Actions) -> int:
    mark = 1 - 2 * colour(state)
    if is_unknown(-mark):
        return candidates(state, actions)
    board = state.board
    words = read(board, mark)
    win, threat, has_three = look(board, mark, words)
    if win >= 0 or threat >= 0:
        return candidates(state, actions)
    hits = np.zeros(CELLS, np.int8)
    num_threes = open_threes(board, -mark, words, HALF, hits)
    if num_threes == 0:
        return candidates(state, actions)
    count = fours(board, mark, words, actions) if has_three else 0
    for i in range(count):
        hits[actions[i]] = 0
    for cell in range(CELLS):
        actions[count] = cell
        count += int(hits[cell] == num_threes)
    count = keep_legal(state, count, actions)
    return count if count > 0 else min(1, candidates(state, actions))


@rule
def open_threes(board: Board, mark: int, words: Words, shift: int, hits: Hits) -> int:
    """Return how many open threes a side has, and add what would stop each.

    The side is the one whose bits are `shift` bits up. A three that is open in two ways
    counts twice.
    """
    count = 0
    for way in range(4):
        for row in range(LAST[way]):
            begins = (open_rows(words, way, row)[0] >> shift) & LOWER
            for column in range(SIZE):
                if begins >> column & 1:
                    first = row * SIZE + column
                    point = gap(board, first + STEP[way], way, 0)
                    if becomes_straight(board, mark, first, way, point):
                        count += 1
                        hits[first] += 1
                        hits[point] += 1
                        hits[first + ROW * STEP[way]] += 1
    return count


@rule
def open_rows(words: Words, way: int, row: int) -> tuple[int, int]:
    """Return where windows begin that lack one stone for a straight four, or two.

    Their ends are empty, for each side.
    """
    none, one, two, unbarred = BEGINS[way], 0, 0, BEGINS[way]
    for i in range(ROW + 1):
        stones, others = words[row + i * DOWN[way], 0], words[row + i * DOWN[way], 1]
        if RIGHT[way] < 0:
            stones, others = stones << i, others << i
        else:
            stones, others = stones >> i * RIGHT[way], others >> i * RIGHT[way]
        unbarred &= others
        if i in (0, ROW):
            unbarred &= ~stones
        else:
            two = (two & stones) | (one & ~stones)
            one = (one & stones) | (none & ~stones)
            none &= stones
    return int(one & unbarred), int(two & unbarred)


@rule
def becomes_straight(board: Board, mark: int, first: int, way: int, point: int) -> bool:
    """Tell whether a stone makes a straight four: both ends of the window then win."""
    board[point] = mark
    is_straight = wins(board, first, mark) and wins(
        board, first + ROW * STEP[way], mark
    )
    board[point] = 0
    return bool(is_straight)
