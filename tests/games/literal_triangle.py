"""Triangle from its rules alone: sets of cells, lines traced from cell to cell."""

import json
from pathlib import Path

Cell = tuple[int, int]
DATA = Path(__file__).parents[2] / "src/ludens/games/data/triangle_shapes.json"
DRAWN = json.loads(DATA.read_text())
WEIGHTS = [shape["weight"] for shape in DRAWN]
HEXAGON = [(3, 12), (2, 13), (1, 14), (0, 15), (0, 15), (1, 14), (2, 13), (3, 12)]
DIRECTIONS = ("horizontal", "falling", "rising")


def points_up(cell: Cell) -> bool:
    return (cell[0] + cell[1]) % 2 != 0


def after(cell: Cell, direction: str) -> Cell:
    row, column = cell
    if direction == "falling" and points_up(cell):
        return row + 1, column
    if direction == "rising" and not points_up(cell):
        return row - 1, column
    return row, column + 1


def before(cell: Cell, direction: str) -> Cell:
    row, column = cell
    if direction == "falling" and not points_up(cell):
        return row - 1, column
    if direction == "rising" and points_up(cell):
        return row + 1, column
    return row, column - 1


def trace(cell: Cell, direction: str, playable: set[Cell]) -> tuple[Cell, ...]:
    """Go back to the first cell of the line, then collect all of it."""
    while before(cell, direction) in playable:
        cell = before(cell, direction)
    line = [cell]
    while after(line[-1], direction) in playable:
        line.append(after(line[-1], direction))
    return tuple(line)


class LiteralTriangle:
    def __init__(
        self,
        ranges: list[tuple[int, int]] = HEXAGON,
        columns: int = 15,
        num_slots: int = 3,
        min_line: int = 2,
    ) -> None:
        self.num_slots = num_slots
        self.rows, self.columns = len(ranges), columns
        self.playable = {
            (row, column)
            for row, (first, end) in enumerate(ranges)
            for column in range(first, end)
        }
        traced = {trace(c, d, self.playable) for c in self.playable for d in DIRECTIONS}
        self.lines = [frozenset(line) for line in traced if len(line) >= min_line]
        self.placements = [self._placements(shape["cells"]) for shape in DRAWN]
        self.restart()

    def restart(self) -> None:
        self.occupied: set[Cell] = set()
        self.slots: list[int | None] = [None] * self.num_slots
        self.over = False

    def _placements(self, shape: list[list[int]]) -> dict[Cell, frozenset[Cell]]:
        found = {}
        for row in range(self.rows):
            for column in range(self.columns):
                cells = [((row + dr, column + dc), up) for dr, dc, up in shape]
                if all(c in self.playable and points_up(c) == up for c, up in cells):
                    found[row, column] = frozenset(c for c, _ in cells)
        return found

    def refill(self, shapes: list[int]) -> None:
        self.slots = list(shapes)
        self.over = not self.legal()

    def legal(self) -> list[int]:
        return [
            (slot * self.rows + row) * self.columns + column
            for slot, shape in enumerate(self.slots)
            if shape is not None
            for (row, column), cells in self.placements[shape].items()
            if cells.isdisjoint(self.occupied)
        ]

    def move(self, action: int) -> tuple[int, int]:
        """Play; return how many triangles were placed and how many cleared."""
        rest, column = divmod(action, self.columns)
        slot, row = divmod(rest, self.rows)
        shape = self.slots[slot]
        assert shape is not None
        cells = self.placements[shape][row, column]
        assert cells.isdisjoint(self.occupied)
        self.occupied |= cells
        full = [line for line in self.lines if line <= self.occupied]
        cleared = set().union(*full)
        self.occupied -= cleared
        self.slots[slot] = None
        if set(self.slots) != {None}:
            self.over = not self.legal()
        return len(cells), len(cleared)
