"""The rules of triangle in words, with pictures of its shapes and lines."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from ludens.boards import TONES, cell_name, text
from ludens.game import Shape
from ludens.games._triangle_board import (
    AREA,
    BY_SLOPE,
    CELLS,
    CLEAR_REWARD,
    COLUMNS,
    MIN_LINE,
    NUM_SLOTS,
    OVER_REWARD,
    PLACE_REWARD,
    SHAPE,
    SHAPES,
    SURVIVE_REWARD,
    TOTAL_WEIGHT,
)
from ludens.games._triangle_view import BOARD, draw_board, side_by_side
from ludens.games._triangles import Cell, draw_shape, shape_triangles

IN_HAND = ("one shape", "two shapes", "three shapes", "four shapes", "five shapes")[
    NUM_SLOTS - 1
]
PER_ROW = 5
MIDDLE = np.mean(CELLS, axis=0)


def off_centre(line: Sequence[Cell]) -> float:
    """Return how far a line lies from the middle of the board."""
    return float(np.abs(np.mean(line, axis=0) - MIDDLE).sum())


EXAMPLES = [min(lines, key=off_centre) for lines in BY_SLOPE if lines]
"""A line of each direction."""


def lines_picture() -> tuple[str, list[Shape]]:
    """Draw a line of each direction, in colours."""
    tones: dict[Cell, int] = {}
    for number, line in enumerate(EXAMPLES):
        tones |= dict.fromkeys(line, 1 + 2 * number)
    scene = [
        replace(looks[-1], tone=tones[at]) if at in tones else looks[0]
        for at, (_, looks) in zip(ALL_CELLS, BOARD, strict=True)
    ]
    return draw_board({cell: TONES[tone - 1] for cell, tone in tones.items()}), scene


def shapes_picture() -> tuple[str, list[Shape]]:
    """Draw all shapes with their numbers and weights."""
    numbered = list(enumerate(SHAPES, 1))
    drawn = [draw_shape(f"{n}: {s.weight} x", s, n) for n, s in numbered]
    starts = range(0, len(drawn), PER_ROW)
    rows = [side_by_side(drawn[start : start + PER_ROW]) for start in starts]
    scene: list[Shape] = []
    for number, shape in numbered:
        y, x = divmod(number - 1, PER_ROW)
        label = f"{number}: {shape.weight} x"
        scene += shape_triangles(shape, number, 2.7 * x, 2.5 * y)
        scene.append(text(2.5 * y - 1.75, 2.7 * x - 0.5, label, size=0.42))
    return "\n\n".join(rows), scene


def points(reward: float) -> str:
    """Return a reward as people see it: 100 points for 1."""
    return f"{100 * reward:g}"


ALL_CELLS = [(row, column) for row in range(SHAPE[0]) for column in range(COLUMNS)]
PICTURES = {"lines": lines_picture(), "shapes": shapes_picture()}
NUM_LINES = [len(lines) for lines in BY_SLOPE]
LENGTHS = sorted({len(line) for lines in BY_SLOPE for line in lines})
LINES = (
    f"This board has {sum(NUM_LINES)} lines: {NUM_LINES[0]} level, {NUM_LINES[1]}"
    f" falling, {NUM_LINES[2]} rising, of {LENGTHS[0]} to {LENGTHS[-1]} cells."
    if LENGTHS
    else "This board has no such line, so nothing is ever cleared."
)
SLOTS = "the slot" if NUM_SLOTS == 1 else f"all {NUM_SLOTS} slots"
EXAMPLE = cell_name(*CELLS[0])
FIRST = CELLS[0][0] * COLUMNS + CELLS[0][1]
RULES = f"""\
## Aim
Score as much as you can before nothing fits any more. There is no opponent.

## Board
{SHAPE[0]} rows and {COLUMNS} columns of triangles, {len(CELLS)} of which can be filled;
the others, grey or dots, are off the board. Columns have letters from the left, rows
have numbers from the top. A cell points up if the sum of its row and its column, both
counted from 0, is odd; its neighbours point down.

## Shapes
You hold {IN_HAND}. A shape cannot be turned: each of its triangles must come to lie
on an empty cell that points the same way. Its anchor, solid at the terminal, is the
first triangle of the upper row. Here are all {len(SHAPES)} by number. A shape marked
2 x is drawn twice as often: its chance is 2 in {TOTAL_WEIGHT}.

[picture: shapes]

## Moves
Choose a slot and the cell for the anchor of its shape. The shape is placed, complete
lines are cleared, and the slot is empty. When {SLOTS}
{"is" if NUM_SLOTS == 1 else "are"} empty, chance refills
{"it" if NUM_SLOTS == 1 else "them"}; each shape is drawn for itself, and nobody knows
what will come.

## Lines
A line runs from one edge of the board, or of a gap in it, to the next, in one of three
directions: level, falling to the right or rising to the right. It has {MIN_LINE} or
more cells. A line all of whose cells are filled is cleared, and all lines that a move
completes are cleared together. {LINES}

[picture: lines]

## End
The game is over when no shape that you hold fits anywhere.

## Score
{points(PLACE_REWARD)} for each triangle placed, {points(CLEAR_REWARD)} for each one
cleared (one in two lines counts once), {points(SURVIVE_REWARD)} for a move after which
the game goes on, {points(OVER_REWARD)} for the move that ends it. Python sees a
hundredth of that: the reward of a triangle placed is {PLACE_REWARD:g}.

## Notation
The number of the slot and the cell of the anchor: `1{EXAMPLE}`.

## Numbers of actions
Slot s (from 0), row r and column c (from 0) make action s * {AREA} + r * {COLUMNS} + c,
of 0 to {NUM_SLOTS * AREA - 1}: `1{EXAMPLE}` is {FIRST}.
"""
