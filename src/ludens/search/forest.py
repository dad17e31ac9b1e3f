"""Many trees side by side, and the arrays a thread works in."""

import math
from typing import Any, NamedTuple

import numpy as np

from ludens.loading.compilable import borrow, compilable
from ludens.loading.hashing import hash_words
from ludens.rng import spread_lot
from ludens.search.tree import EXPANDED, Array, Tree, add_edge, sort_by_prior


class Forest(NamedTuple):
    """The trees of many games [B, ...], in the order of Tree's fields."""

    heads: Array
    states: Array
    words: Array
    nodes: Array
    edges: Array
    gumbels: Array
    rngs: Array


class Work(NamedTuple):
    """The arrays that a thread works in."""

    actions: Array
    priors: Array
    logits: Array
    chances: Array
    scores: Array
    spare: Array


@compilable
def tree_of(forest: Forest, g: int) -> Tree:
    """Return the tree of one game."""
    return Tree(
        borrow(forest.heads)[g : g + 1],
        borrow(forest.states)[g],
        borrow(forest.words)[g],
        borrow(forest.nodes)[g],
        borrow(forest.edges)[g],
        borrow(forest.gumbels)[g],
        borrow(forest.rngs)[g],
    )


@compilable
def borrow_work(work: Work) -> Work:
    """Return the same arrays, uncounted."""
    return Work(
        borrow(work.actions),
        borrow(work.priors),
        borrow(work.logits),
        borrow(work.chances),
        borrow(work.scores),
        borrow(work.spare),
    )


@compilable
def expand(tree: Tree, index: int, count: int, work: Work, settings: Any) -> None:
    """Give a player's node its edges: the first `count` actions in `work`."""
    node, head = tree.nodes[index], tree.heads[0]
    node.first_edge = head.num_edges
    for i in range(count):
        add_edge(tree, work.actions[i], work.priors[i], work.logits[i])
    node.num_edges = count
    node.status = EXPANDED
    is_cut = 0 < settings.max_edges < count
    if settings.widening > 0.0 or is_cut:
        sort_by_prior(tree.edges, node.first_edge, count)
        node.is_sorted = 1
    if is_cut:
        node.num_edges = settings.max_edges
        node.is_cut = 1
        head.num_edges = node.first_edge + node.num_edges


@compilable
def pick_outcome(tree: Tree, node: Any, settings: Any) -> int:
    """Return an outcome's edge: few are taken in due proportion, many by spread lots.

    The lots are the same below all moves, so moves are compared by the same outcomes.
    Once as many were drawn as a node of its visits may open, the least visited of them
    comes next: the search then goes deeper.
    """
    first, last = node.first_edge, node.first_edge + node.num_edges - 1
    if node.num_edges <= settings.exact_outcomes:
        best, most = first, -math.inf
        for e in range(first, last + 1):
            edge = tree.edges[e]
            due = edge.prior * (node.visits + 1) - (edge.visits + edge.pending)
            if due > most:
                best, most = e, due
        return int(best)
    if settings.outcomes > 0.0:
        rarest, num_open = -1, 0
        for e in range(first, last + 1):
            if tree.edges[e].child >= 0:
                num_open += 1
                if rarest < 0 or tree.edges[e].visits < tree.edges[rarest].visits:
                    rarest = e
        room = settings.outcomes * (node.visits + 1) ** settings.outcomes_power
        if num_open >= max(1.0, room):
            return int(rarest)
    waiting = tree.edges[node.parent_edge].pending if node.parent >= 0 else 0
    left = spread_lot(node.luck, node.visits + waiting)
    for e in range(first, last):
        left -= float(tree.edges[e].prior)
        if left < 0.0:
            return int(e)
    return int(last)


@compilable
def is_open(tree: Tree, left: int) -> bool:
    """Tell whether the second move can still catch up with the first."""
    root = tree.nodes[0]
    first, second = 0, 0
    for e in range(root.first_edge, root.first_edge + root.num_edges):
        visits = tree.edges[e].visits
        if visits > first:
            first, second = visits, first
        elif visits > second:
            second = visits
    return bool(first - second <= left)


@compilable
def find_slot(cache: Array, key: Array) -> int:
    """Return where a position is, or would be, in the cache; -1 if there is none."""
    if len(cache) == 0:
        return -1
    return int(np.int64(hash_words(key) & np.uint64(len(cache) - 1)))


@compilable
def is_known(entry: Any, key: Array) -> bool:
    """Tell whether a cache entry is of this very position, word for word."""
    same = entry.used != 0
    for i in range(len(key)):
        same = same and entry.key[i] == key[i]
    return bool(same)
