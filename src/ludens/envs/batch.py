"""Many games at once, as arrays."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ludens.loading.game import Game

Array = NDArray[Any]
STAY, NEXT_STEP, SAME_STEP = range(3)
"""What a game does that has ended: nothing, begin with the next step, or at once."""


class Batch(NamedTuple):
    """N games, and what the last step showed of each."""

    states: Array
    """[N] records"""
    blank: Array
    """[1] an all-zero record"""
    words: Array
    """[N] generators, of what chance does"""
    planes: Array
    """[N, planes, rows, columns] what is seen"""
    masks: Array
    """[N, A] 1 for each legal action; after an end for all"""
    to_play: Array
    """[N] whose turn it is, who is the one that sees; after an end whose it would be"""
    rewards: Array
    """[N] for who made the last move"""
    terminated: Array
    """[N] whether the last step ended the game"""
    truncated: Array
    """[N] whether it was cut"""
    is_waiting: Array
    """[N] whether a game has ended, and not begun anew"""
    plies: Array
    """[N] so far"""
    finals: Array
    """[N, planes, rows, columns] what was seen at an end, if games begin at once"""


def new_batch(game: Game, count: int, ends_at_once: bool) -> Batch:
    """Allocate games that have not begun."""
    shape = game.observation_shape
    return Batch(
        states=game.states(count),
        blank=game.states(1),
        words=np.zeros(count, np.uint64),
        planes=np.zeros((count, *shape), np.float32),
        masks=np.zeros((count, game.num_actions), np.int8),
        to_play=np.zeros(count, np.int8),
        rewards=np.zeros(count, np.float64),
        terminated=np.zeros(count, np.bool_),
        truncated=np.zeros(count, np.bool_),
        is_waiting=np.zeros(count, np.bool_),
        plies=np.zeros(count, np.int32),
        finals=np.zeros((count if ends_at_once else 0, *shape), np.float32),
    )
