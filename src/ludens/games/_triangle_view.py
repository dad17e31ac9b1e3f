"""How triangle looks: as text, as shapes and as named parts."""

from collections.abc import Mapping, Sequence
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
    Cell,
    Polyform,
    draw_shape,
    glyph,
    is_up,
    slot_scene,
    triangle,
)


def shape_of(value: int) -> Polyform | None:
    """Return the shape a slot holds."""
    return SHAPES[value - 1] if value else None


def look(state: np.record) -> dict[str, Any]:
    """Return the filled and the playable cells [rows, columns], the slots, all shapes.

    A slot is None, or the number of its shape with its triangles as (row, column) seen
    from the anchor, whether the anchor points up, and its weight in the draw.
    """
    filled, playable = np.zeros(SHAPE, np.bool_), np.zeros(SHAPE, np.bool_)
    playable[ROW, COLUMN] = True
    filled[ROW, COLUMN] = [is_filled(state, number) for number in range(len(CELLS))]
    shapes = [
        {
            "shape": number,
            "cells": shape.cells,
            "points_up": shape.anchor_up,
            "weight": shape.weight,
        }
        for number, shape in enumerate(SHAPES, 1)
    ]
    slots = [shapes[value - 1].copy() if value else None for value in state.slots]
    return {"filled": filled, "playable": playable, "slots": slots, "shapes": shapes}


def draw(state: np.record) -> str:
    filled = [cell for number, cell in enumerate(CELLS) if is_filled(state, number)]
    slots = [
        draw_shape(f"{slot}: " + (f"shape {v}" if v else "empty"), shape_of(v), int(v))
        for slot, v in enumerate(state.slots, 1)
    ]
    return f"{draw_board(dict.fromkeys(filled, 'cyan'))}\n\n{side_by_side(slots)}"


def draw_board(filled: Mapping[Cell, str]) -> str:
    """Draw the board with some cells filled, in colours; dots are off the board."""
    board = [[paint("·", "dim")] * COLUMNS for _ in range(SHAPE[0])]
    for cell in CELLS:
        mark = glyph(is_up(cell), cell in filled)
        board[cell[0]][cell[1]] = paint(mark, filled.get(cell, "dim"))
    return draw_grid(board)


def side_by_side(drawings: Sequence[Sequence[str]]) -> str:
    """Join drawings of as many lines each."""
    return "\n".join("   ".join(row).rstrip() for row in zip(*drawings, strict=True))


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
