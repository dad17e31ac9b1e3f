"""Gomoku: five in a row, by four sets of rules, one of them Renju with its fouls."""

from collections.abc import Sequence

import numpy as np

from ludens.boards import STONE_EDITS, edit_stones
from ludens.game import OVER, Actions, Planes, rule
from ludens.games._gomoku_board import (
    CELLS,
    CENTRE,
    HISTORY,
    IMAGE,
    RENJU,
    RIF,
    ROW,
    SIZE,
    has_row,
    run,
    wins,
)
from ludens.games._gomoku_fouls import UNCLEAR, glance, is_legal, legal_black
from ludens.games._gomoku_fours import forcing as forcing
from ludens.games._gomoku_heuristic import heuristic as heuristic
from ludens.games._gomoku_moves import candidates as candidates_in_play
from ludens.games._gomoku_moves import likely as likely
from ludens.games._gomoku_observe import PLANES as PLANES
from ludens.games._gomoku_observe import observe as observe
from ludens.games._gomoku_opening import (
    BY_CHOICE,
    CHOICES,
    FIELDS,
    NUM_EXTRA,
    PLAY,
    colour,
    first_colour,
    is_free,
    is_opening,
    num_choices,
    open_game,
    put,
    turn_offers,
    why_not_free,
)
from ludens.games._gomoku_rules import RULES as RULES
from ludens.games._gomoku_threes import answers as answers_in_play
from ludens.games._gomoku_threes import pressing as pressing
from ludens.games._gomoku_view import action_name as action_name
from ludens.games._gomoku_view import colours as colours
from ludens.games._gomoku_view import draw as draw
from ludens.games._gomoku_view import look as look
from ludens.games._gomoku_view import scene as scene

# Black is 1 on the board, white -1; black is player 0, unless the players have swapped.
# `recent` has the last moves of each colour as cell + 1, newest first.
STATE = np.dtype(
    [("board", "i1", CELLS), ("to_play", "i1"), ("winner", "i1"), ("ply", "i2")]
    + ([("recent", "i2", (2, HISTORY))] if HISTORY > 0 else [])
    + FIELDS
)
NUM_ACTIONS = CELLS + len(CHOICES)
MAX_PLIES = CELLS + NUM_EXTRA
SHAPE = (SIZE, SIZE)
TARGETS = ("owner of the point",)
EDITS = STONE_EDITS
NUM_SYMMETRIES = 8
# Elo by `ludens rate` with 16 games of each two, within about 180 (95 %). Those of nets
# are from another such tournament, with 100, 300 and 1,000 simulations.
LEVELS = {
    "size=9": {
        "random": -1285,
        "mcts:sims=10": -647,
        "mcts:sims=30": -386,
        "mcts:sims=100": 0,
        "mcts:sims=300": 399,
        "net:sims=50": 680,
        "mcts:sims=1000": 718,
        "net:sims=200": 796,
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
    count = num_choices(state)
    if count > 0:
        for i in range(count):
            actions[i] = CELLS + i
        return count
    is_bound = is_opening(state) or (CENTRE and state.ply == 0)
    if RENJU and colour(state) == 0 and not is_bound:
        return legal_black(state.board, actions)
    for cell in range(CELLS):
        actions[count] = cell
        count += int(is_free(state, cell))
    return count


@rule
def candidates(state: np.record, actions: Actions) -> int:
    if is_opening(state):
        return legal(state, actions)
    return candidates_in_play(state, actions)


@rule
def answers(state: np.record, actions: Actions) -> int:
    if is_opening(state):
        return legal(state, actions)
    return answers_in_play(state, actions)


@rule
def apply(state: np.record, action: int) -> None:
    if is_opening(state):
        open_game(state, action)
        return
    mark = 1 - 2 * colour(state)
    put(state, action)
    state.to_play = 1 - state.to_play
    if wins(state.board, action, mark):
        state.winner = mark
        state.to_play = OVER
    elif state.ply == CELLS or (RENJU and is_stuck(state)):
        state.to_play = OVER


@rule
def is_stuck(state: np.record) -> bool:
    """Return whether the player to move has no legal move."""
    cell = 0
    while cell < CELLS and not is_legal(state, cell):
        cell += 1
    return cell == CELLS


@rule
def foul(state: np.record, action: int) -> bool:
    if not is_free(state, action) or is_legal(state, action):
        return False
    put(state, action)
    state.winner = -1
    state.to_play = OVER
    return True


@rule
def result(state: np.record) -> float:
    return float(state.winner * first_colour(state))


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
    turn_offers(image, symmetry)


@rule
def transform_action(action: int, symmetry: int) -> int:
    if action >= CELLS:
        return action
    return int(IMAGE[symmetry, action])


@rule
def targets(state: np.record, planes: Planes) -> None:
    for cell in range(CELLS):
        planes[0, cell // SIZE, cell % SIZE] = state.board[cell] * first_colour(state)


def why_illegal(state: np.record, action: int) -> str:
    board = state.board
    if num_choices(state):
        return "a colour is to be chosen first"
    if action >= CELLS:
        return "there is nothing to choose"
    if board[action] != 0:
        return "the point is taken"
    if not is_free(state, action):
        return why_not_free(state)
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
    """Put or remove a stone, or pass the turn; earlier moves are forgotten.

    Stones are named by their players, who keep the colours that they have; what is left
    of an opening is left out.
    """
    first, board = first_colour(state), state.board
    board *= first
    edit_stones(state, words, SHAPE, lambda mark: has_row(first * board, first * mark))
    board *= first
    state.winner *= first
    if BY_CHOICE:
        state.phase = PLAY
    if RIF:
        state.offered[:] = 0
    if HISTORY > 0:
        state.recent[:] = 0
    if state.to_play >= 0 and is_stuck(state):
        state.to_play = OVER
