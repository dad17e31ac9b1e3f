"""Kernel: positions out of played games. `rules` is the game it is compiled for."""

from typing import TYPE_CHECKING

import numpy as np

from ludens.game import CHANCE, OVER, entry, rule
from ludens.learn.tables import Array, Games

if TYPE_CHECKING:
    from ludens.completing import CompleteRules

    rules: CompleteRules

NOT_SEARCHED, FULL_SEARCH = 0, 2


@rule
def is_possible(state: np.record, step: int, actions: Array, chances: Array) -> bool:
    """Tell whether the rules allow a step."""
    if state.to_play == OVER:
        return False
    if state.to_play == CHANCE:
        count = rules.chance(state, chances)
        return bool(0 <= step < count and chances[step] > 0.0)
    count = rules.legal(state, actions)
    return bool((actions[:count] == step).any())


@rule
def is_foul(state: np.record, step: int) -> bool:
    """Play a foul, which loses at once; False if it is not one."""
    is_action = state.to_play >= 0 and 0 <= step < rules.NUM_ACTIONS
    return bool(is_action and rules.foul(state, step))


@entry
def replay(
    games: Games, states: Array, ends: Array, rewards: Array, discount: float
) -> int:
    """Write the searched positions in order [N] and where each game ends [G].

    `rewards` [P] gets what each action brought, and chance after it: a move later, as
    in the search. Returns the first game that breaks the rules, or -1.
    """
    actions = np.empty(rules.NUM_ACTIONS, np.int32)
    chances = np.zeros(rules.MAX_OUTCOMES + 1, np.float64)
    row = 0
    for game in range(len(ends)):
        state = ends[game]
        rules.start(state)
        first, last = games.first_action[game], games.first_action[game + 1]
        action = first
        for at in range(games.first_step[game], games.first_step[game + 1]):
            step = games.steps[at]
            possible = is_possible(state, step, actions, chances)
            if possible and state.to_play == CHANCE:
                reward = rules.step_chance(state, step)
                if action > first:
                    rewards[action - 1] += discount * reward
                continue
            if action == last:
                return game
            if games.kinds[action] != NOT_SEARCHED:
                states[row] = ends[game]
                row += 1
            if possible:
                rewards[action] = rules.step(state, step)
            elif not is_foul(state, step):
                return game
            action += 1
        if action != last:
            return game
    return -1


@entry
def set_facts(games: Games, states: Array, ends: Array, facts: Array) -> None:
    """Write what there is to say about each searched position [N] but its value."""
    row = 0
    for game in range(len(ends)):
        last = games.first_action[game + 1]
        for at in range(games.first_action[game], last):
            if games.kinds[at] == NOT_SEARCHED:
                continue
            fact = facts[row]
            fact.end = game
            fact.plies_left = last - at
            fact.has_end = ends[game].to_play == OVER
            fact.teaches = games.kinds[at] == FULL_SEARCH
            fact.has_reply = at + 1 < last and games.kinds[at + 1] == FULL_SEARCH
            row += 1


@entry
def set_results(games: Games, states: Array, facts: Array, q_share: float) -> None:
    """Write the values for two players: (1 - q_share) * result + q_share * root value.

    The result of a game that was cut says nothing.
    """
    row = 0
    for game in range(len(games.results)):
        share = 1.0 if games.is_cut[game] else q_share
        for at in range(games.first_action[game], games.first_action[game + 1]):
            if games.kinds[at] != NOT_SEARCHED:
                result = games.results[game] * (1 - 2 * states[row].to_play)
                facts[row].value = (1.0 - share) * result + share * games.values[at]
                facts[row].draw = (1.0 - share) * (1.0 - abs(result))
                row += 1


@entry
def set_returns(
    games: Games,
    ends: Array,
    rewards: Array,
    facts: Array,
    num_steps: int,
    discount: float,
) -> None:
    """Write the values for one player: rewards to come, then the value of a root."""
    row = 0
    for game in range(len(ends)):
        last = games.first_action[game + 1]
        has_end = ends[game].to_play == OVER
        for at in range(games.first_action[game], last):
            if games.kinds[at] != NOT_SEARCHED:
                until = last if num_steps == 0 else min(last, at + num_steps)
                root = root_from(games, at, until, last, has_end)
                total = games.values[root] if root < last else 0.0
                for i in range(root - 1, at - 1, -1):
                    total = rewards[i] + discount * total
                facts[row].value = total
                row += 1


@rule
def root_from(games: Games, at: int, root: int, last: int, has_end: bool) -> int:
    """Return the first root from `root` on that has a value, or `last`: the end.

    A game without an end has its last root with a value instead.
    """
    while root < last and games.kinds[root] == NOT_SEARCHED:
        root += 1
    if root == last and not has_end:
        root -= 1
        while root > at and games.kinds[root] == NOT_SEARCHED:
            root -= 1
    return root
