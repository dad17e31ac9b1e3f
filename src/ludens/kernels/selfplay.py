"""Kernel: the moves of self-play. `rules` is the game it is compiled for."""

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ludens.game import CHANCE, OVER, rule
from ludens.rng import Rng, below, pick

if TYPE_CHECKING:
    from ludens.completing import CompleteRules

    rules: CompleteRules


@rule
def roll(state: np.record, rng: Rng, outcomes: NDArray[np.int32]) -> tuple[float, int]:
    """Let chance have its turns; return their rewards and how many there were.

    It stops when `outcomes` is full: call it again.
    """
    probabilities = np.empty(rules.MAX_OUTCOMES + 1, np.float64)
    reward, count = 0.0, 0
    while state.to_play == CHANCE and count < len(outcomes):
        outcome = pick(rng, probabilities, rules.chance(state, probabilities))
        reward += rules.step_chance(state, outcome)
        outcomes[count] = outcome
        count += 1
    return reward, count


@rule
def step(state: np.record, action: int) -> float:
    """Play an action; return its reward."""
    return float(rules.step(state, action))


@rule
def pick_random(state: np.record, rng: Rng) -> int:
    """Return any legal action."""
    actions = np.empty(rules.NUM_ACTIONS, np.int32)
    return int(actions[below(rng, rules.legal(state, actions))])


@rule
def pick_warm(policy: NDArray[np.float64], temperature: float, rng: Rng) -> int:
    """Return an action drawn with probability policy ** (1 / temperature)."""
    highest = policy.max()
    weights = np.zeros(len(policy))
    for a in range(len(policy)):
        if policy[a] > 0.0:
            weights[a] = (policy[a] / highest) ** (1.0 / temperature)
    weights /= weights.sum()
    return pick(rng, weights, len(weights))


@rule
def retrace(
    states: NDArray[np.void], history: NDArray[np.int32], movers: NDArray[np.int8]
) -> tuple[float, int]:
    """Play a history from the start in `states[0]`; return the score and the plies.

    `movers` gets the player of each action.
    """
    states[0] = states[1]
    state = states[0]
    rules.start(state)
    score, plies = 0.0, 0
    for entry in history:
        if state.to_play == CHANCE:
            score += rules.step_chance(state, entry)
        elif state.to_play != OVER:
            movers[plies] = state.to_play
            score += rules.step(state, entry)
            plies += 1
    return score, plies
