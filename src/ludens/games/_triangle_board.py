"""The board of triangle: options, placements and lines as bits, and what is cleared.

Only playable cells are numbered: cell k is bit k % 64 of word k // 64.
"""

from pathlib import Path

import numpy as np

from ludens.game import option, require, rule
from ludens.games._triangles import (
    bits_of,
    find_lines,
    find_placements,
    read_board,
    read_polyforms,
)

COLUMNS = option("columns", 15, "columns of the board", low=6, high=26)
PLAYABLE = option(
    "playable",
    "3-12/2-13/1-14/0-15/0-15/1-14/2-13/3-12",
    "the playable columns of each row, as first-end without the end",
)
NUM_SLOTS = option("slots", 3, "shapes in hand", low=1, high=5)
MIN_LINE = option("min_line", 2, "cells of the shortest line", low=2, high=50)
PLACE_REWARD = option("place_reward", 0.01, "reward for each triangle placed")
CLEAR_REWARD = option("clear_reward", 0.5, "reward for each triangle cleared")
SURVIVE_REWARD = option(
    "survive_reward",
    0.005,
    "reward for a move after which the game goes on",
)
OVER_REWARD = option(
    "over_reward", 0.0, "reward for a move after which the game is over"
)
LINE_FEATURES = option(
    "line_features",
    True,
    "the observation counts lines and placements",
    only_observed=True,
)

CELLS = read_board(PLAYABLE, COLUMNS)
NUMBER = {cell: number for number, cell in enumerate(CELLS)}
SHAPES = read_polyforms(Path(__file__).parent / "data" / "triangle_shapes.json")
NUM_SHAPES = len(SHAPES)
# A shape spans two rows, so fewer than 64 cells, and lies in two adjacent words.
NUM_WORDS = max(2, -(-len(CELLS) // 64))
SHAPE = (PLAYABLE.count("/") + 1, COLUMNS)
AREA = SHAPE[0] * SHAPE[1]
SLOPES = {"level": 0, "falling": 1, "rising": -1}

WEIGHT = np.array([shape.weight for shape in SHAPES])
TOTAL_WEIGHT = int(WEIGHT.sum())
PROBABILITY = WEIGHT / TOTAL_WEIGHT
SIZE = np.array([0, *(len(shape.cells) for shape in SHAPES)])
BY_SHAPE = [find_placements(shape, CELLS) for shape in SHAPES]
PLACED = [[NUMBER[cell] for cell in cells] for many in BY_SHAPE for cells in many]
require(len(PLACED) > 0, "no shape fits on the board; make more cells playable")
# The placements of slot value v are FIRST[v] to FIRST[v + 1]. Unsigned indices:
# compiled loops then need not look out for negative ones.
FIRST = np.cumsum([0, 0, *map(len, BY_SHAPE)], dtype=np.uint64)
WORD = np.array([min(cells[0] // 64, NUM_WORDS - 2) for cells in PLACED], np.uint64)
MASK = np.array(
    [bits_of(cells, int(word), 2) for cells, word in zip(PLACED, WORD, strict=True)],
    np.uint64,
)
ROW, COLUMN = np.ascontiguousarray(np.array(CELLS).T)
ANCHOR = np.array([ROW[cells[0]] * COLUMNS + COLUMN[cells[0]] for cells in PLACED])
VALUE = np.repeat(np.arange(1, NUM_SHAPES + 1), [len(many) for many in BY_SHAPE])
PLACEMENT = np.full((NUM_SHAPES + 1, AREA), -1)
PLACEMENT[VALUE, ANCHOR] = np.arange(len(PLACED))

BY_SLOPE = [find_lines(CELLS, slope, MIN_LINE) for slope in SLOPES.values()]
LINES = [{NUMBER[cell] for cell in line} for lines in BY_SLOPE for line in lines]
LINE = np.array([bits_of(line, 0, NUM_WORDS) for line in LINES], np.uint64)
LINE = LINE.reshape(len(LINES), NUM_WORDS)
TOUCHED = [[n for n, line in enumerate(LINES) if line & {*cells}] for cells in PLACED]
MOST_TOUCHED = max(map(len, TOUCHED))
TOUCHES = np.full((len(PLACED), MOST_TOUCHED), -1)
for touches, lines in zip(TOUCHES, TOUCHED, strict=True):
    touches[: len(lines)] = lines


@rule
def is_free(state: np.record, placement: int) -> bool:
    word = WORD[placement]
    low = state.occupied[word] & MASK[placement, 0]
    high = state.occupied[word + np.uint64(1)] & MASK[placement, 1]
    return bool(low | high == 0)


@rule
def fits(state: np.record, value: int) -> bool:
    for placement in range(FIRST[value], FIRST[value + 1]):
        if is_free(state, placement):
            return True
    return False


@rule
def place(state: np.record, placement: int) -> int:
    """Fill the cells of a placement; return how many the lines it completes free."""
    word = WORD[placement]
    state.occupied[word] |= MASK[placement, 0]
    state.occupied[word + np.uint64(1)] |= MASK[placement, 1]
    return clear_lines(state, placement)


@rule
def clear_lines(state: np.record, placement: int) -> int:
    """Clear the lines a placement has completed; return how many cells that frees."""
    complete = 0
    for i in range(MOST_TOUCHED):
        line = TOUCHES[placement, i]
        if line >= 0 and is_complete(state, line):
            complete |= 1 << i
    cleared = 0
    for word in range(NUM_WORDS if complete else 0):
        cells = np.uint64(0)
        for i in range(MOST_TOUCHED):
            if complete >> i & 1:
                cells |= LINE[TOUCHES[placement, i], word]
        state.occupied[word] &= ~cells
        cleared += count_cells(cells)
    return cleared


@rule
def is_complete(state: np.record, line: int) -> bool:
    for word in range(NUM_WORDS):
        if LINE[line, word] & ~state.occupied[word] != 0:
            return False
    return True


@rule
def is_filled(state: np.record, number: int) -> bool:
    bit = np.uint64(1) << np.uint64(number & 63)
    return bool(state.occupied[number >> 6] & bit != 0)


@rule
def count_cells(cells: np.uint64) -> int:
    count = 0
    while cells != 0:
        cells &= cells - np.uint64(1)
        count += 1
    return count
