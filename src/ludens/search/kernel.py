"""Kernel: select, expand, back up. `model` is the game that it is compiled for.

One game is one tree and one generator, touched by one thread only; so the same seeds
give the same trees however the games are spread over threads.

A leaf's value comes from rollouts or a constant (`simulate` does all of it), or from a
network: `collect` walks to leaves, `observe_leaves` writes what they show, Python asks
the network, and `absorb` expands the leaves with the answers. All that a search asks of
the rules of a game is the list in `Model`.

Shapes: M leaves, n games out of B, and those of `tree.py`.
"""

import math
from typing import Any

import numpy as np

from ludens.game import CHANCE, OVER, entry, rule
from ludens.loading.compilable import records
from ludens.loading.complete import kernel_rules
from ludens.rng import Rng, below
from ludens.search._exact import Exact, is_root_proven, prove_leaf
from ludens.search._force import Force
from ludens.search.backup import add_pending, back_up
from ludens.search.cache import cache_entry, look_up, store
from ludens.search.chance import add_outcomes, new_key, select_outcome
from ludens.search.gumbel import Schedule, select_below, select_root
from ludens.search.model import Model
from ludens.search.puct import select_puct
from ludens.search.root import can_still_change, prepare_root, read_root
from ludens.search.tree import (
    EXPANDED,
    FRESH,
    UNPROVEN,
    WAITING,
    Array,
    Forest,
    Tree,
    Work,
    add_edges,
    add_node,
    borrow_work,
    clear,
    tree_of,
)
from ludens.solver._alpha_beta import ENTRY, FRAME
from ludens.solver._force import FORCE_ENTRY, FORCE_FRAME

__all__ = ["CACHE", "ENTRY", "FORCE_ENTRY", "FORCE_FRAME", "FRAME"]

model: Model = kernel_rules()

STATE = model.STATE
BOUNDED = model.NUM_PLAYERS == 2
HAS_CHANCE = model.MAX_OUTCOMES > 0  # games without it are compiled without its nodes
MOST_EDGES = max(model.NUM_ACTIONS, model.MAX_OUTCOMES)
CACHE = cache_entry(model.STATE.itemsize // 8, model.NUM_ACTIONS)


@entry
def reset(forest: Forest, games: Array) -> None:
    """Begin the trees of games [n] at the states that stand in their first places."""
    for g in games:
        clear(tree_of(forest, g))
        add_state(tree_of(forest, g), -1, -1, 0.0)


@entry
def simulate(
    forest: Forest,
    settings: Any,
    schedule: Schedule,
    work: Work,
    exact: Exact,
    force: Force,
) -> None:
    """Search each game to its budget without a network."""
    work = borrow_work(work)
    for g in range(len(forest.heads)):
        tree = tree_of(forest, g)
        while wants_more(tree, settings):
            if is_root_proven(tree, settings, work, exact, force):
                break
            leaf = descend(tree, settings, schedule, work)
            if leaf < 0:
                break
            prove_leaf(tree, leaf, settings, exact, force)
            if tree.nodes[leaf].status == FRESH:
                value = expand_with_rollouts(tree, leaf, settings, work)
            else:
                value = known_value(tree.nodes[leaf])
            finish(tree, leaf, value, settings, schedule)


@entry
def collect(
    forest: Forest,
    settings: Any,
    schedule: Schedule,
    cache: Array,
    leaves: Array,
    work: Work,
    exact: Exact,
    force: Force,
    most: int,
) -> int:
    """Find leaves for a network, at most `most` of a game; return how many.

    `leaves` [M, 2] gets game and node. Simulations that need no network are finished on
    the way.
    """
    work = borrow_work(work)
    count = 0
    for g in range(len(forest.heads)):
        tree = tree_of(forest, g)
        while tree.heads[0].num_waiting < most and count < len(leaves):
            if not wants_more(tree, settings):
                break
            if is_root_proven(tree, settings, work, exact, force):
                break
            leaf = descend(tree, settings, schedule, work)
            if leaf < 0 or tree.nodes[leaf].status == WAITING:
                break
            prove_leaf(tree, leaf, settings, exact, force)
            slot = -1
            if tree.nodes[leaf].status == FRESH:
                if not is_averaged(leaf, settings):
                    slot = look_up(cache, tree.words[leaf])
                if slot < 0:
                    leaves[count, 0], leaves[count, 1] = g, leaf
                    wait_for_network(tree, leaf)
                    count += 1
                    continue
            value = known_value(tree.nodes[leaf])
            if slot >= 0:
                known = cache[slot]
                value = expand_with_network(
                    tree, leaf, known.logits, known.value, settings, work
                )
            finish(tree, leaf, value, settings, schedule)
    return count


@entry
def observe_leaves(forest: Forest, leaves: Array, planes: Array) -> None:
    """Write what leaves [M, 2] show into planes [M, P, rows, columns].

    An entry of its own, so that another core can compile it: in triangle, observing
    takes as long to compile as half of `collect`.
    """
    for i in range(len(leaves)):
        tree = tree_of(forest, leaves[i, 0])
        planes[i] = 0.0
        model.observe(states_of(tree)[leaves[i, 1]], planes[i])


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
    """Expand the leaves [M, 2] that were collected with logits [M, A], values [M]."""
    work = borrow_work(work)
    for i in range(count):
        tree, leaf = tree_of(forest, leaves[i, 0]), leaves[i, 1]
        if not is_averaged(leaf, settings):
            store(cache, tree.words[leaf], logits[i], values[i])
        value = expand_with_network(tree, leaf, logits[i], values[i], settings, work)
        add_pending(tree, leaf, -1)
        tree.heads[0].num_waiting -= 1
        finish(tree, leaf, value, settings, schedule)


# Select.


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
    if settings.stop_early == 0:
        return True
    return can_still_change(tree, left + head.num_waiting)


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
def select(
    tree: Tree, index: int, settings: Any, schedule: Schedule, work: Work
) -> int:
    """Return the edge that a node follows next."""
    node, head = tree.nodes[index], tree.heads[0]
    if HAS_CHANCE:
        if node.to_play == CHANCE:
            return select_outcome(tree, node, settings)
    if schedule is None:
        return select_puct(tree, index, settings, BOUNDED)
    if index != 0:
        return select_below(tree, node, settings, work.scores)
    turn = min(head.sims + head.num_waiting, schedule.shape[2] - 1)
    visits = schedule[head.plan, head.num_considered, turn]
    return select_root(tree, node, settings, visits, work.scores)


# Expand.


@rule
def states_of(tree: Tree) -> Array:
    """Return the states [N] of a tree."""
    states: Array = records(tree.words, STATE)
    return states


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
    states = states_of(tree)
    states[child] = states[index]
    reward = advance(node, states[child], edge.action)
    node.seen_prior += edge.prior
    edge.child = add_state(tree, index, e, reward)
    if HAS_CHANCE:
        if tree.nodes[child].to_play == CHANCE:
            count = model.chance(states[child], work.chances)
            add_outcomes(tree, child, work.chances, count)
    return True


@rule
def advance(node: Any, state: np.record, choice: int) -> float:
    """Step a state by an action, or by an outcome at a chance node; return the reward.

    `node` is the one that the choice belongs to.
    """
    if HAS_CHANCE:
        if node.to_play == CHANCE:
            return model.step_chance(state, choice)
    return model.step(state, choice)


@rule
def add_state(tree: Tree, parent: int, edge: int, reward: float) -> int:
    """Make a node of the next state in the tree; it is final if the game is over."""
    state = states_of(tree)[tree.heads[0].num_nodes]
    index = add_node(tree, parent, edge, reward, state.to_play)
    node = tree.nodes[index]
    if HAS_CHANCE:
        node.chance_key = new_key(tree, parent, edge)
    if node.to_play == OVER:
        node.status = EXPANDED
        if BOUNDED:
            node.value = model.result(state)
            node.proof = int(node.value)
    return index


@rule
def is_averaged(leaf: int, settings: Any) -> bool:
    """Tell whether the network sees a leaf through several symmetries.

    Such an answer is not for the cache, where other trees would find it.
    """
    return leaf == 0 and settings.symmetries > 1


@rule
def wait_for_network(tree: Tree, leaf: int) -> None:
    """Let a leaf wait; until it is absorbed it counts as lost."""
    tree.nodes[leaf].status = WAITING
    add_pending(tree, leaf, 1)
    tree.heads[0].num_waiting += 1


@rule
def expand_with_network(
    tree: Tree, leaf: int, logits: Array, value: float, settings: Any, work: Work
) -> float:
    """Expand a leaf by a network's logits [A]; return its value for player 0.

    At chance's turn, of which only a learned model tells so late, the logits are the
    probabilities of the outcomes.
    """
    if HAS_CHANCE:
        if tree.nodes[leaf].to_play == CHANCE:
            add_outcomes(tree, leaf, logits, model.MAX_OUTCOMES)
            tree.nodes[leaf].value = value
            return float(value)
    count = model.legal(states_of(tree)[leaf], work.actions)
    highest, total = -math.inf, 0.0
    for i in range(count):
        highest = max(highest, float(logits[work.actions[i]]))
    for i in range(count):
        work.priors[i] = math.exp(float(logits[work.actions[i]]) - highest)
        total += work.priors[i]
    for i in range(count):
        work.priors[i] /= total
        work.logits[i] = float(logits[work.actions[i]]) - highest - math.log(total)
    add_edges(tree, leaf, count, work, settings)
    node = tree.nodes[leaf]
    node.value = -value if node.to_play == 1 else value
    return float(node.value)


@rule
def expand_with_rollouts(tree: Tree, leaf: int, settings: Any, work: Work) -> float:
    """Expand a leaf with equal priors, higher for actions that the game calls likely.

    Returns the mean of its rollouts, 0 without any.
    """
    state, likely, count = states_of(tree)[leaf], 0, 0
    if model.HAS_LIKELY and settings.likely > 0.0 and settings.rollouts > 0:
        likely, count = list_likely_first(state, work)
    else:
        count = model.legal(state, work.actions)
    rest = (1.0 if likely == 0 else 1.0 - settings.likely) / count
    for i in range(count):
        prior = rest + settings.likely / likely if i < likely else rest
        work.priors[i], work.logits[i] = prior, math.log(prior)
    add_edges(tree, leaf, count, work, settings)
    tree.nodes[leaf].is_sorted = 1
    value = 0.0
    for _ in range(settings.rollouts):
        spare = records(work.spare, STATE)
        spare[0] = state
        value += roll_out(spare[0], work, settings, tree.rng)
    tree.nodes[leaf].value = value / max(1, settings.rollouts)
    return float(tree.nodes[leaf].value)


@rule
def list_likely_first(state: np.record, work: Work) -> tuple[int, int]:
    """Write the legal actions, likely ones first; return how many: likely, all."""
    likely = model.likely(state, -1, -1, work.actions)
    work.scores[:] = 0.0
    for i in range(likely):
        work.scores[work.actions[i]] = 1.0
    count = model.legal(state, work.actions)
    if likely == 0:
        return 0, count
    for i in range(count):
        work.scores[work.actions[i]] += 2.0
    listed, likely = 0, 0
    for mark in (3.0, 2.0):
        likely = listed
        for action in range(model.NUM_ACTIONS):
            if work.scores[action] == mark:
                work.actions[listed] = action
                listed += 1
    return likely, count


@rule
def roll_out(state: np.record, work: Work, settings: Any, rng: Rng) -> float:
    """Play a state to its end at random; return what player 0 gets."""
    gained, weight, plies = 0.0, 1.0, 0
    before, last = -1, -1
    while state.to_play != OVER and plies < settings.rollout_plies:
        if state.to_play == CHANCE:
            gained += weight * model.resolve_chance(state, work.chances, rng)
        else:
            count = 0
            if model.HAS_LIKELY and settings.likely > 0.0:
                count = model.likely(state, before, last, work.actions)
            if count == 0:
                count = model.legal(state, work.actions)
            before, last = last, work.actions[below(rng, count)]
            gained += weight * model.step(state, last)
            weight *= settings.discount
            plies += 1
    if BOUNDED:
        return model.result(state) if state.to_play == OVER else 0.0
    return gained


# Back up.


@rule
def known_value(node: Any) -> float:
    """Return the value, for player 0, of a leaf that was evaluated before."""
    return float(node.value if node.proof == UNPROVEN else node.proof)


@rule
def finish(
    tree: Tree, leaf: int, value: float, settings: Any, schedule: Schedule
) -> None:
    """Back up a known value of a leaf; that of the root is not a simulation."""
    if leaf == 0:
        root = tree.nodes[0]
        root.visits, root.total, root.squares = 1, value, value * value
        prepare_root(tree, settings, schedule)
    else:
        back_up(tree, leaf, value, settings, BOUNDED)
        tree.heads[0].sims += 1


# Roots.


@entry
def find_idle(forest: Forest, settings: Any, games: Array) -> int:
    """Write the games [n] whose search has come to its end; return how many."""
    count = 0
    for g in range(len(forest.heads)):
        tree = tree_of(forest, g)
        if tree.heads[0].num_waiting == 0 and not wants_more(tree, settings):
            games[count] = g
            count += 1
    return count


@entry
def describe_roots(states: Array, planes: Array, legal: Array, to_play: Array) -> None:
    """Write what a network sees of states [n], what is legal [n, A], who is to move."""
    actions = np.empty(model.NUM_ACTIONS, np.int32)
    for n in range(len(states)):
        to_play[n] = states[n].to_play
        legal[n] = False
        planes[n] = 0.0
        if to_play[n] >= 0:
            model.observe(states[n], planes[n])
            for i in range(model.legal(states[n], actions)):
                legal[n, actions[i]] = True


@entry
def observe_images(
    states: Array, symmetries: Array, image: Array, planes: Array
) -> None:
    """Write what states [n] show through symmetries [S].

    `planes` [n, S, P, rows, columns]; `image` [1] is scratch.
    """
    for n in range(len(states)):
        for s in range(len(symmetries)):
            image[0] = states[n]
            model.transform(states[n], symmetries[s], image[0])
            planes[n, s] = 0.0
            model.observe(image[0], planes[n, s])


@entry
def read_roots(
    forest: Forest,
    games: Array,
    settings: Any,
    schedule: Schedule,
    per_action: Array,
    per_game: Array,
) -> None:
    """Read what the searches of games [n] have found out.

    `per_action` [5, n, A] gets visits, priors, mean returns, proofs and the policy to
    learn; `per_game` [2, n] the value for the player to move and the action to play.
    """
    scratch = np.empty(per_action.shape[2])
    per_action[:] = 0.0
    per_action[3] = UNPROVEN
    for n in range(len(games)):
        tree = tree_of(forest, games[n])
        found = (per_action, per_game)
        read_root(tree, settings, schedule, scratch, n, *found, BOUNDED)


@entry
def prepare_roots(
    forest: Forest, games: Array, settings: Any, schedule: Schedule
) -> None:
    """Make roots of games [n] out of nodes that have been searched as inner ones."""
    for g in games:
        tree = tree_of(forest, g)
        if tree.nodes[0].status == EXPANDED and tree.nodes[0].to_play >= 0:
            prepare_root(tree, settings, schedule)
