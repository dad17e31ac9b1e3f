"""Kernel: counts of games and positions (perft)."""

import numpy as np
from numpy.typing import NDArray

from ludens.game import OVER, entry
from ludens.loading.complete import kernel_rules

rules = kernel_rules()


@entry
def count_games(states: NDArray[np.void]) -> int:
    """Return the number of games; `states` [MAX_PLIES + 1] is the stack."""
    actions = np.empty((len(states), rules.NUM_ACTIONS), np.int32)
    left = np.zeros(len(states), np.int64)
    rules.start(states[0])
    left[0] = rules.legal(states[0], actions[0])
    depth, games = 0, 0
    while depth >= 0:
        if left[depth] == 0:
            depth -= 1
            continue
        left[depth] -= 1
        states[depth + 1] = states[depth]
        rules.apply(states[depth + 1], actions[depth, left[depth]])
        if states[depth + 1].to_play == OVER:
            games += 1
        else:
            depth += 1
            left[depth] = rules.legal(states[depth], actions[depth])
    return games


@entry
def children(states: NDArray[np.void]) -> NDArray[np.void]:
    """Return the states one move after these, in order, repetitions included."""
    actions = np.empty(rules.NUM_ACTIONS, np.int32)
    found = np.zeros(len(states) * rules.NUM_ACTIONS, rules.STATE)
    count = 0
    for i in range(len(states)):
        if states[i].to_play >= 0:
            for k in range(rules.legal(states[i], actions)):
                found[count] = states[i]
                rules.apply(found[count], actions[k])
                count += 1
    return found[:count]
