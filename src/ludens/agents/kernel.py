"""Kernel: what each move brings, one ply ahead or two. `rules` is the game."""

import numpy as np
from numpy.typing import NDArray

from ludens.game import CHANCE, OVER, entry, rule
from ludens.loading.complete import kernel_rules

rules = kernel_rules()

TIE = 1e-9
"""Rewards that differ by less are equal: sums depend on their order a little."""


@rule
def count_open(
    state: np.record,
    mover: int,
    twins: NDArray[np.void],
    samples: int,
    word: np.uint64,
) -> float:
    """Return how many moves a state leaves, on average over what chance may do."""
    if state.to_play == OVER:
        return 0.0
    actions = np.empty(rules.NUM_ACTIONS, np.int32)
    chances = np.empty(rules.MAX_OUTCOMES + 1, np.float64)
    times = samples if state.to_play == CHANCE else 1
    rng = np.array([word], np.uint64)
    total = 0
    for _ in range(times):
        twins[0] = state
        rules.resolve_chance(twins[0], chances, rng)
        if twins[0].to_play != OVER:
            total += rules.legal(twins[0], actions)
    return total / times


@rule
def gain(state: np.record, action: int) -> float:
    """Play an action; return its reward, or the result for the one who played it."""
    player = state.to_play
    reward = rules.step(state, action)
    if rules.NUM_PLAYERS == 2 and state.to_play == OVER:
        return float(rules.result(state) * (1 - 2 * player))
    return reward


@rule
def count_safe(
    state: np.record,
    mover: int,
    twins: NDArray[np.void],
    samples: int,
    word: np.uint64,
) -> float:
    """Return 0, less one for each reply to the one who moved that wins at once."""
    if state.to_play == OVER:
        return 0.0
    actions = np.empty(rules.NUM_ACTIONS, np.int32)
    twins[0] = state
    chances = np.empty(rules.MAX_OUTCOMES + 1, np.float64)
    rules.resolve_chance(twins[0], chances, np.array([word], np.uint64))
    if twins[0].to_play != 1 - mover:
        return 0.0
    losing = 0
    for i in range(rules.legal(twins[0], actions)):
        twins[1] = twins[0]
        losing += int(gain(twins[1], actions[i]) > 0)
    return -float(losing)


count_left = count_open if rules.NUM_PLAYERS == 1 else count_safe


@entry
def look(
    states: NDArray[np.void],
    samples: int,
    word: np.uint64,
    actions: NDArray[np.int32],
    gains: NDArray[np.float64],
    opens: NDArray[np.float64],
) -> int:
    """Write what each legal action of states[0] gains, and what the best leave open.

    That is moves of one's own; in two-player games, less than none for each reply that
    wins. Return how many actions there are; states[1:4] are room for others. Chance
    draws the same for every action.
    """
    count = rules.legal(states[0], actions)
    best = -np.inf
    for i in range(count):
        states[1] = states[0]
        gains[i] = gain(states[1], actions[i])
        best = max(best, gains[i])
    for i in range(count):
        opens[i] = 0.0
        if gains[i] > best - TIE:
            states[1] = states[0]
            gain(states[1], actions[i])
            mover = states[0].to_play
            opens[i] = count_left(states[1], mover, states[2:], samples, word)
    return count


@entry
def look_twice(
    states: NDArray[np.void],
    samples: int,
    word: np.uint64,
    actions: NDArray[np.int32],
    gains: NDArray[np.float64],
    opens: NDArray[np.float64],
) -> int:
    """Do as `look`, with the best reply to what chance makes of each action.

    The gain is that of the action and of the reply, on average.
    """
    replies = np.empty(rules.NUM_ACTIONS, np.int32)
    reply_gains = np.empty(rules.NUM_ACTIONS, np.float64)
    reply_opens = np.empty(rules.NUM_ACTIONS, np.float64)
    chances = np.empty(rules.MAX_OUTCOMES + 1, np.float64)
    rng = np.zeros(1, np.uint64)
    count = rules.legal(states[0], actions)
    for i in range(count):
        states[4] = states[0]
        first = gain(states[4], actions[i])
        times = samples if states[4].to_play == CHANCE else 1
        rng[0] = word
        gains[i] = opens[i] = 0.0
        for _ in range(times):
            states[1] = states[4]
            reward = first + rules.resolve_chance(states[1], chances, rng)
            gains[i] += reward / times
            if states[1].to_play != OVER:
                num = look(states[1:], samples, word, replies, reply_gains, reply_opens)
                best = 0
                for k in range(1, num):
                    lead = reply_gains[k] - reply_gains[best]
                    more = reply_opens[k] > reply_opens[best]
                    if lead > TIE or (lead > -TIE and more):
                        best = k
                gains[i] += reply_gains[best] / times
                opens[i] += reply_opens[best] / times
    return count


@rule
def judge(state: np.record, player: int) -> float:
    """Return the result for a player or, while the game goes on, the heuristic."""
    if state.to_play == OVER:
        return float(rules.result(state) * (1 - 2 * player))
    worth = rules.heuristic(state)
    return float(worth if state.to_play == player else -worth)


@entry
def weigh(
    states: NDArray[np.void],
    samples: int,
    word: np.uint64,
    actions: NDArray[np.int32],
    gains: NDArray[np.float64],
    opens: NDArray[np.float64],
) -> int:
    """Do as `look` by the heuristic: write what each action is worth to its player.

    What allows a reply that wins is as good as lost, and the worse the more there are.
    """
    chances = np.empty(rules.MAX_OUTCOMES + 1, np.float64)
    mover = states[0].to_play
    count = rules.legal(states[0], actions)
    for i in range(count):
        states[1] = states[0]
        rules.step(states[1], actions[i])
        opens[i] = count_safe(states[1], mover, states[2:], samples, word)
        rules.resolve_chance(states[1], chances, np.array([word], np.uint64))
        gains[i] = -1.0 if opens[i] < 0 else judge(states[1], mover)
    return count


@rule
def judge_replies(states: NDArray[np.void], mover: int) -> float:
    """Return what states[0] is worth to a player after the best reply to it."""
    if states[0].to_play == OVER:
        return judge(states[0], mover)
    actions = np.empty(rules.NUM_ACTIONS, np.int32)
    chances = np.empty(rules.MAX_OUTCOMES + 1, np.float64)
    replier = states[0].to_play
    best = -np.inf
    for k in range(rules.legal(states[0], actions)):
        states[1] = states[0]
        rules.step(states[1], actions[k])
        rules.resolve_chance(states[1], chances, np.zeros(1, np.uint64))
        best = max(best, judge(states[1], replier))
    return best if replier == mover else -best


@entry
def weigh_twice(
    states: NDArray[np.void],
    samples: int,
    word: np.uint64,
    actions: NDArray[np.int32],
    gains: NDArray[np.float64],
    opens: NDArray[np.float64],
) -> int:
    """Do as `weigh` after the best reply to what chance makes of each action.

    Of moves that are worth the same then, the one that is better at once is preferred.
    """
    chances = np.empty(rules.MAX_OUTCOMES + 1, np.float64)
    rng = np.zeros(1, np.uint64)
    mover = states[0].to_play
    count = rules.legal(states[0], actions)
    for i in range(count):
        states[3] = states[0]
        rules.step(states[3], actions[i])
        times = samples if states[3].to_play == CHANCE else 1
        rng[0] = word
        gains[i] = opens[i] = 0.0
        for _ in range(times):
            states[1] = states[3]
            rules.resolve_chance(states[1], chances, rng)
            opens[i] += judge(states[1], mover) / times
            gains[i] += judge_replies(states[1:3], mover) / times
    return count
