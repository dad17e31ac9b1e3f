"""Where the shapes of triangle fit, and after a placement still would."""

import numpy as np
from numpy.typing import NDArray

from ludens.game import rule
from ludens.games._triangle_board import (
    BY_SHAPE,
    CELLS,
    FIRST,
    LINE,
    LINES,
    MOST_TOUCHED,
    NUM_SHAPES,
    NUM_SLOTS,
    NUM_WORDS,
    PLACED,
    ROW,
    SIZE,
    TOTAL_WEIGHT,
    TOUCHED,
    TOUCHES,
    WEIGHT,
    count_cells,
    is_free,
    place,
)

Counts = NDArray[np.int64]
Words = NDArray[np.uint64]

LENGTH = np.array([len(line) for line in LINES])
# How many cells of each line that it touches a placement fills.
COVERS = np.zeros_like(TOUCHES)
for covers, lines, cells in zip(COVERS, TOUCHED, PLACED, strict=True):
    covers[: len(lines)] = [len(LINES[n] & {*cells}) for n in lines]
# The placements of a shape are bits, in words of its own: number k is bit k % 64.
NUM_BITS = 64 * -(-max(map(len, BY_SHAPE)) // 64)
BIT = np.concatenate([v * NUM_BITS + np.arange(len(m)) for v, m in enumerate(BY_SHAPE)])
PER_SHAPE = NUM_BITS // 64
FILLED_BY = np.zeros((len(CELLS), NUM_SHAPES * NUM_BITS), np.bool_)  # [cell, bit]
for bit, cells in zip(BIT, PLACED, strict=True):
    FILLED_BY[cells, bit] = True
ON_CELL = np.packbits(FILLED_BY, axis=1, bitorder="little").view(np.uint64)
FILLS = np.zeros((len(PLACED), SIZE.max()), np.uint64)  # [placement, number]: a cell
for fills, cells in zip(FILLS, PLACED, strict=True):
    fills[: len(cells)] = cells


@rule
def find_free(state: np.record, free: Words) -> None:
    """Write the free placements of each shape as bits."""
    for word in range(len(free)):
        shape, part = divmod(word, PER_SHAPE)
        bits, first = np.uint64(0), FIRST[shape + 1] + np.uint64(64 * part)
        last = min(first + np.uint64(64), FIRST[shape + 2])
        for placement in range(first, last):
            bit = np.uint64(placement - first)
            bits |= np.uint64(is_free(state, placement)) << bit
        free[word] = bits


@rule
def find_free_after(state: np.record, placement: int, left: Words) -> None:
    """Write what is free after a placement that clears lines."""
    kept = state.occupied.copy()
    place(state, placement)
    find_free(state, left)
    state.occupied[:] = kept


@rule
def keep_free(free: Words, placement: int, value: int, left: Words) -> None:
    """Write what stays free after a placement that clears nothing."""
    left[:] = free
    for i in range(SIZE[value]):
        for word in range(len(free)):
            left[word] &= ~ON_CELL[FILLS[placement, i], word]


@rule
def count_places(free: Words, places: Counts) -> None:
    """Count the free placements of each shape."""
    for shape in range(NUM_SHAPES):
        places[shape] = 0
        for part in range(PER_SHAPE):
            places[shape] += count_cells(free[shape * PER_SHAPE + part])


@rule
def chance_to_fit(places: Counts) -> float:
    """Return how likely it is that a shape not drawn yet fits."""
    weight = 0
    for shape in range(NUM_SHAPES):
        weight += WEIGHT[shape] * int(places[shape] > 0)
    return weight / TOTAL_WEIGHT


@rule
def expected_places(places: Counts) -> float:
    """Return the expected placements of a shape not yet drawn, as a share of cells."""
    expected = 0
    for shape in range(NUM_SHAPES):
        expected += WEIGHT[shape] * places[shape]
    return expected / (TOTAL_WEIGHT * len(ROW))


@rule
def room_for_others(state: np.record, slot: int, places: Counts) -> float:
    """Return n / (n + 1) for the fewest placements n of a shape in another slot."""
    room = 1.0
    for other in range(NUM_SLOTS):
        if other != slot and state.slots[other] != 0:
            count = places[state.slots[other] - 1]
            room = min(room, count / (count + 1))
    return room


@rule
def find_empty(state: np.record, empty: Counts) -> None:
    """Count the empty cells of each line."""
    for line in range(len(LENGTH)):
        for word in range(NUM_WORDS):
            empty[line] += count_cells(LINE[line, word] & ~state.occupied[word])


@rule
def num_cleared(empty: Counts, placement: int) -> int:
    """Return the cells in lines that a free placement completes, each by itself."""
    cleared = 0
    for i in range(MOST_TOUCHED):
        line = TOUCHES[placement, i]
        if line >= 0 and empty[line] == COVERS[placement, i]:
            cleared += LENGTH[line]
    return cleared
