"""Kernel: the moves of self-play. `rules` is the game it is compiled for."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ludens.game import CHANCE, OVER, entry, rule
from ludens.loading.complete import kernel_rules
from ludens.rng import Rng, below, pick

rules = kernel_rules()


Array = NDArray[Any]


@entry
def roll(
    states: Array, g: int, rng: Rng, outcomes: NDArray[np.int32]
) -> tuple[float, int]:
    """Let chance have its turns; return their rewards and how many there were.

    It stops when `outcomes` is full: call it again.
    """
    state = states[g]
    probabilities = np.empty(rules.MAX_OUTCOMES + 1, np.float64)
    reward, count = 0.0, 0
    while state.to_play == CHANCE and count < len(outcomes):
        outcome = pick(rng, probabilities, rules.chance(state, probabilities))
        reward += rules.step_chance(state, outcome)
        outcomes[count] = outcome
        count += 1
    return reward, count


@entry
def step_at_random(states: Array, g: int, rng: Rng) -> tuple[int, float]:
    """Play any legal action; return it and its reward."""
    state = states[g]
    actions = np.empty(rules.NUM_ACTIONS, np.int32)
    action = int(actions[below(rng, rules.legal(state, actions))])
    return action, float(rules.step(state, action))


@entry
def step_all(
    states: Array, games: Array, actions: Array, rewards: Array, to_play: Array
) -> None:
    """Play an action in each of some games; chance does not move yet.

    `rewards` [N] gets what the actions [N] bring, `to_play` [N] who is next.
    """
    for n in range(len(games)):
        state = states[games[n]]
        rewards[n] = rules.step(state, actions[n])
        to_play[n] = state.to_play


@rule
def sample_action(
    policy: NDArray[np.float64], temperature: float, rng: Rng, weights: Array
) -> int:
    """Sample an action with probability proportional to policy ** (1 / temperature)."""
    highest = policy.max()
    weights[:] = 0.0
    for a in range(len(policy)):
        if policy[a] > 0.0:
            weights[a] = (policy[a] / highest) ** (1.0 / temperature)
    weights /= weights.sum()
    return pick(rng, weights, len(weights))


@entry
def sample_all(
    policies: Array, temperatures: Array, rows: Array, seeds: Array, actions: Array
) -> None:
    """Sample the actions of some rows [K] of `policies` [N, A].

    Each has its own temperature and its own seed.
    """
    weights = np.empty(policies.shape[1])
    for i in range(len(rows)):
        n = rows[i]
        rng = seeds[i : i + 1]
        actions[n] = sample_action(policies[n], temperatures[i], rng, weights)


@entry
def retrace(
    states: Array,
    g: int,
    blank: Array,
    history: NDArray[np.int32],
    movers: NDArray[np.int8],
) -> tuple[float, int]:
    """Play a history from the start, made of `blank[0]`; return score and plies.

    `movers` gets the player of each action.
    """
    states[g] = blank[0]
    state = states[g]
    rules.start(state)
    score, plies = 0.0, 0
    for step in history:
        if state.to_play == CHANCE:
            score += rules.step_chance(state, step)
        elif state.to_play != OVER:
            movers[plies] = state.to_play
            score += rules.step(state, step)
            plies += 1
    return score, plies
