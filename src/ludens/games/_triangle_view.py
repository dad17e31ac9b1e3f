"""How triangle looks: as text, as shapes and as named parts."""

from typing import Any

import numpy as np

from ludens.boards import cell_name, draw_grid, paint
from ludens.game import Shape
from ludens.games._triangle_board import (
    CELLS,
    COLUMN,
    COLUMNS,
    NUMBER,
    ROW,
    SHAPE,
    SHAPES,
    is_filled,
)
from ludens.games._triangles import (
    HEIGHT,
    Polyform,
    draw_slot,
    glyph,
    is_up,
    slot_scene,
    triangle,
)


def shape_of(value: int) -> Polyform | None:
    """Return the shape a slot holds."""
    return SHAPES[value - 1] if value else None


def look(state: np.record) -> dict[str, Any]:
    """Return the filled and the playable cells [rows, columns] and what the slots hold.

    A slot is None, or the number of its shape with its triangles as (row, column) seen
    from the anchor, and whether the anchor points up.
    """
    filled, playable = np.zeros(SHAPE, np.bool_), np.zeros(SHAPE, np.bool_)
    playable[ROW, COLUMN] = True
    filled[ROW, COLUMN] = [is_filled(state, number) for number in range(len(CELLS))]
    slots = [
        shape and {"shape": int(v), "cells": shape.cells, "points_up": shape.anchor_up}
        for v, shape in ((v, shape_of(v)) for v in state.slots)
    ]
    return {"filled": filled, "playable": playable, "slots": slots}


def draw(state: np.record) -> str:
    board = [[" "] * COLUMNS for _ in range(SHAPE[0])]
    for number, (row, column) in enumerate(CELLS):
        filled = bool(is_filled(state, number))
        mark = glyph(is_up((row, column)), filled)
        board[row][column] = paint(mark, "cyan" if filled else "dim")
    slots = [draw_slot(slot, v, shape_of(v)) for slot, v in enumerate(state.slots)]
    below = ["   ".join(lines).rstrip() for lines in zip(*slots, strict=True)]
    return "\n".join([draw_grid(board), "", *below])


def cell_shapes(row: int, column: int) -> tuple[Shape, ...]:
    """Return how a cell looks empty and filled, or how a place off the board looks."""
    x, y, up = column / 2, row * HEIGHT, is_up((row, column))
    if (row, column) not in NUMBER:
        return (triangle(x, y, up, role="death"),)
    name = cell_name(row, column)
    roles = ("cell", "filled")
    return tuple(
        triangle(x, y, up, role=role, label=name, choice=name) for role in roles
    )


BOARD = [(NUMBER.get(at), cell_shapes(*at)) for at in np.ndindex(SHAPE)]


def scene(state: np.record) -> list[Shape]:
    filled = sum(int(word) << 64 * i for i, word in enumerate(state.occupied))
    shapes = [
        looks[0] if number is None else looks[filled >> number & 1]
        for number, looks in BOARD
    ]
    for slot, value in enumerate(state.slots):
        shapes += slot_scene(slot, int(value), shape_of(value), COLUMNS / 2 + 1.2)
    return shapes
