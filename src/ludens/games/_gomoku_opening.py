"""How a game of gomoku begins, and who has which colour: swap2 lets players choose.

By swap2 the first player puts three stones: black, white, black. The second one stays
white, swaps to black, or puts two more, white and black, and leaves that choice to the
first. Then white moves. A row that wins takes at least four stones of a colour, renju's
fouls take more, so there is neither before the colours are chosen.
"""

import numpy as np

from ludens.game import rule
from ludens.games._gomoku_board import CELLS, CENTRE, HISTORY, POINTS, SIZE, SWAP2

# `phase` of a state: who puts stones or chooses, until both have their colours.
THREE_STONES, FIRST_CHOICE, TWO_MORE, LAST_CHOICE, PLAY = range(5)
PHASES = (
    "the first three stones",
    "the second player chooses",
    "two more stones",
    "the first player chooses",
)
CHOICES = ("stay", "swap", "more")
STAY, SWAP, MORE = range(CELLS, CELLS + len(CHOICES))
FIELDS = [("phase", "i1"), ("swapped", "i1")] if SWAP2 else []
"""`swapped`: the first player has white."""
IS_MIDDLE = np.array([max(abs(2 * x - SIZE + 1) for x in p) <= 1 for p in POINTS])
"""[CELLS]: one point, or four on a board of even size."""


@rule
def colour(state: np.record) -> int:
    """Return the colour of the player to move, or of the stone to put: 1 is white."""
    player = max(int(state.to_play), 0)
    if SWAP2:
        if state.phase == THREE_STONES or state.phase == TWO_MORE:
            return int(state.ply % 2)
        return player ^ int(state.swapped)
    return player


@rule
def first_colour(state: np.record) -> int:
    """Return 1 if the first player has black, -1 if white."""
    if SWAP2:
        return 1 - 2 * int(state.swapped)
    return 1


@rule
def num_choices(state: np.record) -> int:
    """Return how many choices of swap2 there are; 0 if a stone is to be put."""
    if SWAP2:
        if state.phase == FIRST_CHOICE:
            return 3
        if state.phase == LAST_CHOICE:
            return 2
    return 0


@rule
def is_free(state: np.record, action: int) -> bool:
    """Return whether the action is a point to put a stone on, fouls left aside."""
    if SWAP2 and (action >= CELLS or num_choices(state) > 0):
        return False
    return state.board[action] == 0 and (
        not CENTRE or state.ply > 0 or IS_MIDDLE[action]
    )


@rule
def put(state: np.record, cell: int) -> None:
    """Put a stone of the colour to move on the board."""
    side = colour(state)
    state.board[cell] = 1 - 2 * side
    state.ply += 1
    if HISTORY > 0:
        moves = state.recent[side]
        for k in range(HISTORY - 1, 0, -1):
            moves[k] = moves[k - 1]
        moves[0] = cell + 1


@rule
def is_opening(state: np.record) -> bool:
    """Return whether the colours are still to be chosen."""
    if SWAP2:
        return bool(state.phase < PLAY)
    return False


@rule
def open_game(state: np.record, action: int) -> None:
    """Put a stone of the opening, or choose."""
    if SWAP2:
        if action == MORE:
            state.phase = TWO_MORE
        elif action >= CELLS:
            state.swapped = int(action == SWAP)
            state.phase = PLAY
            state.to_play = 1 - state.swapped
        else:
            put(state, action)
            if state.ply == 3:
                state.phase = FIRST_CHOICE
                state.to_play = 1
            elif state.ply == 5:
                state.phase = LAST_CHOICE
                state.to_play = 0
