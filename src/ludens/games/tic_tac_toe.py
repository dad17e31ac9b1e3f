"""Tic-tac-toe: three in a row on a board of three by three."""

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

STATE = np.dtype(
    [("board", "i1", 9), ("to_play", "i1"), ("winner", "i1"), ("ply", "i1")]
)
NUM_ACTIONS = 9
MAX_PLIES = 9
SHAPE = (3, 3)
PLANES = ("own marks", "opponent's marks")
TARGETS = ("owner of the cell",)
EDITS = STONE_EDITS
IMAGE = square_symmetries(3)
NUM_SYMMETRIES = 8
ROWS = ((0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8))
LINES = np.array([*ROWS, (0, 4, 8), (2, 4, 6)])
CROSS = {"role": "cross", "owner": 0, "label": "X"}
MARKS = {1: CROSS, -1: {"role": "ring", "owner": 1, "label": "O"}}


@rule
def legal(state: np.record, actions: Actions) -> int:
    count = 0
    for cell in range(9):
        if state.board[cell] == 0:
            actions[count] = cell
            count += 1
    return count


@rule
def apply(state: np.record, action: int) -> None:
    mark = 1 - 2 * state.to_play  # 1 for player 0, -1 for player 1
    state.board[action] = mark
    state.to_play = 1 - state.to_play
    state.ply += 1
    for line in LINES:
        if state.board[line[0]] == state.board[line[1]] == state.board[line[2]] == mark:
            state.winner = mark
    if state.winner != 0 or state.ply == 9:
        state.to_play = OVER


@rule
def result(state: np.record) -> float:
    return float(state.winner)


@rule
def observe(state: np.record, planes: Planes) -> None:
    own = 1 - 2 * state.to_play
    for cell in range(9):
        if state.board[cell] != 0:
            planes[int(state.board[cell] != own), cell // 3, cell % 3] = 1


@rule
def transform(state: np.record, symmetry: int, image: np.record) -> None:
    for cell in range(9):
        image.board[IMAGE[symmetry, cell]] = state.board[cell]


@rule
def transform_action(action: int, symmetry: int) -> int:
    return int(IMAGE[symmetry, action])


@rule
def targets(state: np.record, planes: Planes) -> None:
    for cell in range(9):
        planes[0, cell // 3, cell % 3] = state.board[cell]


def action_name(state: np.record, action: int) -> str:
    return cell_name(action // 3, action % 3)


def why_illegal(state: np.record, action: int) -> str:
    return "the cell is taken"


def edit(state: np.record, words: Sequence[str]) -> None:
    edit_stones(state, words, SHAPE, lambda m: (state.board[LINES] == m).all(1).any())


def look(state: np.record) -> dict[str, Any]:
    """Return the board [3, 3]: 1 for a cross, -1 for a ring."""
    return {"board": state.board.reshape(SHAPE).copy()}


def draw(state: np.record) -> str:
    marks = {0: ".", 1: paint("X", 0), -1: paint("O", 1)}
    return draw_grid([[marks[int(m)] for m in r] for r in state.board.reshape(3, 3)])


def scene(state: np.record) -> list[Shape]:
    names = [action_name(state, cell) for cell in range(9)]
    cells = [square(i // 3, i % 3, label=n, choice=n) for i, n in enumerate(names)]
    cells += [disc(i // 3, i % 3, **MARKS[m]) for i, m in enumerate(state.board) if m]
    won = LINES[abs(state.board[LINES].sum(1)) == 3]
    return cells + [disc(i // 3, i % 3, role="won", size=0.44) for i in won.flat]


@rule
def heuristic(state: np.record) -> float:
    """Weigh the lines that each side can still fill, by the square of its marks."""
    own = 1 - 2 * state.to_play
    lead = 0
    for line in LINES:
        mine, others = 0, 0
        for cell in line:
            mine += int(state.board[cell] == own)
            others += int(state.board[cell] == -own)
        if mine == 0 or others == 0:
            lead += mine * mine - others * others
    return lead / (8 + abs(lead))


# Elo by `ludens rate` with 16 games of each two, within about 90 (95 %).
LEVELS = {
    "": {
        "random": -376,
        "mcts:sims=10": -193,
        "mcts:sims=30": -71,
        "mcts:sims=100": 0,
        "mcts:sims=300": 22,
        "mcts:sims=1000": 59,
        "net:sims=64": None,
        "net:sims=256": None,
        "net:sims=1024": None,
    }
}
TRAINING = {
    "small.selfplay": {"positions": 1000, "temperature_plies": 9, "opening_share": 0.5},
    "small.replay": {"window_start": 4000, "window_max": 20_000},
    "small.learn": {"uses": 6.0, "lr": 3e-3},
    "small.evaluate": {"solved_positions": 0},
    "small.budget": {"minutes": 2.0},
    "laptop.selfplay": {
        "positions": 2000,
        "games": 128,
        "temperature_plies": 9,
        "opening_share": 0.5,
    },
    "laptop.replay": {"window_start": 8000, "window_max": 40_000},
    "laptop.learn": {"uses": 6.0, "lr": 3e-3, "ema_decay": 0.995},
    # One position kept from learning is 8 of 4,520; the end counts all of them.
    "laptop.evaluate": {
        "every": 5,
        "games": 20,
        "mcts_sims": 200,
        "solved_positions": 0,
    },
    "laptop.budget": {"minutes": 0.0, "iterations": 40},
    "gpu.selfplay": {"positions": 4000, "temperature_plies": 9},
    "gpu.replay": {"window_start": 20_000, "window_max": 100_000},
    "gpu.budget": {"minutes": 2.0},
    # A learned model is right where it has been, so nearly every game begins elsewhere,
    # and what it imagines counts for less than usual: docs/muzero.md, blind spots.
    # Without proofs, 32 simulations do not see every fork.
    "muzero.search": {"sims": 64, "c_scale": 0.25},
    "muzero.selfplay": {"opening_share": 0.9, "opening_plies": 8},
    "muzero.replay": {"unroll": 3},
    "muzero.evaluate": {"every": 20},
}
RULES = """\
## Aim
Get three of your marks in a row: across, down or along a diagonal.

## Board
Nine cells. Columns have letters from the left, rows have numbers from the top.

## Moves
X begins, then both take turns. A move puts a mark on an empty cell, where it stays.

## End
Whoever has three in a row wins at once. If the board fills up without one, the game is
a draw. Here X has won:

[board: b2 a1 c1 a2 a3]

## Notation
A move is the name of its cell: `a1` is the top left corner, `b2` the centre.

## Numbers of actions
Actions 0 to 8 are the cells row by row: a1 is 0, b1 is 1, a2 is 3, c3 is 8.
"""
