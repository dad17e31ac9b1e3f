"""Kernel: select, expand, back up. `rules` is the game it is compiled for.

One game is one tree and one generator, touched by one thread only; so the same seeds
give the same trees however the games are spread over threads.
"""

import math
from typing import Any

import numpy as np

from ludens.game import CHANCE, OVER, entry, rule
from ludens.loading.complete import kernel_rules
from ludens.rng import Rng, below, mix, next_word, pick
from ludens.search.backup import back_up
from ludens.search.forest import (
    Forest,
    Work,
    borrow_work,
    expand,
    find_slot,
    is_known,
    is_open,
    pick_outcome,
    tree_of,
)
from ludens.search.gumbel import select_below, select_root
from ludens.search.puct import select_puct
from ludens.search.root import Schedule, choose, learn, prepare_root
from ludens.search.tree import (
    EXPANDED,
    FRESH,
    UNPROVEN,
    WAITING,
    Array,
    Tree,
    add_edge,
    mark_path,
    transplant,
)

rules = kernel_rules()

BOUNDED = rules.NUM_PLAYERS == 2
HAS_CHANCE = rules.MAX_OUTCOMES > 0  # what has none is compiled without chance's nodes
WORDS = rules.STATE.itemsize // 8
MOST_EDGES = max(rules.NUM_ACTIONS, rules.MAX_OUTCOMES)
CACHE_FIELDS = [
    ("key", np.uint64, WORDS),
    ("logits", np.float32, rules.NUM_ACTIONS),
    ("value", np.float32),
    ("used", np.int32),
]
CACHE = np.dtype((np.record, np.dtype(CACHE_FIELDS, align=True)))


@rule
def add_node(tree: Tree, parent: int, edge: int, reward: float) -> int:
    """Make a node of the state that stands in its place; return its number."""
    index = tree.heads[0].num_nodes
    tree.heads[0].num_nodes += 1
    node = tree.nodes[index]
    node.total = 0.0
    node.value = 0.0
    node.reward = reward
    node.seen_prior = 0.0
    node.luck = luck_of(tree, parent, edge)
    node.parent = parent
    node.parent_edge = edge
    node.first_edge = tree.heads[0].num_edges
    node.num_edges = 0
    node.visits = 0
    node.to_play = tree.states[index].to_play
    node.status = FRESH
    node.proof = UNPROVEN
    node.is_cut = 0
    node.has_draw = 0
    node.is_sorted = 0
    if node.to_play == OVER:
        node.status = EXPANDED
        if BOUNDED:
            node.value = rules.result(tree.states[index])
            node.proof = int(node.value)
    return int(index)


@rule
def luck_of(tree: Tree, parent: int, edge: int) -> np.uint64:
    """Return the luck of a new node: the same after all moves, another by outcome."""
    if HAS_CHANCE:
        if parent < 0:
            return next_word(tree.rng)
        luck: np.uint64 = tree.nodes[parent].luck
        if tree.nodes[parent].to_play == CHANCE:
            return mix(luck ^ mix(np.uint64(tree.edges[edge].action + 1)))
        return luck
    return np.uint64(0)


@entry
def plant(forest: Forest, games: Array) -> None:
    """Begin trees of some games at the states that stand in their first places."""
    for g in games:
        head = forest.heads[g]
        head.num_nodes = 0
        head.num_edges = 0
        head.sims = 0
        head.num_waiting = 0
        head.low, head.high = math.inf, -math.inf
        head.is_full = 0
        add_node(tree_of(forest, g), -1, -1, 0.0)


@rule
def expand_chance(tree: Tree, index: int, chances: Array) -> None:
    """Give chance's node an edge for every possible outcome."""
    node = tree.nodes[index]
    count = rules.chance(tree.states[index], chances)
    node.first_edge = tree.heads[0].num_edges
    for outcome in range(count):
        if chances[outcome] > 0.0:
            add_edge(tree, outcome, chances[outcome], 0.0)
    node.num_edges = tree.heads[0].num_edges - node.first_edge
    node.status = EXPANDED


@rule
def select(
    tree: Tree, index: int, settings: Any, schedule: Schedule, work: Work
) -> int:
    """Return the edge that a node follows next."""
    node, head = tree.nodes[index], tree.heads[0]
    if HAS_CHANCE:
        if node.to_play == CHANCE:
            return pick_outcome(tree, node, settings)
    if schedule is None:
        return select_puct(tree, index, settings, BOUNDED)
    if index != 0:
        return select_below(tree, node, settings, work.scores)
    turn = min(head.sims + head.num_waiting, schedule.shape[2] - 1)
    visits = schedule[head.plan, head.num_considered, turn]
    return select_root(tree, node, settings, visits, work.scores)


@rule
def add_child(tree: Tree, index: int, e: int, work: Work) -> bool:
    """Make the node that an edge leads to; False if the tree is full."""
    head, node, edge = tree.heads[0], tree.nodes[index], tree.edges[e]
    child = head.num_nodes
    # Leaves that wait have no edges yet; there must be room for theirs too.
    num_edges = head.num_edges + (head.num_waiting + 1) * MOST_EDGES
    if child == len(tree.nodes) or num_edges > len(tree.edges):
        head.is_full = 1
        return False
    tree.states[child] = tree.states[index]
    reward = advance(node, tree.states[child], edge.action)
    node.seen_prior += edge.prior
    edge.child = add_node(tree, index, e, reward)
    if HAS_CHANCE:
        if tree.nodes[child].to_play == CHANCE:
            expand_chance(tree, child, work.chances)
    return True


@rule
def advance(node: Any, state: np.record, choice: int) -> float:
    """Let the player, or chance, whose node it is have a turn; return the reward."""
    if HAS_CHANCE:
        if node.to_play == CHANCE:
            return rules.step_chance(state, choice)
    return rules.step(state, choice)


@rule
def descend(tree: Tree, settings: Any, schedule: Schedule, work: Work) -> int:
    """Walk from the root to a leaf and return it; -1 if the tree is full."""
    index = 0
    while True:
        node = tree.nodes[index]
        if node.status != EXPANDED or node.to_play == OVER:
            return index
        if node.proof != UNPROVEN and index != 0:
            return index
        e = select(tree, index, settings, schedule, work)
        if tree.edges[e].child < 0 and not add_child(tree, index, e, work):
            return -1
        index = tree.edges[e].child


@rule
def roll_out(work: Work, settings: Any, rng: Rng) -> float:
    """Play `work.spare[0]` to its end at random; return what player 0 gets."""
    state, gained, weight, plies = work.spare[0], 0.0, 1.0, 0
    before, last = -1, -1
    while state.to_play != OVER and plies < settings.rollout_plies:
        if state.to_play == CHANCE:
            count = rules.chance(state, work.chances)
            outcome = pick(rng, work.chances, count)
            gained += weight * rules.step_chance(state, outcome)
        else:
            count = 0
            if rules.HAS_LIKELY and settings.likely > 0.0:
                count = rules.likely(state, before, last, work.actions)
            if count == 0:
                count = rules.legal(state, work.actions)
            before, last = last, work.actions[below(rng, count)]
            gained += weight * rules.step(state, last)
            weight *= settings.discount
            plies += 1
    if BOUNDED:
        return rules.result(state) if state.to_play == OVER else 0.0
    return gained


@rule
def list_likely_first(state: np.record, work: Work) -> tuple[int, int]:
    """Write the legal actions, the likely ones first; return how many are, and all."""
    likely = rules.likely(state, -1, -1, work.actions)
    work.scores[:] = 0.0
    for i in range(likely):
        work.scores[work.actions[i]] = 1.0
    count = rules.legal(state, work.actions)
    if likely == 0:
        return 0, count
    for i in range(count):
        work.scores[work.actions[i]] += 2.0
    listed, likely = 0, 0
    for mark in (3.0, 2.0):
        likely = listed
        for action in range(rules.NUM_ACTIONS):
            if work.scores[action] == mark:
                work.actions[listed] = action
                listed += 1
    return likely, count


@rule
def expand_evenly(tree: Tree, leaf: int, settings: Any, work: Work) -> float:
    """Expand a leaf with equal priors, but for those that the game itself calls likely;
    return its value by rollouts, 0 without."""
    likely, count = 0, 0
    if rules.HAS_LIKELY and settings.likely > 0.0 and settings.rollouts > 0:
        likely, count = list_likely_first(tree.states[leaf], work)
    else:
        count = rules.legal(tree.states[leaf], work.actions)
    rest = (1.0 if likely == 0 else 1.0 - settings.likely) / count
    for i in range(count):
        prior = rest + settings.likely / likely if i < likely else rest
        work.priors[i], work.logits[i] = prior, math.log(prior)
    expand(tree, leaf, count, work, settings)
    tree.nodes[leaf].is_sorted = 1
    value = 0.0
    for _ in range(settings.rollouts):
        work.spare[0] = tree.states[leaf]
        value += roll_out(work, settings, tree.rng)
    tree.nodes[leaf].value = value / max(1, settings.rollouts)
    return float(tree.nodes[leaf].value)


@rule
def expand_as_told(
    tree: Tree, leaf: int, logits: Array, value: float, settings: Any, work: Work
) -> float:
    """Expand a leaf as a network says; return its value for player 0."""
    count = rules.legal(tree.states[leaf], work.actions)
    highest, total = -math.inf, 0.0
    for i in range(count):
        highest = max(highest, float(logits[work.actions[i]]))
    for i in range(count):
        work.priors[i] = math.exp(float(logits[work.actions[i]]) - highest)
        total += work.priors[i]
    for i in range(count):
        work.priors[i] /= total
        work.logits[i] = float(logits[work.actions[i]]) - highest - math.log(total)
    expand(tree, leaf, count, work, settings)
    node = tree.nodes[leaf]
    node.value = -value if node.to_play == 1 else value
    return float(node.value)


@rule
def finish(
    tree: Tree, leaf: int, value: float, settings: Any, schedule: Schedule
) -> None:
    """Count a leaf whose value is known; the root's is not a simulation."""
    if leaf == 0:
        tree.nodes[0].visits, tree.nodes[0].total = 1, value
        prepare_root(tree, settings, schedule)
    else:
        back_up(tree, leaf, value, settings, BOUNDED)
        tree.heads[0].sims += 1


@rule
def wants_more(tree: Tree, settings: Any) -> bool:
    """Tell whether a game has simulations left to begin."""
    head, root = tree.heads[0], tree.nodes[0]
    if root.status == FRESH:
        return bool(root.to_play >= 0)
    begun = head.sims + head.num_waiting
    left = head.budget - begun
    if left <= 0 or begun >= head.pause or head.is_full != 0:
        return False
    if root.proof != UNPROVEN or root.to_play < 0:
        return False
    return bool(settings.stop_early == 0 or is_open(tree, left + head.num_waiting))


@entry
def simulate(forest: Forest, settings: Any, schedule: Schedule, work: Work) -> None:
    """Search each game to its budget with an evaluator that needs no network."""
    work = borrow_work(work)
    for g in range(len(forest.heads)):
        tree = tree_of(forest, g)
        while wants_more(tree, settings):
            leaf = descend(tree, settings, schedule, work)
            if leaf < 0:
                break
            node = tree.nodes[leaf]
            value = node.value
            if node.status == FRESH:
                value = expand_evenly(tree, leaf, settings, work)
            elif node.proof != UNPROVEN:
                value = float(node.proof)
            finish(tree, leaf, value, settings, schedule)


@entry
def collect(
    forest: Forest,
    settings: Any,
    schedule: Schedule,
    cache: Array,
    leaves: Array,
    planes: Array,
    work: Work,
    most: int,
) -> int:
    """Find leaves for a network, at most `most` of a game; return how many.

    `leaves` [M, 2] gets game and node, `planes` [M, ...] what they show. Leaves that
    need no network are finished on the way.
    """
    work = borrow_work(work)
    count = 0
    for g in range(len(forest.heads)):
        tree = tree_of(forest, g)
        while tree.heads[0].num_waiting < most and count < len(leaves):
            if not wants_more(tree, settings):
                break
            leaf = descend(tree, settings, schedule, work)
            if leaf < 0 or tree.nodes[leaf].status == WAITING:
                break
            node = tree.nodes[leaf]
            value = node.value
            if node.status == FRESH:
                slot = find_slot(cache, tree.words[leaf])
                if slot < 0 or not is_known(cache[slot], tree.words[leaf]):
                    node.status = WAITING
                    mark_path(tree, leaf, 1)
                    tree.heads[0].num_waiting += 1
                    leaves[count, 0], leaves[count, 1] = g, leaf
                    planes[count] = 0.0
                    rules.observe(tree.states[leaf], planes[count])
                    count += 1
                    continue
                entry = cache[slot]
                value = expand_as_told(
                    tree, leaf, entry.logits, entry.value, settings, work
                )
            elif node.proof != UNPROVEN:
                value = float(node.proof)
            finish(tree, leaf, value, settings, schedule)
    return count


@entry
def absorb(
    forest: Forest,
    settings: Any,
    schedule: Schedule,
    cache: Array,
    leaves: Array,
    count: int,
    logits: Array,
    values: Array,
    work: Work,
) -> None:
    """Take what the network said of the leaves that were collected."""
    work = borrow_work(work)
    for i in range(count):
        tree, leaf = tree_of(forest, leaves[i, 0]), leaves[i, 1]
        slot = find_slot(cache, tree.words[leaf])
        if slot >= 0:
            cache[slot].used = 1
            cache[slot].value = values[i]
            for k in range(WORDS):  # a slice would bring its error messages along
                cache[slot].key[k] = tree.words[leaf, k]
            for a in range(rules.NUM_ACTIONS):
                cache[slot].logits[a] = logits[i, a]
        value = expand_as_told(tree, leaf, logits[i], values[i], settings, work)
        mark_path(tree, leaf, -1)
        tree.heads[0].num_waiting -= 1
        finish(tree, leaf, value, settings, schedule)


@entry
def find_idle(forest: Forest, settings: Any, games: Array) -> int:
    """Write the games whose search has come to its end; return how many."""
    count = 0
    for g in range(len(forest.heads)):
        tree = tree_of(forest, g)
        if tree.heads[0].num_waiting == 0 and not wants_more(tree, settings):
            games[count] = g
            count += 1
    return count


@entry
def harvest(
    forest: Forest,
    games: Array,
    settings: Any,
    schedule: Schedule,
    per_action: Array,
    per_game: Array,
) -> None:
    """Read the roots of some games.

    `per_action` [5, N, A] gets visits, priors, mean returns, proofs and the policy to
    learn; `per_game` [2, N] the value for the player to move and the action to play.
    """
    scores = np.empty(MOST_EDGES)
    per_action[:] = 0.0
    per_action[3] = UNPROVEN
    for n in range(len(games)):
        tree = tree_of(forest, games[n])
        root = tree.nodes[0]
        sign = -1.0 if root.to_play == 1 else 1.0
        mean = root.total / max(1, root.visits)
        per_game[0, n] = sign * (mean if root.proof == UNPROVEN else root.proof)
        per_game[1, n] = -1
        if root.to_play < 0 or root.num_edges == 0:
            continue
        best = choose(tree, settings, schedule, scores)
        per_game[1, n] = tree.edges[best].action
        learn(tree, settings, schedule, best, scores, BOUNDED)
        for i in range(root.num_edges):
            edge = tree.edges[root.first_edge + i]
            per_action[0, n, edge.action] = edge.visits
            per_action[1, n, edge.action] = math.exp(edge.logit)
            per_action[2, n, edge.action] = edge.total / max(1, edge.visits)
            per_action[3, n, edge.action] = edge.proof
            per_action[4, n, edge.action] = scores[i]


@entry
def keep_subtrees(
    forest: Forest,
    games: Array,
    new_roots: Array,
    other: Forest,
    settings: Any,
    schedule: Schedule,
) -> None:
    """Make a node [N] the root of each game's tree [N]; `other` is room for one tree.

    The simulations below it count as done.
    """
    for n in range(len(games)):
        tree, spare = tree_of(forest, games[n]), tree_of(other, 0)
        transplant(tree, new_roots[n], spare)
        transplant(spare, 0, tree)
        tree.heads[0].sims = max(0, tree.nodes[0].visits - 1)
        tree.heads[0].num_waiting = 0
        tree.heads[0].is_full = 0
        if tree.nodes[0].status == EXPANDED and tree.nodes[0].to_play >= 0:
            prepare_root(tree, settings, schedule)
