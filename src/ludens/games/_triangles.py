"""Boards made of triangles: their text, their lines, where shapes lie, their looks."""

import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ludens.boards import paint_tone
from ludens.game import Shape, require

Cell = tuple[int, int]
HEIGHT = 3**0.5 / 2
"""Of a triangle of width 1; columns are half a unit apart."""


@dataclass(frozen=True)
class Polyform:
    """Triangles that are placed together; the first is the anchor, at (0, 0)."""

    weight: int
    cells: tuple[Cell, ...]
    anchor_up: bool

    def is_up(self, cell: Cell) -> bool:
        """Tell whether one of its triangles points up."""
        return self.anchor_up != is_up(cell)

    @property
    def left(self) -> int:
        """Its first column, as seen from the anchor."""
        return min(column for _, column in self.cells)

    @property
    def width(self) -> float:
        """From its left end to its right end."""
        return (max(column for _, column in self.cells) - self.left) / 2 + 1

    @property
    def height(self) -> float:
        """From its top to its bottom."""
        return (max(row for row, _ in self.cells) + 1) * HEIGHT


def read_polyforms(path: Path) -> list[Polyform]:
    """Read shapes given as a weight and cells of row, column and "points up"."""
    rows = json.loads(path.read_text(encoding="utf-8"))
    return [
        Polyform(
            row["weight"],
            tuple((r, c) for r, c, _ in row["cells"]),
            bool(row["cells"][0][2]),
        )
        for row in rows
    ]


def read_board(written: str, columns: int) -> list[Cell]:
    """Return the playable cells of a board written as "3-12/2-13/...", row by row."""
    rows = written.split("/")
    require(
        2 <= len(rows) <= 20,
        f"playable has {len(rows)} rows; allowed: 2 to 20, parted by /",
    )
    return [(r, c) for r, row in enumerate(rows) for c in _read_row(row, columns)]


def _read_row(written: str, columns: int) -> range:
    match = re.fullmatch(r"([0-9]{1,3})-([0-9]{1,3})", written.strip())
    first, end = map(int, match.groups()) if match else (1, 0)
    hint = f"write first-end within 0-{columns}, the end not included"
    require(first <= end <= columns, f"playable cannot have a row {written!r}; {hint}")
    return range(first, end)


def is_up(cell: Cell) -> bool:
    """Tell whether a cell of a board points up."""
    return sum(cell) % 2 == 1


def find_lines(cells: Sequence[Cell], slope: int, least: int) -> list[list[Cell]]:
    """Return the longest unbroken runs of enough cells in one direction."""
    playable = set(cells)
    inner = {_next_cell(cell, slope) for cell in cells}
    lines = []
    for start in (cell for cell in cells if cell not in inner):
        line = [start]
        while (cell := _next_cell(line[-1], slope)) in playable:
            line.append(cell)
        lines.append(line)
    return [line for line in lines if len(line) >= least]


def _next_cell(cell: Cell, slope: int) -> Cell:
    """Step to the right along a line that is level (0), falls (1) or rises (-1)."""
    crosses = slope != 0 and is_up(cell) == (slope == 1)
    return (cell[0] + slope, cell[1]) if crosses else (cell[0], cell[1] + 1)


def find_placements(shape: Polyform, cells: Sequence[Cell]) -> list[list[Cell]]:
    """Return the cells of a shape wherever it lies on a board, by its anchor."""
    playable = set(cells)
    anchors = [cell for cell in cells if is_up(cell) == shape.anchor_up]
    placed = [
        [(row + r, column + c) for r, c in shape.cells] for row, column in anchors
    ]
    return [lies for lies in placed if playable.issuperset(lies)]


def bits_of(numbers: Iterable[int], first_word: int, count: int) -> list[int]:
    """Return numbered cells as `count` words of 64 bits, from a word on."""
    bits = sum(1 << number for number in numbers) >> 64 * first_word
    return [bits >> 64 * word & 2**64 - 1 for word in range(count)]


def glyph(up: bool, solid: bool) -> str:
    """Return the character for a triangle."""
    return ("▽△", "▼▲")[solid][up]


def triangle(x: float, y: float, up: bool, **of_shape: Any) -> Shape:
    """Return a triangle by the top left corner of the box around it."""
    base, tip = (y + HEIGHT, y) if up else (y, y + HEIGHT)
    return Shape("polygon", ((x, base), (x + 1, base), (x + 0.5, tip)), **of_shape)


def draw_shape(title: str, shape: Polyform | None, tone: int) -> list[str]:
    """Draw a shape as three lines under a title; its anchor is solid."""
    rows = [[" "] * 5, [" "] * 5]
    if shape is not None:
        for row, column in shape.cells:
            mark = glyph(shape.is_up((row, column)), solid=row == column == 0)
            rows[row][column - shape.left] = paint_tone(mark, tone)
    return [f"{title:11}", *(" ".join(row) + "  " for row in rows)]


def shape_triangles(
    shape: Polyform, tone: int, x: float, y: float, **of_shape: Any
) -> list[Shape]:
    """Show the triangles of a shape with their middle at x, y."""
    left, top = x - shape.width / 2, y - shape.height / 2
    return [
        triangle(
            left + (column - shape.left) / 2,
            top + row * HEIGHT,
            shape.is_up((row, column)),
            role="shape" if row or column else "anchor",
            tone=tone,
            **of_shape,
        )
        for row, column in shape.cells
    ]


def slot_scene(slot: int, value: int, shape: Polyform | None, x: float) -> list[Shape]:
    """Show a slot as shapes, from x on: its frame, its number, its shape."""
    name, y = f"slot{slot + 1}", 2.35 * slot
    of_slot: dict[str, Any] = {"choice": name, "part": f"slots/{slot + 1}"}
    label = f"slot {slot + 1}: " + (f"shape {value}" if shape else "empty")
    corners = ((x, y), (x + 3, y), (x + 3, y + 2.2), (x, y + 2.2))
    frame = Shape("polygon", corners, "slot", label, **of_slot)
    at = ((x + 0.22, y + 0.26),)
    number = Shape("text", at, "number", str(slot + 1), size=0.3, **of_slot)
    if shape is None:
        return [frame, number]
    return [frame, number, *shape_triangles(shape, value, x + 1.5, y + 1.1, **of_slot)]
