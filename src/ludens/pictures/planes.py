"""What a network sees of a position: planes of numbers, each with its name."""

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ludens.errors import UserError
from ludens.state import State

GAP = 3
"""Spaces between planes side by side."""


class Plane(NamedTuple):
    """One plane of an observation."""

    name: str
    values: NDArray[np.float32]
    """[rows, columns]"""

    def to_json(self) -> dict[str, Any]:
        """Return the plane for programs; single precision has six digits."""
        rows = [[float(f"{x:.6g}") for x in row] for row in self.values.tolist()]
        return {"name": self.name, "values": rows}


def planes_of(state: State) -> list[Plane]:
    """Return the planes that the player to move sees."""
    if state.is_over:
        raise UserError("the game is over in this position: nobody looks at it")
    names = state.game.plain.PLANES
    return [Plane(*pair) for pair in zip(names, state.observe(), strict=True)]


def draw_planes(planes: Sequence[Plane], width: int) -> str:
    """Return planes as text, as many side by side as a width allows."""
    blocks = [[f"{i}. {p.name}", *_rows(p.values)] for i, p in enumerate(planes, 1)]
    return "\n\n".join(_beside(line) for line in _fit(blocks, width))


def _rows(values: NDArray[np.float32]) -> list[str]:
    """Return the rows of a plane; one that says the same everywhere is one line."""
    first = float(values.flat[0])
    if values.size > 1 and (values == first).all():
        return [f"{_number(first)} everywhere"]
    cells = [["." if x == 0 else _number(x) for x in row] for row in values]
    longest = max(len(cell) for row in cells for cell in row)
    return [" ".join(cell.rjust(longest) for cell in row) for row in cells]


def _number(value: float) -> str:
    return f"{value:.2g}"


def _fit(blocks: Sequence[list[str]], width: int) -> Iterator[list[list[str]]]:
    line: list[list[str]] = []
    used = 0
    for block in blocks:
        size = max(map(len, block)) + GAP
        if line and used + size - GAP > width:
            yield line
            line, used = [], 0
        line.append(block)
        used += size
    yield line


def _beside(blocks: Sequence[list[str]]) -> str:
    """Put blocks of lines next to each other."""
    height = max(map(len, blocks))
    sizes = [max(map(len, block)) + GAP for block in blocks]
    rows = (
        "".join(
            (block[i] if i < len(block) else "").ljust(size)
            for block, size in zip(blocks, sizes, strict=True)
        )
        for i in range(height)
    )
    return "\n".join(row.rstrip() for row in rows)
