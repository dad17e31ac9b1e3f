"""How Pyrga looks: as text, as shapes and as named parts."""

from typing import Any

import numpy as np

from ludens.boards import PLAYERS, cell_name, disc, paint, square, text
from ludens.game import Shape
from ludens.games._pyrga_board import (
    ARROW,
    CIRCLE,
    DIRECTIONS,
    KINDS,
    TIEBREAK,
    num_owned,
    owned_cells,
    placed,
    stock,
)


def stack(state: np.record, cell: int) -> list[tuple[int, int, int]]:
    """List the pieces of a cell: kind, owner, direction (0 unless an arrow)."""
    ways = [way for way in range(4) if (int(state.heads[way]) >> cell) & 1] or [0]
    kinds = [(kind, owner) for kind in range(3) for owner in range(2)]
    here = [(k, p) for k, p in kinds if (placed(state, p, k) >> cell) & 1]
    return [(k, p, ways[0] if k == ARROW else 0) for k, p in here]


def look(state: np.record) -> dict[str, Any]:
    """Return the stacks by cell, the cells allowed now, both stocks and the towers."""
    names = [cell_name(*divmod(cell, 4)) for cell in range(16)]
    stacks = {name: _spoken(state, cell) for cell, name in enumerate(names)}
    stocks = [{k: stock(state, p, i) for i, k in enumerate(KINDS)} for p in (0, 1)]
    return {
        "stacks": {name: pieces for name, pieces in stacks.items() if pieces},
        "allowed": [n for i, n in enumerate(names) if (int(state.allowed) >> i) & 1],
        "stocks": stocks,
        "towers": [num_owned(state, player, 3) for player in (0, 1)],
    }


def _spoken(state: np.record, cell: int) -> list[str]:
    """Return the pieces of a cell in words, such as "first arrow up"."""
    return [
        f"{PLAYERS[owner]} {KINDS[kind]}" + f" {DIRECTIONS[way]}" * (kind == ARROW)
        for kind, owner, way in stack(state, cell)
    ]


def draw(state: np.record) -> str:
    cells = []
    for cell in range(16):
        slots = ["."] * 4
        for kind, owner, way in stack(state, cell):
            slots[kind] = paint(("SCA", "sca")[owner][kind], owner)
            slots[3] = paint("^>v<"[way], owner) if kind == ARROW else "."
        left, right = "[]" if (int(state.allowed) >> cell) & 1 else "  "
        cells.append(f"{left}{''.join(slots)}{right}")
    rows = [f"{i + 1} {' '.join(cells[4 * i : 4 * i + 4])}".rstrip() for i in range(4)]
    for player, name in enumerate(PLAYERS):
        letters, towers = ("SCA", "sca")[player], num_owned(state, player, 3)
        left = " ".join(f"{c}{stock(state, player, k)}" for k, c in enumerate(letters))
        turn = ", to move" if state.to_play == player else ""
        rows.append(paint(f"{name}: stock {left}, towers {towers}{turn}", player))
    return "\n".join(["    a      b      c      d", *rows])


def reason(state: np.record) -> str:
    words = ""
    for height, what in ((3, "towers"), (2, "pairs"), (1, "single pieces")):
        first, second = (num_owned(state, player, height) for player in (0, 1))
        words = f"{what}: {first} to {second}"
        if first != second or TIEBREAK == "none":
            break
    return words


def scene(state: np.record) -> list[Shape]:
    shapes = []
    for cell in range(16):
        row, column = divmod(cell, 4)
        name = cell_name(row, column)
        shapes.append(square(row, column, label=name, choice=name))
        for player, who in enumerate(PLAYERS):
            if (owned_cells(state, player, 3) >> cell) & 1:
                label = f"{who} player's tower"
                shapes.append(
                    square(row, column, role="tower", owner=player, label=label)
                )
        for kind, owner, way in stack(state, cell):
            label = f"{PLAYERS[owner]} player's {KINDS[kind]} on {name}"
            label += f" pointing {DIRECTIONS[way]}" if kind == ARROW else ""
            of = {"owner": owner, "label": label, "choice": name}
            shapes.append(piece(kind, row, column, way, **of))
    return shapes + tray(state)


def tray(state: np.record) -> list[Shape]:
    """Show both stocks, with the mover's to choose from, and the four directions."""
    shapes = []
    for player, who in enumerate(PLAYERS):
        for kind, what in enumerate(KINDS):
            left, x = str(stock(state, player, kind)), 4.3 + 1.5 * player
            choice = what if player == state.to_play else ""
            label = f"{who} player's {what}s in stock: {left}"
            of: dict[str, Any] = {"owner": player, "part": f"stock{player}/{what}"}
            shapes += [
                piece(kind, kind + 0.5, x, label=label, choice=choice, **of),
                text(kind + 0.5, x + 0.62, left, role="count", size=0.34, **of),
            ]
    mover = max(int(state.to_play), -1)
    for way, name in enumerate(DIRECTIONS):
        of = {"role": "direction", "owner": mover, "label": name, "choice": name}
        shapes.append(piece(ARROW, 3.3, 4.3 + 0.7 * way, way, **of))
    return shapes


def piece(kind: int, row: float, column: float, way: int = 0, **of: Any) -> Shape:
    """Return a piece; each kind is smaller than those that it may cover in a stack."""
    of = {"role": KINDS[kind], **of}
    if kind == CIRCLE:
        return disc(row, column, size=0.34, **of)
    corners = [(-0.42, -0.42), (0.42, -0.42), (0.42, 0.42), (-0.42, 0.42)]
    if kind == ARROW:
        half = [(0.0, -0.27), (0.22, 0.0), (0.09, 0.0), (0.09, 0.23)]
        corners = half + [(-x, y) for x, y in half[:0:-1]]
    for _ in range(way):
        corners = [(-y, x) for x, y in corners]
    points = tuple((column + 0.5 + x, row + 0.5 + y) for x, y in corners)
    return Shape("polygon", points, **of)
