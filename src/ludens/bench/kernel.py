"""Kernel: random games, many at a time. `rules` is the game it is compiled for."""

import numpy as np
from numpy.typing import NDArray

from ludens.game import OVER, entry
from ludens.loading.complete import kernel_rules
from ludens.rng import Rng, below

rules = kernel_rules()


@entry
def play_random(count: int, rng: Rng, totals: NDArray[np.float64]) -> int:
    """Play `count` random games; return how many actions they took.

    `totals` gets the games won by player 0, by player 1, drawn, and the sum of rewards.
    """
    actions = np.empty(rules.NUM_ACTIONS, np.int32)
    probabilities = np.empty(rules.MAX_OUTCOMES + 1, np.float64)
    states = np.zeros(2, rules.STATE)
    state = states[0]
    plies = 0
    for _ in range(count):
        states[0] = states[1]
        rules.start(state)
        totals[3] += rules.resolve_chance(state, probabilities, rng)
        while state.to_play != OVER:
            legal = rules.legal(state, actions)
            totals[3] += rules.step(state, actions[below(rng, legal)])
            totals[3] += rules.resolve_chance(state, probabilities, rng)
            plies += 1
        result = rules.result(state)
        totals[0 if result > 0 else 1 if result < 0 else 2] += 1
    return plies
