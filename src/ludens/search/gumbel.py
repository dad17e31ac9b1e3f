"""Gumbel AlphaZero: sequential halving at the root, a deterministic rule below it.

Danihelka et al. 2022, "Policy improvement by planning with Gumbel". The details (Q
rescaled and completed, the mixed value, the schedule of visits) are those of mctx.
"""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ludens.loading.compilable import compilable
from ludens.search.tree import UNPROVEN, Array, Tree

EPSILON = 1e-8
TINY = 1.1754943508222875e-38  # the least positive normal float32, as in mctx
Scores = NDArray[np.float64]
"""[K] a number for each edge of a node"""
Schedule = Array | None
"""The visits of the root actions whose turn it is [plans, considered + 1, sims].

A plan is a number of simulations, so that games may have budgets of their own. None
means PUCT; what only the other of the two does is not even compiled.
"""


def visit_schedules(max_considered: int, plans: Sequence[int]) -> NDArray[np.int32]:
    """Return the schedules of plans: numbers of simulations."""
    schedules = np.zeros((len(plans), max_considered + 1, max(1, *plans)), np.int32)
    for plan, sims in enumerate(plans):
        for num_considered in range(max_considered + 1):
            schedule = visit_schedule(num_considered, sims)
            schedules[plan, num_considered, :sims] = schedule
    return schedules


def visit_schedule(num_considered: int, sims: int) -> list[int]:
    """Return, for each simulation, the visits of the actions whose turn it is."""
    if num_considered <= 1:
        return list(range(sims))
    rounds = math.ceil(math.log2(num_considered))
    visits = [0] * num_considered
    schedule: list[int] = []
    left = num_considered
    while len(schedule) < sims:
        for _ in range(max(1, int(sims / (rounds * left)))):
            schedule += visits[:left]
            for i in range(left):
                visits[i] += 1
        left = max(2, left // 2)
    return schedule[:sims]


@compilable
def mixed_value(tree: Tree, node: Any) -> float:
    """Return the value of untried actions: the node's own and its edges' mixed."""
    own = -node.value if node.to_play == 1 else node.value
    visits, tried, weighted = 0, 0.0, 0.0
    for e in range(node.first_edge, node.first_edge + node.num_edges):
        edge = tree.edges[e]
        if edge.visits > 0:
            prior = max(TINY, float(edge.prior))
            visits += edge.visits
            tried += prior
            weighted += prior * (edge.total / edge.visits)
    if visits == 0:
        return float(own)
    return float((own + visits * (weighted / tried)) / (visits + 1))


@compilable
def complete_q(tree: Tree, node: Any, settings: Any, scores: Scores) -> None:
    """Write sigma(completed Q) of each edge: Q or the mixed value, rescaled to [0, 1].

    sigma(q) = (c_visit + max n) * c_scale * q. A proven edge has its exact value.
    Values that differ by less than `least_spread` are stretched as if by that.
    """
    unknown = mixed_value(tree, node)
    low, high, most = math.inf, -math.inf, 0
    for i in range(node.num_edges):
        edge = tree.edges[node.first_edge + i]
        value = unknown
        if edge.proof != UNPROVEN:
            value = float(edge.proof)
        elif edge.visits > 0:
            value = edge.total / edge.visits
        scores[i] = value
        low, high = min(low, value), max(high, value)
        most = max(most, edge.visits)
    scale = (settings.c_visit + most) * settings.c_scale
    spread = max(high - low, max(settings.least_spread, EPSILON))
    for i in range(node.num_edges):
        scores[i] = scale * ((scores[i] - low) / spread)


@compilable
def improve(tree: Tree, node: Any, settings: Any, policy: Scores) -> None:
    """Write the improved policy softmax(logits + sigma(completed Q)) of each edge."""
    complete_q(tree, node, settings, policy)
    highest, total = -math.inf, 0.0
    for i in range(node.num_edges):
        policy[i] += tree.edges[node.first_edge + i].logit
        highest = max(highest, policy[i])
    for i in range(node.num_edges):
        policy[i] = math.exp(policy[i] - highest)
        total += policy[i]
    for i in range(node.num_edges):
        policy[i] /= total


@compilable
def select_below(tree: Tree, node: Any, settings: Any, scratch: Scores) -> int:
    """Return the edge whose visits lag most behind the improved policy."""
    improve(tree, node, settings, scratch)
    visits = 0
    for e in range(node.first_edge, node.first_edge + node.num_edges):
        visits += tree.edges[e].visits + tree.edges[e].pending
    best, highest = node.first_edge, -math.inf
    for i in range(node.num_edges):
        edge = tree.edges[node.first_edge + i]
        score = scratch[i] - (edge.visits + edge.pending) / (1.0 + visits)
        if score > highest and edge.proof == UNPROVEN:
            best, highest = node.first_edge + i, score
    return int(best)


@compilable
def select_root(
    tree: Tree, node: Any, settings: Any, considered_visits: int, scratch: Scores
) -> int:
    """Return the edge of these visits with the highest g + logits + sigma.

    One that is proven lost is taken only if there is no other.
    """
    complete_q(tree, node, settings, scratch)
    top = -math.inf
    for e in range(node.first_edge, node.first_edge + node.num_edges):
        top = max(top, tree.edges[e].logit)
    best, highest = node.first_edge, -math.inf
    for i in range(node.num_edges):
        edge = tree.edges[node.first_edge + i]
        if edge.visits + edge.pending == considered_visits:
            score = -1e9
            if edge.proof != -1:
                score = max(score, tree.noise[i] + edge.logit - top + scratch[i])
            if score > highest:
                best, highest = node.first_edge + i, score
    return int(best)
