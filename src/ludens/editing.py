"""Positions changed by hand: what the authors of games use to write `edit`."""

from collections.abc import Callable, Sequence
from typing import NoReturn

import numpy as np

from ludens.game import OVER

PLAYERS = ("first", "second")
STONE_EDITS = ("set CELL first|second|empty", "to_play first|second")


def edit_stones(
    state: np.record,
    words: Sequence[str],
    shape: tuple[int, int],
    has_row: Callable[[int], bool],
) -> None:
    """Edit a board of stones, 1 and -1, by the words of STONE_EDITS.

    `has_row` tells for 1 or -1 whether those stones have won.
    """
    mover = int(state.to_play)
    match [word.lower() for word in words]:
        case ["set", cell, "first" | "second" | "empty" as stone]:
            mark = {"first": 1, "second": -1, "empty": 0}[stone]
            state.board[read_cell(cell, shape)] = mark
        case ["to_play", "first" | "second" as player]:
            mover = PLAYERS.index(player)
        case _:
            refuse_edit(STONE_EDITS)
    stones = [int((state.board == mark).sum()) for mark in (1, -1)]
    state.ply = sum(stones)
    is_full = state.ply == len(state.board)
    give_turn(state, mover, stones, (has_row(1), has_row(-1)), is_full)


def give_turn(
    state: np.record,
    mover: int,
    pieces: Sequence[int],
    wins: tuple[bool, bool],
    is_full: bool,
) -> None:
    """Set `winner` and `to_play`; in a game that was over the one behind moves."""
    if all(wins):
        raise ValueError("both players would have won")
    state.winner = int(wins[0]) - int(wins[1])
    mover = mover if mover >= 0 else int(pieces[0] > pieces[1])
    state.to_play = OVER if any(wins) or is_full else mover


def read_cell(name: str, shape: tuple[int, int]) -> int:
    """Return the number of a cell, row by row, from its name."""
    rows, columns = shape
    column, row = ord(name[0]) - ord("a"), name[1:]
    if not (row.isdecimal() and 1 <= int(row) <= rows and 0 <= column < columns):
        raise ValueError(f"{name!r} is not a cell of the board")
    return (int(row) - 1) * columns + column


def refuse_edit(forms: Sequence[str]) -> NoReturn:
    """Say how edits are written."""
    raise ValueError(f"write {' or '.join(forms)}")
