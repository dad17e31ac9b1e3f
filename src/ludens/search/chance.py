"""Chance nodes: their edges are outcomes, and the rules tell how likely each one is.

Up to `exact_outcomes` outcomes are visited in proportion to their probabilities, and
the node's value is the exact expectation once each of them has been seen. More outcomes
than that are sampled.

Samples come from a chance key. It is the same after all moves of a player, so that
moves are compared under the same outcomes (common random numbers), and differs from
outcome to outcome. No key exists before the search: no dice are known in advance.
"""

import math
from typing import Any

import numpy as np

from ludens.game import CHANCE
from ludens.loading.compilable import compilable
from ludens.rng import mix, next_word, spread_fraction
from ludens.search.tree import EXPANDED, Array, Tree, add_edge


@compilable
def new_key(tree: Tree, parent: int, edge: int) -> np.uint64:
    """Return the chance key of a new node."""
    if parent < 0:
        return next_word(tree.rng)
    key: np.uint64 = tree.nodes[parent].chance_key
    if tree.nodes[parent].to_play == CHANCE:
        return mix(key ^ mix(np.uint64(tree.edges[edge].action + 1)))
    return key


@compilable
def add_outcomes(tree: Tree, index: int, probabilities: Array, count: int) -> None:
    """Give a chance node an edge for every outcome of `count` that is possible."""
    node = tree.nodes[index]
    node.first_edge = tree.heads[0].num_edges
    for outcome in range(count):
        if probabilities[outcome] > 0.0:
            add_edge(tree, outcome, probabilities[outcome], 0.0)
    node.num_edges = tree.heads[0].num_edges - node.first_edge
    node.status = EXPANDED


@compilable
def select_outcome(tree: Tree, node: Any, settings: Any) -> int:
    """Return the edge that a chance node follows next."""
    if node.num_edges <= settings.exact_outcomes:
        return most_overdue(tree, node)
    if settings.outcomes > 0.0:
        e = least_visited_of_enough(tree, node, settings)
        if e >= 0:
            return e
    return sample_outcome(tree, node)


@compilable
def most_overdue(tree: Tree, node: Any) -> int:
    """Return the edge whose visits lag most behind its probability."""
    best, most = node.first_edge, -math.inf
    for e in range(node.first_edge, node.first_edge + node.num_edges):
        edge = tree.edges[e]
        due = edge.prior * (node.visits + 1) - (edge.visits + edge.pending)
        if due > most:
            best, most = e, due
    return int(best)


@compilable
def least_visited_of_enough(tree: Tree, node: Any, settings: Any) -> int:
    """Return the least visited open edge, -1 if the node may open another one."""
    rarest, num_open = -1, 0
    for e in range(node.first_edge, node.first_edge + node.num_edges):
        if tree.edges[e].child >= 0:
            num_open += 1
            if rarest < 0 or tree.edges[e].visits < tree.edges[rarest].visits:
                rarest = e
    allowed = settings.outcomes * (node.visits + 1) ** settings.outcomes_power
    return rarest if num_open >= max(1.0, allowed) else -1


@compilable
def sample_outcome(tree: Tree, node: Any) -> int:
    """Return an edge sampled by the chance key and the number of the visit."""
    waiting = tree.edges[node.parent_edge].pending if node.parent >= 0 else 0
    left = spread_fraction(node.chance_key, node.visits + waiting)
    last = node.first_edge + node.num_edges - 1
    for e in range(node.first_edge, last):
        left -= float(tree.edges[e].prior)
        if left < 0.0:
            return int(e)
    return int(last)


@compilable
def settle_expectation(tree: Tree, node: Any, settings: Any) -> float:
    """Make the mean of a chance node exact once each of its few outcomes is known.

    Returns by how much its total changed.
    """
    if node.num_edges > settings.exact_outcomes:
        return 0.0
    mean = 0.0
    for e in range(node.first_edge, node.first_edge + node.num_edges):
        edge = tree.edges[e]
        if edge.visits == 0:
            return 0.0
        mean += edge.prior * (edge.total / edge.visits)
    change = mean * node.visits - node.total
    node.total += change
    return float(change)
