"""Kernel: many games, one step at a time. `rules` is the game it is compiled for."""

import numpy as np

from ludens.envs.batch import NEXT_STEP, SAME_STEP, Array, Batch
from ludens.game import OVER, Actions, Planes, Probabilities, entry, rule
from ludens.loading.complete import kernel_rules
from ludens.rng import below

rules = kernel_rules()

ILLEGAL = -1.0
"""The reward of an illegal action, which ends the game."""


@rule
def begin(batch: Batch, g: int, chances: Probabilities) -> None:
    """Begin a game."""
    batch.states[g] = batch.blank[0]
    state = batch.states[g]
    rules.start(state)
    rules.resolve_chance(state, chances, batch.words[g : g + 1])
    batch.to_play[g] = max(0, state.to_play)
    batch.is_waiting[g] = False
    batch.plies[g] = 0


@rule
def see(state: np.record, viewer: int, planes: Planes) -> None:
    """Write what a player sees, whose turn it need not be."""
    planes[:] = 0.0
    mover = state.to_play
    state.to_play = viewer
    rules.observe(state, planes)
    state.to_play = mover


@rule
def show(batch: Batch, g: int, actions: Actions) -> None:
    """Write what is seen and what is legal."""
    see(batch.states[g], batch.to_play[g], batch.planes[g])
    if batch.is_waiting[g]:
        batch.masks[g, :] = 1
        return
    batch.masks[g, :] = 0
    for i in range(rules.legal(batch.states[g], actions)):
        batch.masks[g, actions[i]] = 1


@rule
def act(
    batch: Batch, g: int, action: int, max_plies: int, chances: Probabilities
) -> None:
    """Play an action; an illegal one ends the game."""
    state, mover = batch.states[g], int(batch.to_play[g])
    is_over = action < 0 or action >= rules.NUM_ACTIONS or batch.masks[g, action] == 0
    reward = ILLEGAL
    if not is_over:
        reward = rules.step(state, action)
        reward += rules.resolve_chance(state, chances, batch.words[g : g + 1])
        is_over = state.to_play == OVER
        if is_over and rules.NUM_PLAYERS == 2:
            reward = rules.result(state) * (1 - 2 * mover)
    batch.plies[g] += 1
    batch.to_play[g] = rules.NUM_PLAYERS - 1 - mover if is_over else state.to_play
    batch.rewards[g] = reward
    batch.terminated[g] = is_over
    batch.truncated[g] = not is_over and 0 < max_plies <= batch.plies[g]
    batch.is_waiting[g] = is_over or batch.truncated[g]


@entry
def begin_some(batch: Batch, games: Array) -> None:
    """Begin some games anew."""
    actions = np.empty(rules.NUM_ACTIONS, np.int32)
    chances = np.empty(rules.MAX_OUTCOMES + 1, np.float64)
    for g in games:
        begin(batch, g, chances)
        show(batch, g, actions)


@entry
def step_all(batch: Batch, choices: Array, mode: int, max_plies: int) -> int:
    """Play an action in each game; return how many ended.

    `choices` [N] has them. Of games that have ended, the mode says what becomes; games
    are cut after `max_plies`, if it is not 0.
    """
    actions = np.empty(rules.NUM_ACTIONS, np.int32)
    chances = np.empty(rules.MAX_OUTCOMES + 1, np.float64)
    num_ended = 0
    for g in range(len(batch.states)):
        if batch.is_waiting[g]:
            batch.rewards[g] = 0.0
            if mode == NEXT_STEP:
                batch.terminated[g] = batch.truncated[g] = False
                begin(batch, g, chances)
                show(batch, g, actions)
            continue
        act(batch, g, choices[g], max_plies, chances)
        if batch.is_waiting[g]:
            num_ended += 1
            if mode == SAME_STEP:
                see(batch.states[g], batch.to_play[g], batch.finals[g])
                begin(batch, g, chances)
        show(batch, g, actions)
    return num_ended


@entry
def sample_legal(masks: Array, words: Array, choices: Array) -> None:
    """Write any legal action of each game; `words` [N] are generators."""
    for g in range(len(masks)):
        count = 0
        for a in range(rules.NUM_ACTIONS):
            count += int(masks[g, a])
        left = below(words[g : g + 1], count)
        for a in range(rules.NUM_ACTIONS):
            left -= int(masks[g, a])
            if left < 0:
                choices[g] = a
                break
