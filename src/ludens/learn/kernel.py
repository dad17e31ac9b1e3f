"""Kernel: positions out of played games, and batches out of positions."""

import numpy as np

from ludens.game import CHANCE, OVER, entry, rule
from ludens.learn.tables import END, NEXT, RESULT, UNKNOWN, Array, Columns, Games
from ludens.loading.complete import kernel_rules
from ludens.loading.hashing import same_words, slot_of
from ludens.selfplay.share import FULL, NOT_SEARCHED

rules = kernel_rules()


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
    games: Games,
    states: Array,
    facts: Array,
    ends: Array,
    rewards: Array,
    discount: float,
) -> int:
    """Write the searched positions in order [N] and where each game ends [G].

    `facts` [N] get the steps that they took. `rewards` [P] gets what each action
    brought, and chance after it: a move later, as in the search. Returns the first game
    that breaks the rules, or -1.
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
                    if games.kinds[action - 1] != NOT_SEARCHED:
                        facts[row - 1].num_outcomes += 1
                continue
            if action == last:
                return game
            if games.kinds[action] != NOT_SEARCHED:
                states[row] = ends[game]
                facts[row].step = at
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
def set_facts(games: Games, ends: Array, rewards: Array, facts: Array) -> None:
    """Write what else there is to say of each searched position [N] but its value."""
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
            fact.teaches = games.kinds[at] == FULL
            fact.has_reply = at + 1 < last and games.kinds[at + 1] == FULL
            fact.reward = rewards[at]
            fact.after = what_follows(games, game, at, fact.has_end)
            row += 1


@rule
def what_follows(games: Games, game: int, at: int, has_end: bool) -> int:
    """Return what follows an action: NEXT, END, RESULT or UNKNOWN.

    What chance will yet do to a score is unknown where a game has no end.
    """
    if at + 1 < games.first_action[game + 1]:
        return UNKNOWN if games.kinds[at + 1] == NOT_SEARCHED else NEXT
    if has_end:
        return END
    return UNKNOWN if games.is_cut[game] or rules.NUM_PLAYERS == 1 else RESULT


@entry
def set_results(
    games: Games,
    states: Array,
    facts: Array,
    q_share: float,
    num_steps: int,
    discount: float,
) -> None:
    """Write the values for two players: (1 - q_share) * result + q_share * root value.

    The root is that of the position or `num_steps` plies later; the result, discounted,
    takes its place where the game is over by then. The result of a game that was cut
    says nothing.
    """
    row = 0
    for game in range(len(games.results)):
        is_cut, last = games.is_cut[game], games.first_action[game + 1]
        share = 1.0 if is_cut else q_share
        for at in range(games.first_action[game], last):
            if games.kinds[at] != NOT_SEARCHED:
                result = games.results[game] * (1 - 2 * states[row].to_play)
                drawn = 1.0 - abs(result)
                root = at
                if num_steps > 0:
                    until = min(last, at + num_steps)
                    root = root_from(games, at, until, last, not is_cut)
                weight = discount ** (root - at)
                draw = (1.0 - share) * drawn
                if root == last:
                    value = weight * result
                    draw += share * drawn
                else:
                    later = row + num_searched(games, at, root)
                    is_own = states[later].to_play == states[row].to_play
                    value = games.values[root] * (weight if is_own else -weight)
                facts[row].value = (1.0 - share) * result + share * value
                facts[row].draw = draw
                row += 1


@rule
def num_searched(games: Games, start: int, stop: int) -> int:
    """Return how many actions of a range have a row."""
    count = 0
    for at in range(start, stop):
        count += games.kinds[at] != NOT_SEARCHED
    return count


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


@rule
def look_up(table: Array, owners: Array, words: Array) -> int:
    """Return the slot of these words: that of the owner that has them, or a free one.

    `table` [a power of two] holds rows of `owners` [K, words], or -1.
    """
    slot = slot_of(words, len(table))
    while table[slot] >= 0 and not same_words(owners[table[slot]], words):
        slot = (slot + 1) & (len(table) - 1)
    return slot


@entry
def enter_all(table: Array, owners: Array) -> None:
    """Enter all owners into an empty table."""
    for row in range(len(owners)):
        table[look_up(table, owners, owners[row])] = row


@entry
def write_images(states: Array, found: Array) -> None:
    """Write all symmetric images of states [K] into `found` [K * symmetries]."""
    for i in range(len(states)):
        for symmetry in range(rules.NUM_SYMMETRIES):
            at = i * rules.NUM_SYMMETRIES + symmetry
            found[at] = states[i]
            rules.transform(states[i], symmetry, found[at])


@entry
def find_distinct(
    words: Array, table: Array, held_words: Array, held_table: Array, links: Array
) -> None:
    """Chain the rows with the same position, from the newest to the oldest.

    `links` [2, N] gets of each row the newest row with its position, -1 if it is held
    out, and the next older row with its position, -1 if there is none. With a table of
    length 0 every row is taken for a position of its own.
    """
    newest, older = links[0], links[1]
    oldest = np.empty(len(words), np.int32)  # so far, of the newest rows
    for row in range(len(words) - 1, -1, -1):
        newest[row] = row
        older[row] = -1
        oldest[row] = row
        if held_table[look_up(held_table, held_words, words[row])] >= 0:
            newest[row] = -1
        elif len(table) > 0:
            slot = look_up(table, words, words[row])
            if table[slot] < 0:
                table[slot] = row
            else:
                newest[row] = table[slot]
                older[oldest[newest[row]]] = row
                oldest[newest[row]] = row


@entry
def average(
    facts: Array, samples: Array, older: Array, targets: Array, policy_rows: Array
) -> int:
    """Average value and draw over the rows of each sample into `targets` [D, 2].

    `policy_rows` [D] gets the row with the policy, -1 if none, or N + m for a policy
    that is yet to be averaged, the m-th such. Returns how many those are.
    """
    num_merged = 0
    for i in range(len(samples)):
        value = draw = 0.0
        count = num_teaching = 0
        policy_rows[i] = -1
        row = samples[i]
        while row >= 0:
            value += facts[row].value
            draw += facts[row].draw
            count += 1
            if facts[row].teaches:
                num_teaching += 1
                policy_rows[i] = row
            row = older[row]
        targets[i, 0] = value / count
        targets[i, 1] = draw / count
        if num_teaching > 1:
            policy_rows[i] = len(facts) + num_merged
            num_merged += 1
    return num_merged


@entry
def average_policies(
    columns: Columns, samples: Array, older: Array, policy_rows: Array, merged: Array
) -> None:
    """Write the policies [M, A] that several rows of a sample teach together."""
    facts, policies = columns.facts, columns.policies
    sums = np.empty(rules.NUM_ACTIONS, np.int64)
    for i in range(len(samples)):
        if policy_rows[i] < len(facts):
            continue
        sums[:] = 0
        count = 0
        row = samples[i]
        while row >= 0:
            if facts[row].teaches:
                count += 1
                for action in range(rules.NUM_ACTIONS):
                    sums[action] += policies[row, action]
            row = older[row]
        for action in range(rules.NUM_ACTIONS):
            shares = (sums[action] + count // 2) // count
            merged[policy_rows[i] - len(facts), action] = shares


@rule
def turn_policy(shares: Array, symmetry: int, policy: Array) -> None:
    """Write a policy as seen through a symmetry into zeros, its sum made 1."""
    total = 0
    for action in range(rules.NUM_ACTIONS):
        total += int(shares[action])
    for action in range(rules.NUM_ACTIONS):
        if shares[action] > 0:
            image = rules.transform_action(action, symmetry)
            policy[image] = shares[action] / total


@entry
def fill_positions(
    columns: Columns, rows: Array, symmetries: Array, planes: Array, ownership: Array
) -> None:
    """Write what each row [B] looks like, and how its game ended, through a symmetry.

    What is written to is all zero.
    """
    states, facts, ends = columns.states, columns.facts, columns.ends
    image = np.zeros(1, rules.STATE)
    for i in range(len(rows)):
        row, symmetry = rows[i], symmetries[i]
        image[0] = states[row]
        rules.transform(states[row], symmetry, image[0])
        rules.observe(image[0], planes[i])
        if facts[row].has_end:
            end = facts[row].end
            image[0] = ends[end]
            rules.transform(ends[end], symmetry, image[0])
            rules.targets(image[0], ownership[i])
            if states[row].to_play == 1:
                ownership[i] *= np.float32(-1.0)


@entry
def fill_policies(
    shares: Array, merged: Array, policy_rows: Array, symmetries: Array, policies: Array
) -> None:
    """Write policies [B, A] through symmetries into zeros; none for row -1.

    They are rows of `shares` [N, A], or from N on of `merged`.
    """
    for i in range(len(policy_rows)):
        row = policy_rows[i]
        if row >= len(shares):
            turn_policy(merged[row - len(shares)], symmetries[i], policies[i])
        elif row >= 0:
            turn_policy(shares[row], symmetries[i], policies[i])
