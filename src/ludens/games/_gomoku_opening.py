"""How a game of gomoku begins, and who has which colour: players may choose.

By swap2 the first player puts three stones: black, white, black. The second one stays
white, swaps to black, or puts two more, white and black, and leaves that choice to the
first. Then white moves.

By the rule of the Renju International Federation from 1996 to 2008 (rif) the first
player puts three stones: on the centre, next to it, and within the central 5x5. The
second one stays or swaps. White puts the fourth stone. Black offers two points for the
fifth, white puts black's stone on one of them and goes on with the sixth.

A row that wins takes at least four stones of a colour, renju's fouls take more, so
there is neither before the opening is over.
"""

import numpy as np

from ludens.game import rule
from ludens.games._gomoku_board import (
    CELLS,
    CENTRE,
    HISTORY,
    IMAGE,
    POINTS,
    RIF,
    SIZE,
    SWAP2,
)

BY_CHOICE = SWAP2 or RIF
# `phase` of a state: who puts stones, offers or chooses. The first two are common.
THREE_STONES, FIRST_CHOICE = range(2)
TWO_MORE, LAST_CHOICE = range(2, 4)  # of swap2
FOURTH, FIRST_OFFER, SECOND_OFFER, PICK = range(2, 6)  # of rif
PHASES: tuple[str, ...] = ()
if SWAP2:
    PHASES = (
        "the first three stones",
        "the second player chooses",
        "two more stones",
        "the first player chooses",
    )
elif RIF:
    PHASES = (
        "the first three stones",
        "the second player chooses",
        "the fourth stone",
        "the first offer",
        "the second offer",
        "white picks",
    )
PLAY = len(PHASES)
CHOICES = ("stay", "swap", "more")[: SWAP2 * 3 + RIF * 2]
STAY, SWAP, MORE = range(CELLS, CELLS + 3)
NUM_EXTRA = SWAP2 * 2 + RIF * 3
"""Actions that put no stone, at most."""
FIELDS: list[tuple[str, str] | tuple[str, str, int]] = []
if BY_CHOICE:
    FIELDS += [("phase", "i1"), ("swapped", "i1")]
if RIF:
    FIELDS += [("offered", "i2", 2)]
"""`swapped`: the first player has white. `offered`: cells + 1, ascending, 0: none."""
FROM_CENTRE = np.array([max(abs(2 * x - SIZE + 1) // 2 for x in p) for p in POINTS])
"""[CELLS]: 0 for the centre, one point, or four on a board of even size."""


@rule
def colour(state: np.record) -> int:
    """Return the colour of the player to move, or of the stone to put: 1 is white."""
    player = max(int(state.to_play), 0)
    if SWAP2:
        if state.phase == THREE_STONES or state.phase == TWO_MORE:
            return int(state.ply % 2)
        return player ^ int(state.swapped)
    if RIF:
        if state.phase == THREE_STONES or state.phase == PICK:
            return int(state.ply % 2)
        return player ^ int(state.swapped)
    return player


@rule
def first_colour(state: np.record) -> int:
    """Return 1 if the first player has black, -1 if white."""
    if BY_CHOICE:
        return 1 - 2 * int(state.swapped)
    return 1


@rule
def num_choices(state: np.record) -> int:
    """Return how many choices of colour there are; 0 if a point is to be named."""
    if BY_CHOICE:
        if state.phase == FIRST_CHOICE:
            return len(CHOICES)
        if SWAP2 and state.phase == LAST_CHOICE:
            return 2
    return 0


@rule
def is_free(state: np.record, action: int) -> bool:
    """Return whether the action is a point to put a stone on, fouls left aside."""
    if BY_CHOICE and (action >= CELLS or num_choices(state) > 0):
        return False
    if state.board[action] != 0:
        return False
    if CENTRE:
        return bool(state.ply > 0 or FROM_CENTRE[action] == 0)
    if RIF:
        if state.phase == THREE_STONES:
            return bool(FROM_CENTRE[action] <= state.ply)
        if state.phase == SECOND_OFFER:
            return not is_like_first_offer(state, action)
        if state.phase == PICK:
            return action + 1 in state.offered
    return True


@rule
def is_like_first_offer(state: np.record, cell: int) -> bool:
    """Return whether a symmetry of the position takes the first offer to a point."""
    if RIF:
        first = state.offered[1] - 1
        for symmetry in range(8):
            if IMAGE[symmetry, first] == cell and is_kept(state, symmetry):
                return True
    return False


@rule
def is_kept(state: np.record, symmetry: int) -> bool:
    """Return whether a symmetry leaves the position as it is."""
    for cell in range(CELLS):
        if state.board[IMAGE[symmetry, cell]] != state.board[cell]:
            return False
    return True


def why_not_free(state: np.record) -> str:
    """Say why an empty point may not be taken in an opening."""
    if state.ply == 0:
        return "the first stone goes on the centre"
    if state.phase == THREE_STONES:
        side = 2 * state.ply + 1
        number = ("second", "third")[state.ply - 1]
        return f"the {number} stone goes within the central {side}x{side}"
    if state.phase == PICK:
        return "it is not one of the two points offered"
    return "it is the same as the first offer, by a symmetry of the position"


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
    """Return whether an opening by choices is still going on."""
    if BY_CHOICE:
        return bool(state.phase < PLAY)
    return False


@rule
def open_game(state: np.record, action: int) -> None:
    """Put a stone of the opening, offer a point, or choose."""
    if SWAP2:
        if action == MORE:
            state.phase = TWO_MORE
        elif action >= CELLS:
            choose_colour(state, action)
            state.phase = PLAY
        else:
            put(state, action)
            if state.ply == 3:
                state.phase = FIRST_CHOICE
                state.to_play = 1
            elif state.ply == 5:
                state.phase = LAST_CHOICE
                state.to_play = 0
    if RIF:
        open_by_rif(state, action)


@rule
def choose_colour(state: np.record, action: int) -> None:
    """Stay or swap; white is next."""
    if BY_CHOICE:
        state.swapped = int(action == SWAP)
        state.to_play = 1 - state.swapped


@rule
def open_by_rif(state: np.record, action: int) -> None:
    """Do what the phase asks for, and pass to the next one."""
    if RIF:
        if action >= CELLS:
            choose_colour(state, action)
        elif state.phase == FIRST_OFFER:
            state.offered[1] = action + 1
        elif state.phase == SECOND_OFFER:
            state.offered[0] = min(action + 1, state.offered[1])
            state.offered[1] = max(action + 1, state.offered[1])
        else:
            put(state, action)
        if state.ply < 3:
            return
        # Black offers both points in a row; white picks and puts the sixth stone.
        if state.phase in (THREE_STONES, FOURTH, SECOND_OFFER):
            state.to_play = 1 - state.to_play
        elif state.phase == PICK:
            state.offered[:] = 0
        state.phase += 1


@rule
def turn_offers(image: np.record, symmetry: int) -> None:
    """Turn the points that are offered, and keep them in order."""
    if RIF:
        for k in range(2):
            if image.offered[k] > 0:
                image.offered[k] = IMAGE[symmetry, image.offered[k] - 1] + 1
        low, high = min(image.offered), max(image.offered)
        image.offered[0] = low
        image.offered[1] = high
