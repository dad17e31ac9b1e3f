"""Connect four: drop discs into columns until four of a colour stand in a row."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from ludens.boards import PLAYERS, disc, give_turn, paint, refuse_edit, square
from ludens.game import OVER, Actions, Planes, Shape, rule
from ludens.games._connect_four_board import (
    BOARD,
    COLUMN,
    COLUMNS,
    CONNECT,
    HEIGHT,
    ROWS,
    cell,
    has_row,
    landing,
    winning,
)
from ludens.games._connect_four_moves import candidates as candidates
from ludens.games._connect_four_moves import heuristic as heuristic
from ludens.games._connect_four_rules import RULES as RULES

STATE = np.dtype([("stones", np.uint64, 2), ("to_play", "i1"), ("winner", "i1")])
NUM_ACTIONS = COLUMNS
MAX_PLIES = ROWS * COLUMNS
SHAPE = (ROWS, COLUMNS)
PLANES = ("own discs", "opponent's discs")
TARGETS = ("owner of the cell",)
EDITS = ("drop CELL first|second", "take CELL", "to_play first|second")
NUM_SYMMETRIES = 2
# Elo by `ludens rate` with 40 games of each two, within about 90 (95 %).
LEVELS = {
    "": {
        "random": -870,
        "mcts:sims=10": -551,
        "mcts:sims=30": -308,
        "mcts:sims=100": 0,
        "mcts:sims=300": 94,
        "mcts:sims=1000": 317,
        "mcts:sims=3000": 393,
        "net:sims=64": None,
        "net:sims=256": None,
        "net:sims=1024": None,
    }
}
TRAINING = {
    "selfplay": {
        "positions": 10_000,
        "temperature_plies": 12,
        "opening_share": 0.4,
        "opening_plies": 10,
    },
    "small.selfplay": {"positions": 2000},
}


@rule
def legal(state: np.record, actions: Actions) -> int:
    occupied = state.stones[0] | state.stones[1]
    count = 0
    for column in range(COLUMNS):
        if landing(occupied, column) != 0:
            actions[count] = column
            count += 1
    return count


@rule
def apply(state: np.record, action: int) -> None:
    player = state.to_play
    occupied = state.stones[0] | state.stones[1]
    state.stones[player] |= landing(occupied, action)
    state.to_play = 1 - player
    if has_row(state.stones[player]):
        state.winner = 1 - 2 * player
        state.to_play = OVER
    elif state.stones[0] | state.stones[1] == BOARD:
        state.to_play = OVER


@rule
def result(state: np.record) -> float:
    return float(state.winner)


@rule
def observe(state: np.record, planes: Planes) -> None:
    for side in range(2):
        stones = state.stones[side ^ state.to_play]
        for row in range(ROWS):
            for column in range(COLUMNS):
                planes[side, row, column] = (stones & cell(row, column)) != 0


@rule
def transform(state: np.record, symmetry: int, image: np.record) -> None:
    if symmetry == 1:
        for side in range(2):
            image.stones[side] = np.uint64(0)
            for c in range(COLUMNS):
                discs = (state.stones[side] >> np.uint64(c * HEIGHT)) & COLUMN[0]
                image.stones[side] |= discs << np.uint64((COLUMNS - 1 - c) * HEIGHT)


@rule
def transform_action(action: int, symmetry: int) -> int:
    return COLUMNS - 1 - action if symmetry == 1 else action


@rule
def targets(state: np.record, planes: Planes) -> None:
    for row in range(ROWS):
        for column in range(COLUMNS):
            for side in range(2):
                if state.stones[side] & cell(row, column):
                    planes[0, row, column] = 1 - 2 * side


def action_name(state: np.record, action: int) -> str:
    return str(action + 1)


def why_illegal(state: np.record, action: int) -> str:
    return "the column is full"


def reason(state: np.record) -> str:
    return f"{CONNECT} in a row" if state.winner else "the board is full"


def edit(state: np.record, words: Sequence[str]) -> None:
    """Drop a disc into a column, remove its top disc, or pass the turn."""
    mover, stones = int(state.to_play), state.stones
    match [word.lower() for word in words]:
        case ["drop", column, "first" | "second" as player]:
            bit = landing(stones[0] | stones[1], read_column(column))
            if bit == 0:
                raise ValueError(f"column {column} is full")
            stones[PLAYERS.index(player)] |= bit
        case ["take", column]:
            discs = int((stones[0] | stones[1]) & COLUMN[read_column(column)])
            if discs == 0:
                raise ValueError(f"column {column} is empty")
            stones &= ~np.uint64(1 << discs.bit_length() - 1)
        case ["to_play", "first" | "second" as player]:
            mover = PLAYERS.index(player)
        case _:
            refuse_edit(EDITS)
    discs_of = [int(side).bit_count() for side in stones]
    wins = (bool(has_row(stones[0])), bool(has_row(stones[1])))
    give_turn(state, mover, discs_of, wins, stones[0] | stones[1] == BOARD)


def read_column(name: str) -> int:
    """Return a column, from 0, by its number on the board."""
    if not (name.isdecimal() and 1 <= int(name) <= COLUMNS):
        raise ValueError(f"{name!r} is not a column; they go from 1 to {COLUMNS}")
    return int(name) - 1


def owners(state: np.record) -> list[list[int]]:
    """Return the owner of each cell, -1 for none, rows from the top."""
    stones = [int(side) for side in state.stones]
    taken = [[int(cell(r, c)) for c in range(COLUMNS)] for r in range(ROWS)]
    return [
        [0 if stones[0] & b else 1 if stones[1] & b else -1 for b in row]
        for row in taken
    ]


def look(state: np.record) -> dict[str, Any]:
    """Return the board [rows, columns]: 1 and -1 for the players' discs, 0 for none."""
    marks = {-1: 0, 0: 1, 1: -1}
    return {"board": np.array([[marks[o] for o in row] for row in owners(state)])}


def draw(state: np.record) -> str:
    discs = {-1: ".", 0: paint("X", 0), 1: paint("O", 1)}
    rows = [" ".join(discs[owner] for owner in row) for row in owners(state)]
    return "\n".join([*rows, " ".join(str(c + 1) for c in range(COLUMNS))])


def scene(state: np.record) -> list[Shape]:
    won = winning(int(state.stones[0])) | winning(int(state.stones[1]))
    shapes = []
    for r, row in enumerate(owners(state)):
        for c, owner in enumerate(row):
            where = f"column {c + 1}, row {ROWS - r}"
            shapes.append(square(r, c, role="hole", label=where, choice=str(c + 1)))
            if owner >= 0:
                label = f"{'XO'[owner]} in {where}"
                shapes.append(disc(r, c, role="disc", owner=owner, label=label))
            if won & int(cell(r, c)):
                shapes.append(disc(r, c, role="won", size=0.3))
    return shapes
