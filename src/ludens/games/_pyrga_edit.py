"""Positions of Pyrga changed by hand."""

from collections.abc import Sequence

import numpy as np

from ludens.boards import PLAYERS, read_cell, refuse_edit
from ludens.games._pyrga_board import (
    ALL,
    ARROW,
    CELL,
    DIRECTIONS,
    FIRST_ARROW,
    KIND,
    KINDS,
    LIMIT,
    STOCK,
    count_cells,
    placed,
    stock,
)

SIDES = (4, 4)
EDITS = (
    "put CELL first|second square|circle|up|right|down|left",
    "take CELL square|circle|arrow",
    "to_play first|second",
    "last CELL square|circle|up|right|down|left",
    "last none",
)


def change(state: np.record, words: Sequence[str]) -> tuple[int, int]:
    """Carry out an edit; return who moves next and the cells of the limit.

    An edit puts or removes a piece, passes the turn, or names the last move, which sets
    the limit. Other edits lift the limit, so the last move is named last.
    """
    mover, limit = int(state.to_play), ALL
    match [word.lower() for word in words]:
        case ["put", cell, "first" | "second" as player, piece]:
            action = read_piece(piece, read_cell(cell, SIDES))
            put(state, PLAYERS.index(player), action)
        case ["take", cell, "square" | "circle" | "arrow" as kind]:
            take(state, KINDS.index(kind), read_cell(cell, SIDES))
        case ["to_play", "first" | "second" as player]:
            mover = PLAYERS.index(player)
        case ["last", "none"]:
            pass
        case ["last", cell, piece]:
            action = read_piece(piece, read_cell(cell, SIDES))
            limit = int(LIMIT[action])
            if not is_there(state, action):
                raise ValueError(f"there is no such piece on {cell}")
        case _:
            refuse_edit(EDITS)
    counts = [sum(map(count_cells, map(int, pieces))) for pieces in state.pieces]
    return mover if mover >= 0 else int(counts[0] > counts[1]), limit


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
