"""Pyrga: squares, circles and arrows stacked into towers; each move steers the next."""

from collections.abc import Sequence

import numpy as np

from ludens.boards import cell_name, square_symmetries
from ludens.game import OVER, Actions, Planes, rule
from ludens.games._pyrga_board import (
    ALL,
    ARROW,
    ARROW_MUST_POINT_INSIDE,
    CELL,
    DIRECTIONS,
    FIRST_ARROW,
    KIND,
    KINDS,
    LIMIT,
    STOCK,
    TIEBREAK,
    TOWERS_TO_WIN,
    count_cells,
    free_cells,
    num_owned,
    owned_cells,
    placed,
    stock,
)
from ludens.games._pyrga_edit import EDITS as EDITS
from ludens.games._pyrga_edit import change
from ludens.games._pyrga_rules import RULES as RULES
from ludens.games._pyrga_view import draw as draw
from ludens.games._pyrga_view import look as look
from ludens.games._pyrga_view import reason as reason
from ludens.games._pyrga_view import scene as scene

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
WHOSE = ("own", "opponent's")
PLANES = (
    *(f"{whose} {kind}s" for whose in WHOSE for kind in KINDS),
    *(f"arrows pointing {direction}" for direction in DIRECTIONS),
    "cells allowed",
    *(f"{whose} {kind}s in stock" for whose in WHOSE for kind in KINDS),
    "the second player moves",
    *(f"cells that take {kind}s now" for kind in KINDS),
    *(f"{whose} {what}" for what in ("towers", "pairs") for whose in WHOSE),
    "lead in towers",
)
TARGETS = ("owner of the tower",)
NUM_SYMMETRIES = 8
IMAGE = square_symmetries(4)
# A mirror swaps left and right, then quarter turns add up.
TURNED = np.array(
    [[(d * (-1 if k >= 4 else 1) + k) % 4 for d in range(4)] for k in range(8)]
)
PROMISE = np.array([0, 1, 3, 4])  # by height of a stack that somebody owns
# Elo by `ludens rate` with 16 games of each two, within about 90 (95 %).
LEVELS = {
    "": {
        "random": -748,
        "mcts:sims=10": -223,
        "mcts:sims=30": -74,
        "mcts:sims=100": 0,
        "mcts:sims=300": 96,
        "mcts:sims=1000": 276,
        "mcts:sims=3000": 303,
        "net:sims=64": None,
        "net:sims=256": None,
        "net:sims=1024": None,
    }
}
TRAINING = {"selfplay": {"temperature_plies": 10, "opening_plies": 6}}


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
def heuristic(state: np.record) -> float:
    """Count towers, and what may become one: two own pieces always will be his."""
    me = state.to_play
    lead = 0
    for height in (1, 2, 3):
        cells = num_owned(state, me, height) - num_owned(state, 1 - me, height)
        lead += PROMISE[height] * cells
    return lead / (12 + abs(lead))


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
    player, limit = change(state, words)
    give_turn(state, player, limit)
