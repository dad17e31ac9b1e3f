"""What a network sees of triangle."""

import numpy as np

from ludens.game import Planes, rule
from ludens.games._triangle_board import (
    ANCHOR,
    BY_SLOPE,
    CELLS,
    COLUMN,
    COLUMNS,
    FIRST,
    LINE_FEATURES,
    LINES,
    NUM_SHAPES,
    NUM_SLOTS,
    ROW,
    SHAPE,
    SHAPES,
    SLOPES,
    WEIGHT,
    is_filled,
    is_free,
)
from ludens.games._triangle_places import (
    LENGTH,
    ON_CELL,
    Counts,
    Words,
    chance_to_fit,
    count_places,
    expected_places,
    find_empty,
    find_free,
    find_free_after,
    keep_free,
    num_cleared,
    room_for_others,
)

SLOTS = tuple(range(1, NUM_SLOTS + 1))
OFFSETS = sorted({cell for shape in SHAPES for cell in shape.cells})
"""Where, as seen from its anchor, a shape may have a triangle."""
PLANES = (
    "occupied",
    "death",
    "points up",
    "slots left",
    *(
        f"shape of slot {slot}: {what}"
        for slot in SLOTS
        for what in ("points up", *(f"has {row}, {col}" for row, col in OFFSETS))
    ),
)
FIRST_OF_SHAPES = 4
FIRST_OF_LINES = len(PLANES)
FIRST_OF_SLOPES = FIRST_OF_LINES + 6 * NUM_SLOTS  # after six planes for each slot
if LINE_FEATURES:
    PLANES += (
        *(f"shape of slot {slot} fits" for slot in SLOTS),
        *(f"cells cleared by slot {slot}" for slot in SLOTS),
        *(f"places left for slot {slot}" for slot in SLOTS),
        *(f"chance that the next shape fits after slot {slot}" for slot in SLOTS),
        *(f"places for the next shape after slot {slot}" for slot in SLOTS),
        *(f"places for the other slots after slot {slot}" for slot in SLOTS),
        *(f"share filled of the {slope} line" for slope in SLOPES),
        *(f"nearness of the end of the {slope} line" for slope in SLOPES),
        "chance that the next shape fits",
        "places for the next shape",
    )
UP = (np.indices(SHAPE).sum(0) % 2).astype(np.float32)
DEATH = np.ones(SHAPE, np.float32)
DEATH[ROW, COLUMN] = 0
CODE = np.zeros((NUM_SHAPES + 1, 1 + len(OFFSETS)), np.float32)
"""What the observation tells of a slot's shape, everywhere on the board."""
for code, shape in zip(CODE[1:], SHAPES, strict=True):
    code[0] = shape.anchor_up
    code[1:] = [cell in shape.cells for cell in OFFSETS]
SLOPE = np.repeat(np.arange(3), [len(lines) for lines in BY_SLOPE])
ON_LINE = np.full((len(CELLS), 3), -1)  # [cell, slope]: the line, if any
for n, line in enumerate(LINES):
    ON_LINE[list(line), SLOPE[n]] = n


@rule
def observe(state: np.record, planes: Planes) -> None:
    targets(state, planes)
    planes[1] = DEATH
    planes[2] = UP
    for slot in range(NUM_SLOTS):
        value = state.slots[slot]
        planes[3] += np.float32(int(value != 0) / NUM_SLOTS)
        for i in range(CODE.shape[1]):
            planes[FIRST_OF_SHAPES + slot * CODE.shape[1] + i] = CODE[value, i]
    if LINE_FEATURES:
        free, empty = np.zeros_like(ON_CELL[0]), np.zeros_like(LENGTH)
        find_free(state, free)
        find_empty(state, empty)
        for slot in range(NUM_SLOTS):
            if state.slots[slot] != 0:
                of_slot = planes[FIRST_OF_LINES + slot :: NUM_SLOTS]
                show_places(state, slot, free, empty, of_slot)
        show_lines(empty, planes[FIRST_OF_SLOPES:])
        places = np.zeros_like(WEIGHT)
        count_places(free, places)
        planes[FIRST_OF_SLOPES + 6] = chance_to_fit(places)
        planes[FIRST_OF_SLOPES + 7] = expected_places(places)


@rule
def targets(state: np.record, planes: Planes) -> None:
    for number in range(len(ROW)):
        planes[0, ROW[number], COLUMN[number]] = is_filled(state, number)


@rule
def show_places(
    state: np.record, slot: int, free: Words, empty: Counts, planes: Planes
) -> None:
    """Show where a slot's shape fits, what it would clear there and leave to others."""
    value, count = state.slots[slot], 0
    left, places = np.zeros_like(free), np.zeros_like(WEIGHT)
    for placement in range(FIRST[value], FIRST[value + 1]):
        if is_free(state, placement):
            row, column = divmod(ANCHOR[placement], COLUMNS)
            cleared = num_cleared(empty, placement)
            planes[0, row, column] = 1
            planes[1, row, column] = cleared / COLUMNS
            if cleared > 0:
                find_free_after(state, placement, left)
            else:
                keep_free(free, placement, value, left)
            count_places(left, places)
            planes[3, row, column] = chance_to_fit(places)
            planes[4, row, column] = expected_places(places)
            planes[5, row, column] = room_for_others(state, slot, places)
            count += 1
    planes[2] = count / len(ROW)


@rule
def show_lines(empty: Counts, planes: Planes) -> None:
    """Show on each cell how full its lines are, by slope."""
    filled, nearness = 1 - empty / LENGTH, 1 / (1 + empty)
    for number in range(len(ROW)):
        for slope in range(3):
            line = ON_LINE[number, slope]
            if line >= 0:
                row, column = ROW[number], COLUMN[number]
                planes[slope, row, column] = filled[line]
                planes[3 + slope, row, column] = nearness[line]
