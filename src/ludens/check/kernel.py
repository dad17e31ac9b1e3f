"""Kernel: random games with the cheap checks; `rules` is the game it is made for."""

# ruff: noqa: SIM110  (Numba has no `all`)

import numpy as np
from numpy.typing import NDArray

from ludens.game import CHANCE, OVER, Actions, Planes, Probabilities, entry, rule
from ludens.loading.complete import kernel_rules
from ludens.rng import Rng, below, pick

rules = kernel_rules()

LARGEST = 3.5e38  # just above the largest 32-bit float
CODES = (
    "",
    "to-play-out-of-range",
    "too-long",
    "endless",
    "legal-empty",
    "legal-too-many",
    "legal-out-of-range",
    "legal-not-ascending",
    "legal-changes-state",
    "observe-changes-state",
    "observe-not-finite",
    "apply-changes-nothing",
    "reward-not-finite",
    "chance-empty",
    "chance-too-many",
    "chance-not-probability",
    "chance-sum",
    "chance-changes-state",
    "apply-chance-changes-nothing",
    "result-not-a-result",
    "targets-out-of-range",
    "observe-out-of-bounds",
)
TO_PLAY, TOO_LONG, ENDLESS = 1, 2, 3
LEGAL_EMPTY, LEGAL_TOO_MANY, LEGAL_RANGE, LEGAL_ORDER, LEGAL_CHANGES = 4, 5, 6, 7, 8
OBSERVE_CHANGES, OBSERVE_FINITE, APPLY_NOTHING, REWARD_FINITE = 9, 10, 11, 12
CHANCE_EMPTY, CHANCE_TOO_MANY, CHANCE_RANGE, CHANCE_SUM = 13, 14, 15, 16
CHANCE_CHANGES, APPLY_CHANCE_NOTHING, RESULT, TARGETS_RANGE = 17, 18, 19, 20
OBSERVE_BOUNDS = 21
HUGE = 1000.0
SLACK = 1e-6  # of bounds that a 32-bit float cannot be


@rule
def is_same(words: NDArray[np.uint64]) -> bool:
    """Compare the state, row 0, with its copy in row 1 [2, words]."""
    for i in range(words.shape[1]):
        if words[0, i] != words[1, i]:
            return False
    return True


@rule
def fault_of_legal(actions: Actions, count: int) -> int:
    """Return what is wrong with the legal actions, 0 if nothing is."""
    if count < 1:
        return LEGAL_EMPTY
    if count > rules.NUM_ACTIONS:
        return LEGAL_TOO_MANY
    for i in range(count):
        if not 0 <= actions[i] < rules.NUM_ACTIONS:
            return LEGAL_RANGE
        if i > 0 and actions[i - 1] >= actions[i]:
            return LEGAL_ORDER
    return 0


@rule
def fault_of_chance(probabilities: Probabilities, count: int) -> int:
    """Return what is wrong with the probabilities, 0 if nothing is."""
    if count < 1:
        return CHANCE_EMPTY
    if count > rules.MAX_OUTCOMES:
        return CHANCE_TOO_MANY
    total = 0.0
    for i in range(count):
        if not 0.0 <= probabilities[i] <= 1.0:
            return CHANCE_RANGE
        total += probabilities[i]
    return 0 if abs(total - 1.0) < 1e-9 else CHANCE_SUM


@rule
def is_within(planes: Planes, limit: float) -> bool:
    """Whether all values are at most `limit` in magnitude, and numbers at all."""
    for value in planes.flat:
        if not abs(value) <= limit:
            return False
    return True


@rule
def is_in_bounds(planes: Planes) -> bool:
    """Whether all values of an observation are within BOUNDS."""
    low, high = rules.BOUNDS
    for value in planes.flat:
        if not low - SLACK <= value <= high + SLACK:
            return False
    return True


@rule
def play_action(
    state: np.record,
    words: NDArray[np.uint64],
    actions: Actions,
    planes: Planes,
    rng: Rng,
    step: NDArray[np.int32],
) -> int:
    """Play a random action into `step`; return a fault or 0."""
    words[1] = words[0]
    count = rules.legal(state, actions)
    fault = fault_of_legal(actions, count)
    if fault != 0:
        return fault
    if not is_same(words):
        return LEGAL_CHANGES
    planes[:] = 0
    rules.observe(state, planes)
    if not is_same(words):
        return OBSERVE_CHANGES
    if not is_within(planes, LARGEST):
        return OBSERVE_FINITE
    if is_within(planes, HUGE) and not is_in_bounds(planes):
        return OBSERVE_BOUNDS
    step[0] = actions[below(rng, count)]
    if not np.isfinite(rules.step(state, step[0])):
        return REWARD_FINITE
    return APPLY_NOTHING if is_same(words) else 0


@rule
def play_chance(
    state: np.record,
    words: NDArray[np.uint64],
    probabilities: Probabilities,
    rng: Rng,
    step: NDArray[np.int32],
) -> int:
    """Let chance have its turn, the outcome going into `step`; return a fault or 0."""
    words[1] = words[0]
    count = rules.chance(state, probabilities)
    fault = fault_of_chance(probabilities, count)
    if fault != 0:
        return fault
    if not is_same(words):
        return CHANCE_CHANGES
    step[0] = pick(rng, probabilities, count)
    if not np.isfinite(rules.step_chance(state, step[0])):
        return REWARD_FINITE
    return APPLY_CHANCE_NOTHING if is_same(words) else 0


@rule
def fault_at_end(state: np.record, targets: Planes) -> int:
    """Return what is wrong with a finished game, 0 if nothing is."""
    result = rules.result(state)
    if rules.NUM_PLAYERS == 2 and result != 1 and result != 0 and result != -1:
        return RESULT
    targets[:] = 0
    rules.targets(state, targets)
    return 0 if is_within(targets, 1.0) else TARGETS_RANGE


@entry
def play_checked(
    state: np.record,
    words: NDArray[np.uint64],
    actions: Actions,
    probabilities: Probabilities,
    planes: Planes,
    targets: Planes,
    rng: Rng,
    history: NDArray[np.int32],
    num_steps: NDArray[np.int64],
) -> int:
    """Play one random game; return the first fault or 0, and its length in `num_steps`.

    `words` [2, words] sees the memory of `state` in row 0.
    """
    words[0] = 0
    rules.start(state)
    plies = 0
    for i in range(len(history)):
        num_steps[0] = i
        step = history[i : i + 1]
        if state.to_play == OVER:
            return fault_at_end(state, targets)
        if state.to_play == CHANCE:
            fault = play_chance(state, words, probabilities, rng, step)
        elif 0 <= state.to_play < rules.NUM_PLAYERS:
            fault = play_action(state, words, actions, planes, rng, step)
            plies += 1
        else:
            return TO_PLAY
        if fault != 0:
            return fault
        if 0 < rules.MAX_PLIES < plies:
            return TOO_LONG
    return ENDLESS
