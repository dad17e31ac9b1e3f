"""The root: noise before a search, the choice and the lesson after it."""

import math
from typing import Any

from ludens.loading.compilable import compilable
from ludens.rng import gamma, gumbel
from ludens.search.gumbel import Scores, improve, select_root
from ludens.search.puct import edge_value, exploration
from ludens.search.tree import UNPROVEN, Array, Tree

Schedule = Array | None
"""Gumbel's schedules of visits [plans, actions considered, simulations]; None: PUCT.

What only the other of the two does is not even compiled.
"""


@compilable
def prepare_root(tree: Tree, settings: Any, schedule: Schedule) -> None:
    """Give the root what only a root has: Gumbel numbers, or temperature and noise."""
    node = tree.nodes[0]
    if schedule is None:
        heat(tree, node, settings.root_temperature)
        add_noise(tree, node, settings)
        return
    tree.heads[0].num_considered = min(node.num_edges, settings.max_considered)
    if settings.gumbel_scale >= 0.0:  # else the caller has set them
        for i in range(node.num_edges):
            tree.gumbels[i] = settings.gumbel_scale * gumbel(tree.rng)


@compilable
def heat(tree: Tree, node: Any, temperature: float) -> None:
    """Set the priors to softmax(logits / temperature)."""
    if temperature == 1.0:
        return
    first, count = node.first_edge, node.num_edges
    top, total = -math.inf, 0.0
    for e in range(first, first + count):
        top = max(top, float(tree.edges[e].logit))
    for e in range(first, first + count):
        total += math.exp((float(tree.edges[e].logit) - top) / temperature)
    for e in range(first, first + count):
        power = math.exp((float(tree.edges[e].logit) - top) / temperature)
        tree.edges[e].prior = power / total


@compilable
def add_noise(tree: Tree, node: Any, settings: Any) -> None:
    """Mix Dirichlet noise into the priors; its alpha is noise_total / legal moves."""
    if settings.noise_fraction == 0.0:
        return
    node.is_sorted = 0
    first, count, total = node.first_edge, node.num_edges, 0.0
    for i in range(count):
        tree.gumbels[i] = gamma(tree.rng, settings.noise_total / count)
        total += tree.gumbels[i]
    for i in range(count):
        noise = tree.gumbels[i] / total if total > 0.0 else 1.0 / count
        edge = tree.edges[first + i]
        edge.prior += settings.noise_fraction * (noise - edge.prior)


@compilable
def choose(tree: Tree, settings: Any, schedule: Schedule, scratch: Scores) -> int:
    """Return the root edge to play: of what is proven best, or not lost, the most
    visited; with Gumbel, of the most visited the best."""
    root = tree.nodes[0]
    best, most = root.first_edge, -1
    for e in range(root.first_edge, root.first_edge + root.num_edges):
        edge = tree.edges[e]
        if is_eligible(root, edge) and edge.visits > most:
            best, most = e, edge.visits
    if schedule is not None:
        if root.proof == UNPROVEN:
            return select_root(tree, root, settings, most, scratch)
    return int(best)


@compilable
def is_eligible(root: Any, edge: Any) -> bool:
    """Tell whether an edge keeps what is proven of the root, or is not proven lost."""
    if root.proof == UNPROVEN:
        return bool(edge.proof != -1)
    return bool(edge.proof == (-root.proof if root.to_play == 1 else root.proof))


@compilable
def learn(
    tree: Tree,
    settings: Any,
    schedule: Schedule,
    best: int,
    policy: Scores,
    bounded: bool,
) -> None:
    """Write the policy [edges] that the search teaches: exact where it is proven."""
    root = tree.nodes[0]
    first, count = root.first_edge, root.num_edges
    if schedule is not None:
        if root.proof == UNPROVEN:
            improve(tree, root, settings, policy)
            return
    total = 0.0
    for i in range(count):
        edge = tree.edges[first + i]
        policy[i] = 0.0
        if is_eligible(root, edge):
            policy[i] = 1.0
            if root.proof == UNPROVEN:
                policy[i] = unforced(tree, edge, best, settings, bounded)
        total += policy[i]
    if total == 0.0:
        total = fall_back(tree, root, policy)
    for i in range(count):
        policy[i] /= total


@compilable
def fall_back(tree: Tree, root: Any, policy: Scores) -> float:
    """Write the priors of what is not lost, or of all; return their sum."""
    total = 0.0
    for i in range(root.num_edges):
        edge = tree.edges[root.first_edge + i]
        policy[i] = float(edge.prior) if is_eligible(root, edge) else 0.0
        total += policy[i]
    if total > 0.0:
        return total
    for i in range(root.num_edges):
        policy[i] = float(tree.edges[root.first_edge + i].prior)
        total += policy[i]
    return total


@compilable
def unforced(tree: Tree, edge: Any, best: int, settings: Any, bounded: bool) -> float:
    """Return the visits of an edge less those it was only forced to have (Wu 2019).

    They are taken away as long as PUCT would still prefer the best edge.
    """
    root, top, head = tree.nodes[0], tree.edges[best], tree.heads[0]
    if settings.forced == 0.0 or edge.action == top.action or edge.visits == 0:
        return float(edge.visits)
    scale = exploration(settings, root.visits)
    target = edge_value(top, head, settings, bounded)
    target += scale * float(top.prior) / (1.0 + top.visits)
    value = edge_value(edge, head, settings, bounded)
    forced = math.sqrt(settings.forced * edge.prior * (root.visits - 1))
    visits = edge.visits
    while visits > 0 and edge.visits - visits < forced:
        if value + scale * float(edge.prior) / visits >= target:
            break
        visits -= 1
    return float(visits) if visits > 1 else 0.0
