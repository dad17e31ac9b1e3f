"""Pyrga: squares, circles and arrows stacked into towers; each move steers the next.

Sixteen cells are sixteen bits, a1 the lowest, so that a set of cells is one number.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from ludens.boards import (
    PLAYERS,
    cell_name,
    disc,
    paint,
    read_cell,
    refuse_edit,
    square,
    square_symmetries,
    text,
)
from ludens.game import OVER, Actions, Planes, Shape, option, rule

TOWERS_TO_WIN = option(
    "towers_to_win", 0, "owning this many towers wins at once; 0: never", low=0, high=7
)
ARROW_MUST_POINT_INSIDE = option(
    "arrow_must_point_inside", False, "an arrow on the edge may not point off the board"
)
NO_SECOND_SQUARE = option(
    "no_second_square",
    False,
    "after opening with a square, the first player's second piece may not be a square",
)
TIEBREAK = option(
    "tiebreak",
    "none",
    "stacks: equal towers are decided by pairs of own pieces, then by single pieces",
    choices=("none", "stacks"),
)

# `allowed` is where the player to move can really place something: within the limit of
# the last move or, if that leaves nothing, on the empty cells. So different last moves
# that allow the same lead to the same state. Stocks follow from the pieces placed.
STATE = np.dtype(
    [
        ("pieces", "u2", (2, 3)),  # [owner, kind]: set of cells
        ("heads", "u2", 4),  # [direction]: set of cells with an arrow that way
        ("allowed", "u2"),
        ("to_play", "i1"),
    ]
)
NUM_ACTIONS = 96
MAX_PLIES = 30
SHAPE = (4, 4)
KINDS = ("square", "circle", "arrow")
DIRECTIONS = ("up", "right", "down", "left")
SQUARE, CIRCLE, ARROW = range(3)
WHOSE = ("own", "opponent's")
STOCK = 5  # pieces of each kind that a player begins with
PLANES = (
    *(f"{whose} {kind}s" for whose in WHOSE for kind in KINDS),
    *(f"arrows pointing {direction}" for direction in DIRECTIONS),
    "cells allowed",
    *(f"{whose} {kind}s in stock" for whose in WHOSE for kind in KINDS),
    "the second player moves",
    *(f"cells that take a {kind} now" for kind in KINDS),
    *(f"{whose} {what}" for what in ("towers", "pairs") for whose in WHOSE),
    "lead in towers",
)
TARGETS = ("owner of the tower",)
EDITS = (
    "put CELL first|second square|circle|up|right|down|left",
    "take CELL square|circle|arrow",
    "to_play first|second",
    "last CELL square|circle|up|right|down|left",
    "last none",
)
NUM_SYMMETRIES = 8
IMAGE = square_symmetries(4)
# A mirror swaps left and right, then quarter turns add up.
TURNED = np.array(
    [[(d * (-1 if k >= 4 else 1) + k) % 4 for d in range(4)] for k in range(8)]
)
FIRST_ARROW = 32
KIND = np.repeat([SQUARE, CIRCLE, ARROW], (16, 16, 64))  # of each action
CELL = np.array([*range(16), *range(16), *(i // 4 for i in range(64))])
ALL = 0xFFFF


def ray(cell: int, direction: int, reach: int) -> int:
    """Return the set of cells met in a direction, at most `reach`, without the cell."""
    down, right = ((-1, 0), (0, 1), (1, 0), (0, -1))[direction]
    ways = [(cell // 4 + i * down, cell % 4 + i * right) for i in range(1, reach + 1)]
    return sum(1 << (r * 4 + c) for r, c in ways if 0 <= r < 4 and 0 <= c < 4)


AROUND = [sum(ray(cell, way, 1) for way in range(4)) for cell in range(16)]
RAYS = [ray(cell, way, 3) for cell in range(16) for way in range(4)]
LIMIT = np.array([*AROUND, *(1 << cell for cell in range(16)), *RAYS])
"""[action]: the set of cells to which it limits the next move."""


@rule
def count_cells(cells: int) -> int:
    count = 0
    while cells != 0:
        cells &= cells - 1  # drops the lowest bit; the loop compiles to a popcount
        count += 1
    return count


@rule
def placed(state: np.record, player: int, kind: int) -> int:
    """Return the cells with this piece of this player."""
    return int(np.int64(state.pieces[player, kind]))  # signed, for ~ and -


@rule
def stock(state: np.record, player: int, kind: int) -> int:
    """Return how many pieces of a kind a player has left."""
    return STOCK - count_cells(placed(state, player, kind))


@rule
def free_cells(state: np.record, player: int, kind: int) -> int:
    """Return the cells that could take this piece if the last move set no limit."""
    left = stock(state, player, kind)
    if left == 0:
        return 0
    if NO_SECOND_SQUARE and player == 0 and kind == SQUARE and left == STOCK - 1:
        others = placed(state, 0, CIRCLE) | placed(state, 0, ARROW)
        if others == 0:  # the opening square is all he has; no fallback lifts this
            return 0
    return ALL & ~(placed(state, 0, kind) | placed(state, 1, kind))


@rule
def owned_cells(state: np.record, player: int, height: int) -> int:
    """Return the cells of exactly this height in which most pieces are the player's."""
    s, c = placed(state, player, SQUARE), placed(state, player, CIRCLE)
    a = placed(state, player, ARROW)
    squares = s | placed(state, 1 - player, SQUARE)
    circles = c | placed(state, 1 - player, CIRCLE)
    arrows = a | placed(state, 1 - player, ARROW)
    two_or_three = (squares & circles) | (arrows & (squares | circles))
    if height == 1:
        return (s | c | a) & ~two_or_three
    three = squares & circles & arrows
    majority = (s & c) | (a & (s | c))
    return majority & (three if height == 3 else two_or_three & ~three)


@rule
def num_owned(state: np.record, player: int, height: int) -> int:
    return count_cells(owned_cells(state, player, height))


@rule
def start(state: np.record) -> None:
    state.allowed = ALL


@rule
def legal(state: np.record, actions: Actions) -> int:
    count = 0
    for kind in range(3):
        cells = free_cells(state, state.to_play, kind) & int(state.allowed)
        while cells != 0:
            cell = count_cells((cells & -cells) - 1)  # of the lowest bit
            cells &= cells - 1
            if kind != ARROW:
                actions[count] = kind * 16 + cell
                count += 1
                continue
            for action in range(FIRST_ARROW + 4 * cell, FIRST_ARROW + 4 * cell + 4):
                # Every cell has an inward direction, so this option never ends a game.
                if not ARROW_MUST_POINT_INSIDE or LIMIT[action] != 0:
                    actions[count] = action
                    count += 1
    return count


@rule
def apply(state: np.record, action: int) -> None:
    state.pieces[state.to_play, KIND[action]] |= 1 << CELL[action]
    if action >= FIRST_ARROW:
        state.heads[action % 4] |= 1 << CELL[action]
    give_turn(state, 1 - state.to_play, LIMIT[action])


@rule
def give_turn(state: np.record, player: int, limit: int) -> None:
    """Let a player move within a limit, else on empty cells, else end the game."""
    possible, occupied = 0, 0
    for kind in range(3):
        possible |= free_cells(state, player, kind)
        occupied |= placed(state, 0, kind) | placed(state, 1, kind)
    cells = possible & limit
    if cells == 0:
        cells = possible & ~occupied
    if TOWERS_TO_WIN > 0:
        towers = max(num_owned(state, 0, 3), num_owned(state, 1, 3))
        cells = 0 if towers >= TOWERS_TO_WIN else cells
    state.allowed = cells
    state.to_play = player if cells != 0 else OVER


@rule
def result(state: np.record) -> float:
    for height in (3, 2, 1):
        lead = num_owned(state, 0, height) - num_owned(state, 1, height)
        if lead != 0:
            return 1.0 if lead > 0 else -1.0
        if TIEBREAK == "none":
            break
    return 0.0


@rule
def observe(state: np.record, planes: Planes) -> None:
    me = 1 if state.to_play == 1 else 0
    for kind in range(3):
        own, other = placed(state, me, kind), placed(state, 1 - me, kind)
        show(own, planes[kind])
        show(other, planes[3 + kind])
        planes[11 + kind] = stock(state, me, kind) / STOCK
        planes[14 + kind] = stock(state, 1 - me, kind) / STOCK
        show(free_cells(state, me, kind) & int(state.allowed), planes[18 + kind])
    for direction in range(4):
        show(state.heads[direction], planes[6 + direction])
    show(state.allowed, planes[10])
    planes[17] = me
    for whose in range(2):
        player = me if whose == 0 else 1 - me
        show(owned_cells(state, player, 3), planes[21 + whose])
        show(owned_cells(state, player, 2), planes[23 + whose])
    planes[25] = (num_owned(state, me, 3) - num_owned(state, 1 - me, 3)) / STOCK


@rule
def show(cells: int, plane: Planes) -> None:
    for cell in range(16):
        plane[cell // 4, cell % 4] = (cells >> cell) & 1


@rule
def transform(state: np.record, symmetry: int, image: np.record) -> None:
    for kind in range(3):
        image.pieces[0, kind] = moved(state.pieces[0, kind], symmetry)
        image.pieces[1, kind] = moved(state.pieces[1, kind], symmetry)
    for direction in range(4):
        cells = moved(state.heads[direction], symmetry)
        image.heads[TURNED[symmetry, direction]] = cells
    image.allowed = moved(state.allowed, symmetry)


@rule
def moved(cells: int, symmetry: int) -> int:
    image = 0
    for cell in range(16):
        image |= ((np.int64(cells) >> cell) & 1) << IMAGE[symmetry, cell]
    return image


@rule
def transform_action(action: int, symmetry: int) -> int:
    cell = IMAGE[symmetry, CELL[action]]
    if action < FIRST_ARROW:
        return int(KIND[action] * 16 + cell)
    return int(FIRST_ARROW + cell * 4 + TURNED[symmetry, action % 4])


@rule
def targets(state: np.record, planes: Planes) -> None:
    first, second = owned_cells(state, 0, 3), owned_cells(state, 1, 3)
    for cell in range(16):
        owner = ((first >> cell) & 1) - ((second >> cell) & 1)
        planes[0, cell // 4, cell % 4] = owner


def choices(state: np.record, action: int) -> tuple[str, ...]:
    words = (KINDS[KIND[action]], cell_name(*divmod(int(CELL[action]), 4)))
    return words if action < FIRST_ARROW else (*words, DIRECTIONS[action % 4])


def action_name(state: np.record, action: int) -> str:
    kind, cell, *way = choices(state, action)
    return kind[0].upper() + cell + "".join(way)[:1]


def why_illegal(state: np.record, action: int) -> str:
    kind, cell = int(KIND[action]), int(CELL[action])
    if free_cells(state, state.to_play, kind) == 0:
        has_one = stock(state, state.to_play, kind) > 0
        return "the second piece may not be a square" if has_one else "none is left"
    if not (int(state.allowed) >> cell) & 1:
        return "the last move allows other cells only"
    if not (free_cells(state, state.to_play, kind) >> cell) & 1:
        return f"the cell has its {KINDS[kind]}"
    return "the arrow would point off the board"


def edit(state: np.record, words: Sequence[str]) -> None:
    """Put or take a piece, give the turn, or name the last move, which sets the limit.

    Other edits lift the limit, so the last move is named last.
    """
    mover, limit = int(state.to_play), ALL
    match [word.lower() for word in words]:
        case ["put", cell, "first" | "second" as player, piece]:
            action = read_piece(piece, read_cell(cell, SHAPE))
            put(state, PLAYERS.index(player), action)
        case ["take", cell, "square" | "circle" | "arrow" as kind]:
            take(state, KINDS.index(kind), read_cell(cell, SHAPE))
        case ["to_play", "first" | "second" as player]:
            mover = PLAYERS.index(player)
        case ["last", "none"]:
            pass
        case ["last", cell, piece]:
            action = read_piece(piece, read_cell(cell, SHAPE))
            limit = int(LIMIT[action])
            if not is_there(state, action):
                raise ValueError(f"there is no such piece on {cell}")
        case _:
            refuse_edit(EDITS)
    counts = [sum(map(count_cells, map(int, pieces))) for pieces in state.pieces]
    give_turn(state, mover if mover >= 0 else int(counts[0] > counts[1]), limit)


def read_piece(word: str, cell: int) -> int:
    """Return the action that places a piece; an arrow is named by its direction."""
    if word in DIRECTIONS:
        return FIRST_ARROW + 4 * cell + DIRECTIONS.index(word)
    if word not in KINDS[:2]:
        refuse_edit(EDITS)
    return 16 * KINDS.index(word) + cell


def put(state: np.record, player: int, action: int) -> None:
    """Place a piece instead of the one of its kind that is there."""
    kind, bit = int(KIND[action]), 1 << int(CELL[action])
    take(state, kind, int(CELL[action]))
    state.pieces[player, kind] |= bit
    if action >= FIRST_ARROW:
        state.heads[action % 4] |= bit
    if stock(state, player, kind) < 0:
        raise ValueError(
            f"the {PLAYERS[player]} player has only {STOCK} {KINDS[kind]}s"
        )


def take(state: np.record, kind: int, cell: int) -> None:
    """Take the piece of a kind from a cell, if there is one."""
    state.pieces[:, kind] &= ALL ^ (1 << cell)
    if kind == ARROW:
        state.heads &= ALL ^ (1 << cell)


def is_there(state: np.record, action: int) -> bool:
    """Tell whether the piece that an action places is on the board."""
    if action >= FIRST_ARROW:
        cells = int(state.heads[action % 4])
    else:
        cells = placed(state, 0, KIND[action]) | placed(state, 1, KIND[action])
    return bool((cells >> int(CELL[action])) & 1)


def stack(state: np.record, cell: int) -> list[tuple[int, int, int]]:
    """List the pieces of a cell: kind, owner, direction (0 unless an arrow)."""
    ways = [way for way in range(4) if (int(state.heads[way]) >> cell) & 1] or [0]
    kinds = [(kind, owner) for kind in range(3) for owner in range(2)]
    here = [(k, p) for k, p in kinds if (placed(state, p, k) >> cell) & 1]
    return [(k, p, ways[0] if k == ARROW else 0) for k, p in here]


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


def piece(kind: int, row: float, column: float, way: int = 0, **of: Any) -> Shape:
    """Return a piece; in a stack a circle leaves its square in sight, an arrow both."""
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
