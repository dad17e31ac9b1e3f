"""Gomoku: five in a row, by four sets of rules, one of them Renju with its fouls."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from ludens.boards import (
    STONE_EDITS,
    cell_name,
    disc,
    draw_grid,
    edit_stones,
    paint,
    square,
    square_symmetries,
)
from ludens.game import OVER, Actions, Planes, Shape, rule
from ludens.games._gomoku_board import (
    CELLS,
    HISTORY,
    POINTS,
    RENJU,
    ROW,
    SIZE,
    has_row,
    run,
    wins,
)
from ludens.games._gomoku_fouls import UNCLEAR, glance, is_legal, legal_black
from ludens.games._gomoku_moves import candidates as candidates
from ludens.games._gomoku_moves import likely as likely

# Black (player 0) is 1 on the board, white -1. `recent` has the last moves of each side
# as cell + 1, newest first.
STATE = np.dtype(
    [("board", "i1", CELLS), ("to_play", "i1"), ("winner", "i1"), ("ply", "i2")]
    + ([("recent", "i2", (2, HISTORY))] if HISTORY > 0 else [])
)
NUM_ACTIONS = MAX_PLIES = CELLS
SHAPE = (SIZE, SIZE)
PLANES = (
    "own stones",
    "opponent's stones",
    "black to move",
    *(f"own stones {k + 1} moves back" for k in range(HISTORY)),
    *(f"opponent's stones {k + 1} moves back" for k in range(HISTORY)),
)
TARGETS = ("owner of the point",)
EDITS = STONE_EDITS
IMAGE = square_symmetries(SIZE)
NUM_SYMMETRIES = 8
# Elo by `ludens rate` with 16 games of each two, within about 180 (95 %). There are no
# levels of nets: 1,000 simulations with rollouts beat the net that ships, with 28 of 40
# games won and 6 drawn against net:sims=200.
LEVELS = {
    "size=9": {
        "random": -1285,
        "mcts:sims=10": -647,
        "mcts:sims=30": -386,
        "mcts:sims=100": 0,
        "mcts:sims=300": 399,
        "mcts:sims=1000": 718,
    }
}
TRAINING = {
    "search": {"max_considered": 16},
    "selfplay": {
        "temperature_plies": 8,
        "opening_share": 0.5,
        "opening_plies": 5,
        "resign_below": 0.95,
    },
    "evaluate": {"solved_positions": 0},
}


@rule
def legal(state: np.record, actions: Actions) -> int:
    if RENJU and state.to_play == 0:
        return legal_black(state.board, actions)
    count = 0
    for cell in range(CELLS):
        actions[count] = cell
        count += int(state.board[cell] == 0)
    return count


@rule
def apply(state: np.record, action: int) -> None:
    mark = 1 - 2 * state.to_play
    put(state, action)
    state.to_play = 1 - state.to_play
    if wins(state.board, action, mark):
        state.winner = mark
        state.to_play = OVER
    elif state.ply == CELLS or (RENJU and is_stuck(state)):
        state.to_play = OVER


@rule
def put(state: np.record, cell: int) -> None:
    """Put a stone of the player to move on the board."""
    state.board[cell] = 1 - 2 * state.to_play
    state.ply += 1
    if HISTORY > 0:
        moves = state.recent[state.to_play]
        for k in range(HISTORY - 1, 0, -1):
            moves[k] = moves[k - 1]
        moves[0] = cell + 1


@rule
def is_stuck(state: np.record) -> bool:
    """Return whether the player to move has no legal move."""
    cell = 0
    while cell < CELLS and not is_legal(state, cell):
        cell += 1
    return cell == CELLS


@rule
def foul(state: np.record, action: int) -> bool:
    if state.board[action] != 0 or is_legal(state, action):
        return False
    put(state, action)
    state.winner = -1
    state.to_play = OVER
    return True


@rule
def result(state: np.record) -> float:
    return float(state.winner)


@rule
def observe(state: np.record, planes: Planes) -> None:
    mover = max(state.to_play, 0)
    own = 1 - 2 * mover
    for cell in range(CELLS):
        if state.board[cell] != 0:
            planes[int(state.board[cell] != own), cell // SIZE, cell % SIZE] = 1
    planes[2] = 1 - mover
    if HISTORY > 0:
        for plane in range(3, 3 + 2 * HISTORY):
            side, back = divmod(plane - 3, HISTORY)
            planes[plane] = planes[side]
            for cell in state.recent[side ^ mover, : back + 1]:
                if cell > 0:
                    planes[plane, (cell - 1) // SIZE, (cell - 1) % SIZE] = 0


@rule
def transform(state: np.record, symmetry: int, image: np.record) -> None:
    for cell in range(CELLS):
        image.board[IMAGE[symmetry, cell]] = state.board[cell]
    if HISTORY > 0:
        for side in range(2):
            for k in range(HISTORY):
                cell = state.recent[side, k] - 1
                if cell >= 0:
                    image.recent[side, k] = IMAGE[symmetry, cell] + 1


@rule
def transform_action(action: int, symmetry: int) -> int:
    return int(IMAGE[symmetry, action])


@rule
def targets(state: np.record, planes: Planes) -> None:
    for cell in range(CELLS):
        planes[0, cell // SIZE, cell % SIZE] = state.board[cell]


def action_name(state: np.record, action: int) -> str:
    return cell_name(action // SIZE, action % SIZE)


def why_illegal(state: np.record, action: int) -> str:
    board = state.board
    if board[action] != 0:
        return "the point is taken"
    if glance(board, action) == UNCLEAR:
        return "forbidden: a double three"
    sides = [run(board, action, way, 0, 1) for way in range(8)]
    is_long = max(sides[way] + 1 + sides[way + 4] for way in range(4)) > ROW
    return f"forbidden: {'a row of six or more' if is_long else 'a double four'}"


def reason(state: np.record) -> str:
    if state.winner == 0:
        return "no move is left"
    has_won = has_row(state.board, int(state.winner))
    return f"{ROW} in a row" if has_won else "a forbidden move"


def edit(state: np.record, words: Sequence[str]) -> None:
    """Put or remove a stone, or pass the turn; earlier moves are forgotten."""
    edit_stones(state, words, SHAPE, lambda mark: has_row(state.board, mark))
    if HISTORY > 0:
        state.recent[:] = 0
    if state.to_play >= 0 and is_stuck(state):
        state.to_play = OVER


def look(state: np.record) -> dict[str, Any]:
    """Return the board [rows, columns]: 1 is black, -1 white; and renju's fouls."""
    parts: dict[str, Any] = {"board": state.board.reshape(SHAPE).copy()}
    if RENJU and state.to_play == 0:
        empty = map(int, np.flatnonzero(state.board == 0))
        fouls = [cell for cell in empty if not is_legal(state, cell)]
        parts["forbidden"] = [action_name(state, cell) for cell in fouls]
    return parts


def draw(state: np.record) -> str:
    marks = {0: ".", 1: paint("X", 0), -1: paint("O", 1)}
    board = state.board.reshape(SIZE, SIZE)
    return draw_grid([[marks[int(mark)] for mark in row] for row in board])


def scene(state: np.record) -> list[Shape]:
    names = [action_name(state, cell) for cell in range(CELLS)]
    cells = [
        square(*p, role="point", label=n, choice=n)
        for p, n in zip(POINTS, names, strict=True)
    ]
    stones = [(i, int(mark < 0)) for i, mark in enumerate(state.board) if mark]
    discs = [disc(*POINTS[i], owner=p, label="XO"[p]) for i, p in stones]
    won = [i for i, _ in stones if state.board[i] == state.winner]
    rings = [i for i in won if wins(state.board, i, int(state.winner))]
    return cells + discs + [disc(*POINTS[i], role="won", size=0.3) for i in rings]
