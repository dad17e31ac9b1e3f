"""What a player sees of a state, whose turn it need not be."""

import numpy as np

from ludens.game import Planes
from ludens.state import State


def planes_of(state: State, player: int) -> Planes:
    """Return the planes of a player; those of an ended game, too."""
    if state.to_play == player:
        return state.observe()
    twin = state.game.states(1)
    twin[0] = state.raw
    twin["to_play"] = player
    planes = np.zeros(state.game.observation_shape, np.float32)
    state.game.rules.observe(twin[0], planes)
    return planes
