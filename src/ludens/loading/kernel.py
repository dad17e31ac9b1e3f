"""Kernel: the rules one by one, for Python. `rules` is the game it is compiled for."""

from typing import Any

import numpy as np

from ludens.game import Actions, Planes, Probabilities, entry
from ludens.loading.complete import kernel_rules

rules = kernel_rules()


@entry
def start(state: np.record) -> None:
    """Set up an all-zero state."""
    rules.start(state)


@entry
def legal(state: np.record, actions: Actions) -> int:
    """Write the legal actions; return how many."""
    return rules.legal(state, actions)


@entry
def apply(state: np.record, action: int) -> Any:
    """Play a legal action; return its reward in single-player games."""
    return rules.apply(state, action)


@entry
def chance(state: np.record, probabilities: Probabilities) -> int:
    """Write the probabilities of chance's outcomes; return how many."""
    return rules.chance(state, probabilities)


@entry
def apply_chance(state: np.record, outcome: int) -> Any:
    """Let chance have its turn; return its reward in single-player games."""
    return rules.apply_chance(state, outcome)


@entry
def result(state: np.record) -> float:
    """Return the result of a finished game."""
    return rules.result(state)


@entry
def observe(state: np.record, planes: Planes) -> None:
    """Write what a network sees."""
    rules.observe(state, planes)


@entry
def transform(state: np.record, symmetry: int, image: np.record) -> None:
    """Write the image of a state under a symmetry."""
    rules.transform(state, symmetry, image)


@entry
def transform_action(action: int, symmetry: int) -> int:
    """Return the image of an action under a symmetry."""
    return rules.transform_action(action, symmetry)


@entry
def targets(state: np.record, planes: Planes) -> None:
    """Write the auxiliary planes of a finished game."""
    rules.targets(state, planes)


@entry
def candidates(state: np.record, actions: Actions) -> int:
    """Write the actions worth solving; return how many."""
    return rules.candidates(state, actions)


@entry
def likely(state: np.record, before: int, last: int, actions: Actions) -> int:
    """Write the legal actions that are likely; return how many, 0: all."""
    return rules.likely(state, before, last, actions)


@entry
def forcing(state: np.record, actions: Actions) -> int:
    """Write the legal actions that the opponent must answer; return how many."""
    return rules.forcing(state, actions)


@entry
def pressing(state: np.record, actions: Actions) -> int:
    """Write the legal actions that threaten a win by force; return how many."""
    return rules.pressing(state, actions)


@entry
def answers(state: np.record, actions: Actions) -> int:
    """Write the answers to what forces or presses; return how many."""
    return rules.answers(state, actions)


@entry
def heuristic(state: np.record) -> float:
    """Return what a position may be worth to the player to move."""
    return rules.heuristic(state)


@entry
def foul(state: np.record, action: int) -> bool:
    """Play a foul; return False if the action is none."""
    return rules.foul(state, action)


@entry
def advance(
    states: Any, action: int, actions: Actions, count: int
) -> tuple[float, int]:
    """Play an action if it is legal, and list the legal actions after it.

    `states` is an array [1], which is far quicker to hand over than a record. `actions`
    [A] has the `count` legal actions, and gets the new ones; count -1: not known. The
    answer is the reward and the new count, -1 if the action was not legal. No action
    (-1) only lists.
    """
    state, reward = states[0], 0.0
    if count < 0:
        count = rules.legal(state, actions) if state.to_play >= 0 else 0
    if action < 0:
        return reward, count
    for i in range(count):
        if actions[i] == action:
            reward = rules.step(state, action)
            count = rules.legal(state, actions) if state.to_play >= 0 else 0
            return reward, count
    return reward, -1


@entry
def roll(states: Any, point: float, probabilities: Probabilities) -> tuple[float, int]:
    """Let chance have its turn by a number in [0, 1): return the reward and outcome.

    The outcome is -1 if none is possible. `states` is an array [1].
    """
    state, total, outcome = states[0], 0.0, -1
    count = rules.chance(state, probabilities)
    for i in range(count):
        total += max(0.0, probabilities[i])
    left = point * total
    for i in range(count):
        if probabilities[i] > 0.0:
            outcome = i
            left -= probabilities[i]
            if left < 0.0:
                break
    if outcome < 0:
        return 0.0, outcome
    return rules.step_chance(state, outcome), outcome


@entry
def step(state: np.record, action: int) -> float:
    """Play a legal action and return its reward, 0 in two-player games."""
    return rules.step(state, action)


@entry
def step_chance(state: np.record, outcome: int) -> float:
    """Let chance have its turn and return its reward, 0 in two-player games."""
    return rules.step_chance(state, outcome)
