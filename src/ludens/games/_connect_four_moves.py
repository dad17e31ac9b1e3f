"""Moves of connect four that the solver looks at, and what a position promises."""

import numpy as np

from ludens.game import Actions, rule
from ludens.games._connect_four_board import (
    BOARD,
    COLUMNS,
    CONNECT,
    DIRECTIONS,
    HEIGHT,
    ONE,
    ROWS,
    landing,
)

MIDDLE_FIRST = np.argsort(
    [abs(2 * c - COLUMNS + 1) for c in range(COLUMNS)], kind="stable"
)


def _windows() -> list[int]:
    """Return the cells of each row that would win, as bits."""
    found = []
    for step, (right, up) in zip(DIRECTIONS, WAYS, strict=True):
        for column in range(COLUMNS):
            for row in range(ROWS):
                last = (column + right * (CONNECT - 1), row + up * (CONNECT - 1))
                if 0 <= last[0] < COLUMNS and 0 <= last[1] < ROWS:
                    first = column * HEIGHT + row
                    found.append(sum(1 << first + step * i for i in range(CONNECT)))
    return found


WAYS = ((0, 1), (1, 0), (1, -1), (1, 1))  # columns and rows that each direction goes
WINDOWS = np.array(_windows(), np.uint64)


@rule
def candidates(state: np.record, actions: Actions) -> int:
    """Write a win, else a forced block, else what does not lose at once, best first."""
    own, other = state.stones[state.to_play], state.stones[1 - state.to_play]
    occupied = own | other
    wins, dangers = completing(own), completing(other)
    forced, losing, count = -1, -1, 0
    for column in MIDDLE_FIRST:
        bit = landing(occupied, column)
        if bit & wins:
            actions[0] = column
            return 1
        if bit & dangers:
            forced = column
        elif (bit << ONE) & dangers:
            losing = column
        elif bit != 0:
            threats = num_bits(completing(own | bit) & ~occupied)
            place(actions, count, threats * COLUMNS + column)
            count += 1
    if forced >= 0 or count == 0:
        actions[0] = forced if forced >= 0 else losing
        return 1
    for i in range(count):
        actions[i] %= COLUMNS
    return count


@rule
def completing(stones: np.uint64) -> np.uint64:
    """Return the cells, taken or not, whose disc would complete a row of the stones."""
    cells = np.uint64(0)
    for step in DIRECTIONS:
        for hole in range(CONNECT):
            row = BOARD
            for i in range(CONNECT):
                if i > hole:
                    row &= stones >> np.uint64(step * (i - hole))
                elif i < hole:
                    row &= stones << np.uint64(step * (hole - i))
            cells |= row
    return cells


@rule
def num_bits(word: np.uint64) -> int:
    count = 0
    while word != 0:
        word &= word - ONE
        count += 1
    return count


@rule
def place(keys: Actions, count: int, key: int) -> None:
    """Insert a key (threats * COLUMNS + column) behind those with as many threats."""
    i = count
    while i > 0 and keys[i - 1] // COLUMNS < key // COLUMNS:
        keys[i] = keys[i - 1]
        i -= 1
    keys[i] = key


@rule
def heuristic(state: np.record) -> float:
    """Count the rows that each side can still fill, by the square of what they have."""
    own, other = state.stones[state.to_play], state.stones[1 - state.to_play]
    lead = 0
    for window in WINDOWS:
        if window & other == 0:
            lead += num_bits(window & own) ** 2
        elif window & own == 0:
            lead -= num_bits(window & other) ** 2
    return lead / (40 + abs(lead))
