"""The root: noise before a search; the action and the policy target after it."""

import math
from typing import Any

from ludens.loading.compilable import compilable
from ludens.rng import gamma, gumbel
from ludens.search.gumbel import Schedule, Scores, improve, select_root
from ludens.search.puct import edge_value, exploration
from ludens.search.tree import UNPROVEN, Array, Tree


@compilable
def prepare_root(tree: Tree, settings: Any, schedule: Schedule) -> None:
    """Give the root what only a root has: Gumbel numbers, or temperature and noise."""
    node = tree.nodes[0]
    if schedule is None:
        apply_temperature(tree, node, settings.root_temperature)
        add_dirichlet_noise(tree, node, settings)
        return
    tree.heads[0].num_considered = min(node.num_edges, settings.max_considered)
    if settings.gumbel_scale >= 0.0:  # else the caller has set them
        for i in range(node.num_edges):
            tree.noise[i] = settings.gumbel_scale * gumbel(tree.rng)


@compilable
def apply_temperature(tree: Tree, node: Any, temperature: float) -> None:
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
def add_dirichlet_noise(tree: Tree, node: Any, settings: Any) -> None:
    """Mix Dirichlet noise into the priors; its alpha is noise_total / legal moves."""
    if settings.noise_fraction == 0.0:
        return
    node.is_sorted = 0
    first, count, total = node.first_edge, node.num_edges, 0.0
    for i in range(count):
        tree.noise[i] = gamma(tree.rng, settings.noise_total / count)
        total += tree.noise[i]
    for i in range(count):
        share = tree.noise[i] / total if total > 0.0 else 1.0 / count
        edge = tree.edges[first + i]
        edge.prior += settings.noise_fraction * (share - edge.prior)


@compilable
def choose_edge(tree: Tree, settings: Any, schedule: Schedule, scratch: Scores) -> int:
    """Return the root edge to play.

    PUCT plays the most visited edge, Gumbel the best one of the most visited. Only
    edges that keep what is proven of the root, or are not proven lost, come into it.
    """
    root = tree.nodes[0]
    best, most = root.first_edge, -1
    for e in range(root.first_edge, root.first_edge + root.num_edges):
        edge = tree.edges[e]
        if not is_eligible(root, edge):
            continue
        if edge.visits > most or is_likelier(root, edge, tree.edges[best]):
            best, most = e, edge.visits
    if schedule is not None:
        if root.proof == UNPROVEN:
            return select_root(tree, root, settings, most, scratch)
    return int(best)


@compilable
def is_likelier(root: Any, edge: Any, best: Any) -> bool:
    """Tell whether an edge is likelier than another, where neither was visited."""
    if root.proof == UNPROVEN or edge.visits + best.visits > 0:
        return False
    return bool(edge.prior > best.prior and is_eligible(root, best))


@compilable
def is_eligible(root: Any, edge: Any) -> bool:
    """Tell whether an edge keeps what is proven of the root, or is not proven lost."""
    if root.proof == UNPROVEN:
        return bool(edge.proof != -1)
    return bool(edge.proof == (-root.proof if root.to_play == 1 else root.proof))


@compilable
def write_policy_target(
    tree: Tree,
    settings: Any,
    schedule: Schedule,
    best: int,
    policy: Scores,
    bounded: bool,
) -> None:
    """Write the policy [edges] to learn from the search: exact where it is proven."""
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
                policy[i] = unforced_visits(tree, edge, best, settings, bounded)
        total += policy[i]
    if total == 0.0:
        total = write_priors(tree, root, policy)
    for i in range(count):
        policy[i] /= total


@compilable
def write_priors(tree: Tree, root: Any, policy: Scores) -> float:
    """Write the priors of the edges not proven lost, or of all; return their sum."""
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
def unforced_visits(
    tree: Tree, edge: Any, best: int, settings: Any, bounded: bool
) -> float:
    """Return the visits of an edge without forced playouts (Wu 2019).

    They are taken away as long as PUCT would still prefer the best edge.
    """
    root, top, head = tree.nodes[0], tree.edges[best], tree.heads[0]
    if settings.forced == 0.0 or edge.action == top.action or edge.visits == 0:
        return float(edge.visits)
    scale = exploration(root, head, settings, bounded)
    weight = settings.value_weight
    target = weight * edge_value(top, head, settings, bounded)
    target += scale * float(top.prior) / (1.0 + top.visits)
    value = weight * edge_value(edge, head, settings, bounded)
    forced = math.sqrt(settings.forced * edge.prior * (root.visits - 1))
    visits = edge.visits
    while visits > 0 and edge.visits - visits < forced:
        if value + scale * float(edge.prior) / visits >= target:
            break
        visits -= 1
    return float(visits) if visits > 1 else 0.0


@compilable
def can_still_change(tree: Tree, left: int) -> bool:
    """Tell whether the second most visited edge can still catch up with the first."""
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
def read_root(
    tree: Tree,
    settings: Any,
    schedule: Schedule,
    scratch: Scores,
    n: int,
    per_action: Array,
    per_game: Array,
    bounded: bool,
) -> None:
    """Write what a search found out into place n of arrays that `read_roots` has."""
    root = tree.nodes[0]
    sign = -1.0 if root.to_play == 1 else 1.0
    mean = root.total / max(1, root.visits)
    per_game[0, n] = sign * (mean if root.proof == UNPROVEN else root.proof)
    per_game[1, n] = -1
    if root.to_play < 0 or root.num_edges == 0:
        return
    best = choose_edge(tree, settings, schedule, scratch)
    per_game[1, n] = tree.edges[best].action
    write_policy_target(tree, settings, schedule, best, scratch, bounded)
    for i in range(root.num_edges):
        edge = tree.edges[root.first_edge + i]
        per_action[0, n, edge.action] = edge.visits
        per_action[1, n, edge.action] = math.exp(edge.logit)
        per_action[2, n, edge.action] = edge.total / max(1, edge.visits)
        per_action[3, n, edge.action] = edge.proof
        per_action[4, n, edge.action] = scratch[i]
