"""Kernels of the scripts beside this one: `rules` is the game they are compiled for."""

import numpy as np
from numpy.typing import NDArray

from ludens.game import CHANCE, OVER, entry
from ludens.loading.complete import kernel_rules
from ludens.rng import Rng, below, pick

rules = kernel_rules()


@entry
def record_random(
    rng: Rng, steps: NDArray[np.int32], is_action: NDArray[np.bool_]
) -> int:
    """Play a random game and write its steps [at most H]; return how many it took.

    `is_action` [H] tells the players' steps from chance's.
    """
    actions = np.empty(rules.NUM_ACTIONS, np.int32)
    probabilities = np.empty(rules.MAX_OUTCOMES + 1, np.float64)
    states = np.zeros(1, rules.STATE)
    state = states[0]
    rules.start(state)
    count = 0
    while state.to_play != OVER and count < len(steps):
        is_action[count] = state.to_play != CHANCE
        if is_action[count]:
            steps[count] = actions[below(rng, rules.legal(state, actions))]
            rules.step(state, steps[count])
        else:
            steps[count] = pick(rng, probabilities, rules.chance(state, probabilities))
            rules.step_chance(state, steps[count])
        count += 1
    return count


@entry
def copy_around(states: NDArray[np.void], count: int) -> None:
    """Copy states `count` times, round and round the array."""
    for i in range(count):
        states[(i + 1) % len(states)] = states[i % len(states)]
