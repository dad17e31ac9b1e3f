"""The board of connect four: its options, columns as bits, and the rows that win."""

from functools import reduce
from operator import and_, or_

import numpy as np

from ludens.game import option, require, rule

ROWS = option("rows", 6, "rows of the board", low=2, high=8)
COLUMNS = option("columns", 7, "columns of the board", low=2, high=9)
CONNECT = option("connect", 4, "discs in a row that win", low=2, high=8)
HEIGHT = ROWS + 1  # bits of a column: an empty bit above it keeps lines from wrapping
require(HEIGHT * COLUMNS <= 64, "connect_four: (rows + 1) * columns can be at most 64")
require(max(ROWS, COLUMNS) >= CONNECT, "connect_four: connect is longer than the board")

# Bit c * HEIGHT + r is the cell in column c, r rows above the bottom.
ONE = np.uint64(1)
BOTTOM = np.array([1 << c * HEIGHT for c in range(COLUMNS)], np.uint64)
COLUMN = np.array([((1 << ROWS) - 1) << c * HEIGHT for c in range(COLUMNS)], np.uint64)
BOARD = np.uint64(sum(int(column) for column in COLUMN))
DIRECTIONS = (1, HEIGHT, HEIGHT - 1, HEIGHT + 1)


@rule
def cell(row: int, column: int) -> np.uint64:
    """Return the bit of a cell, rows counted from the top."""
    return ONE << np.uint64(column * HEIGHT + ROWS - 1 - row)


@rule
def landing(occupied: np.uint64, column: int) -> np.uint64:
    """Return the bit where a disc dropped into a column comes to rest, 0 if full."""
    above: np.uint64 = (occupied & COLUMN[column]) + BOTTOM[column]
    return np.uint64(above & COLUMN[column])


@rule
def has_row(stones: np.uint64) -> bool:
    """Tell whether the stones hold a winning row."""
    for step in DIRECTIONS:
        row = stones
        for i in range(1, CONNECT):
            row &= stones >> np.uint64(step * i)
        if row != 0:
            return True
    return False


def winning(stones: int) -> int:
    """Return those of the stones that stand in winning rows."""
    found = 0
    for step in DIRECTIONS:
        shifts = [int(step) * i for i in range(CONNECT)]
        firsts = reduce(and_, (stones >> shift for shift in shifts))
        found |= reduce(or_, (firsts << shift for shift in shifts))
    return found
