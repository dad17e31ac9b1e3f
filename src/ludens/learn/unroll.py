"""Kernel: what followed positions in their games, step by step, to learn a model from.

A step is an action or an outcome of chance. Positions are rows of `Columns`, in which
those of a game follow each other.
"""

import numpy as np

from ludens.game import entry, rule
from ludens.learn.tables import END, NEXT, RESULT, UNKNOWN, Array, Columns, Steps
from ludens.loading.complete import kernel_rules

rules = kernel_rules()

MOVER, OTHER, CHANCE, OVER = 0, 1, 2, 3  # as in TURNS


@entry
def follow(
    columns: Columns,
    of_rows: Array,
    targets: Array,
    rows: Array,
    symmetries: Array,
    alternates: bool,
    is_hidden: bool,
    steps: Steps,
) -> None:
    """Write what followed each row [B] of a game, seen through a symmetry.

    `of_rows` and `targets` are those of Samples. `steps` has random actions for choices
    and -1 for rows, players, turns and outcomes; all else is zero. If chance is hidden
    it moves after each action, and 0 stands for the outcomes that can be found out:
    those of which the sample has what came of them.
    """
    num_choices = len(steps.choices)
    for i in range(len(rows)):
        row, k = rows[i], 0
        stand_at(columns, of_rows, targets, row, k, i, steps)
        while k < num_choices and columns.facts[row].after != UNKNOWN:
            target = target_after(columns, of_rows, targets, row)
            k = play(columns, row, symmetries[i], target, is_hidden, k, i, steps)
            if k > num_choices:
                break
            if columns.facts[row].after != NEXT:
                finish(columns, row, target, alternates, k, i, steps)
                break
            row += 1
            stand_at(columns, of_rows, targets, row, k, i, steps)
            is_same = columns.states[row].to_play == columns.states[row - 1].to_play
            steps.turns[k, i] = MOVER if is_same else OTHER


@rule
def stand_at(
    columns: Columns,
    of_rows: Array,
    targets: Array,
    row: int,
    k: int,
    i: int,
    steps: Steps,
) -> None:
    """Write that step k is the position of a row."""
    sample = of_rows[row]
    steps.rows[k, i] = row
    steps.players[k, i] = columns.states[row].to_play
    if sample >= 0:
        set_target(steps, k, i, targets[sample, 0], targets[sample, 1])


@rule
def set_target(steps: Steps, k: int, i: int, value: float, draw: float) -> None:
    """Write a value and the share of a draw in it."""
    steps.targets[k, i, 0] = value
    steps.targets[k, i, 1] = draw
    steps.has_value[k, i] = True


@rule
def target_after(
    columns: Columns, of_rows: Array, targets: Array, row: int
) -> tuple[float, float, bool]:
    """Return value and draw after the action of a row, for its player, and if known.

    What is thought of a position held out is not known.
    """
    facts, states = columns.facts, columns.states
    player = states[row].to_play
    if facts[row].after == NEXT:
        sample = of_rows[row + 1]
        sign = 1.0 if states[row + 1].to_play == player else -1.0
        return sign * targets[sample, 0], float(targets[sample, 1]), sample >= 0
    if rules.NUM_PLAYERS == 1:
        return 0.0, 0.0, True
    value = float(columns.results[facts[row].end] * (1 - 2 * player))
    return value, 1.0 - abs(value), True


@rule
def play(
    columns: Columns,
    row: int,
    symmetry: int,
    target: tuple[float, float, bool],
    is_hidden: bool,
    k: int,
    i: int,
    steps: Steps,
) -> int:
    """Write the action of a row and chance after it; return the step that they lead to.

    It is K + 1 if they take more than there are.
    """
    fact = columns.facts[row]
    choice = rules.transform_action(columns.steps[fact.step], symmetry)
    reward = fact.reward
    num_outcomes = 1 if is_hidden else fact.num_outcomes
    for n in range(1, num_outcomes + 2):
        if k == len(steps.choices):
            return k + 1
        steps.choices[k, i] = choice
        k += 1
        steps.rewards[k, i] = reward
        steps.has_reward[k, i] = True
        if n <= num_outcomes:
            outcome = 0 if is_hidden else columns.steps[fact.step + n]
            steps.turns[k, i] = CHANCE
            steps.players[k, i] = columns.states[row].to_play
            if not is_hidden or k < len(steps.choices):
                steps.outcomes[k, i] = outcome
            if target[2]:
                set_target(steps, k, i, target[0], target[1])
            choice, reward = rules.NUM_ACTIONS + outcome, np.float32(0.0)
    return k


@rule
def finish(
    columns: Columns,
    row: int,
    target: tuple[float, float, bool],
    alternates: bool,
    k: int,
    i: int,
    steps: Steps,
) -> None:
    """Write what is known after the last row of a game, whose result is the target.

    After an end the value is that of the result for ever, and nothing is gained.
    """
    fact = columns.facts[row]
    value, draw, _ = target
    player = columns.states[row].to_play
    if fact.after != END:
        to_play = columns.ends[fact.end].to_play
        is_other = to_play >= 0 and to_play != player
        set_target(steps, k, i, -value if is_other else value, draw)
        steps.has_reward[k, i] = False
        return
    steps.turns[k, i] = OVER
    for later in range(k, len(steps.turns)):
        is_other = (later - k + int(alternates)) % 2 == 1
        set_target(steps, later, i, -value if is_other else value, draw)
        is_turned = is_other and rules.NUM_PLAYERS == 2
        steps.players[later, i] = 1 - player if is_turned else player
        steps.has_reward[later, i] = True


@entry
def fill_steps(
    states: Array, rows: Array, symmetries: Array, planes: Array, legal: Array
) -> None:
    """Write what players see and what is legal in rows [S, B], seen through symmetries.

    `planes` [S - 1, B, ...] are those of steps from 1 on, or of none; all is zero.
    """
    actions = np.empty(rules.NUM_ACTIONS, np.int32)
    image = np.zeros(1, rules.STATE)
    for k in range(len(rows)):
        for i in range(len(symmetries)):
            row, symmetry = rows[k, i], symmetries[i]
            if row < 0:
                continue
            for n in range(rules.legal(states[row], actions)):
                legal[k, i, rules.transform_action(actions[n], symmetry)] = True
            if 0 < k <= len(planes):
                image[0] = states[row]
                rules.transform(states[row], symmetry, image[0])
                rules.observe(image[0], planes[k - 1, i])


@entry
def fill_ends(columns: Columns, rows: Array, planes: Array) -> None:
    """Write what was seen after the last row of each game, if chance is hidden.

    That is two steps later, an action and chance. `planes` [S, B, ...] is zero there.
    """
    for i in range(rows.shape[1]):
        for k in range(2, len(rows)):
            row = rows[k - 2, i]
            if row >= 0 and columns.facts[row].after in (END, RESULT):
                rules.observe(columns.ends[columns.facts[row].end], planes[k, i])
