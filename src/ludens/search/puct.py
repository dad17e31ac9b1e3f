"""PUCT: which edge of a node to follow (AlphaZero's and KataGo's forms).

    score(a) = value_weight * Q(a) + prior_weight * c * sqrt(N) * P(a) / (1 + n(a))
    c = c_puct + c_log * log((N + c_base + 1) / c_base)

N counts the visits of the node, its own evaluation included (Silver et al. 2018,
pseudocode). Where nothing is known of an edge yet, Q is the node's mean less
fpu_reduction * sqrt(prior already tried) (Wu 2019), or a constant. Both weights are 1
unless somebody wants a search that trusts its network less, or more.

With spread_weight, c grows and shrinks with the standard deviation of the values that
were found below the node (KataGo's dynamic variance-scaled cPUCT).
"""

import math
from typing import Any

from ludens.loading.compilable import compilable
from ludens.search.tree import UNPROVEN, Tree

USUAL_SPREAD, USUAL_VISITS = 0.4, 2.0
"""What is thought of the spread before anything is known, and as how many visits."""


@compilable
def normalise(mean: float, head: Any, bounded: bool) -> float:
    """Map a mean return to [-1, 1]; those of two-player games are there already."""
    if bounded:
        return mean
    if head.high > head.low:
        return float(2.0 * (mean - head.low) / (head.high - head.low) - 1.0)
    return 0.0


@compilable
def exploration(node: Any, head: Any, settings: Any, bounded: bool) -> float:
    """Return prior_weight * c * sqrt(N)."""
    visits, growth = node.visits, 0.0
    if settings.c_log != 0.0:
        growth = math.log((visits + settings.c_base + 1.0) / settings.c_base)
    c = (settings.c_puct + settings.c_log * growth) * settings.prior_weight
    if settings.spread_weight != 0.0:
        excess = spread(node, head, bounded) / USUAL_SPREAD - 1.0
        c *= 1.0 + settings.spread_weight * excess
    return float(c * math.sqrt(visits))


@compilable
def spread(node: Any, head: Any, bounded: bool) -> float:
    """Return the standard deviation of a node's values, drawn towards the usual one."""
    mean = node.total / node.visits
    deviations = max(0.0, node.squares - node.visits * mean * mean)
    if not bounded:
        ratio = 2.0 / (head.high - head.low) if head.high > head.low else 0.0
        deviations *= ratio * ratio
    usual = USUAL_VISITS * USUAL_SPREAD * USUAL_SPREAD
    return math.sqrt((deviations + usual) / (node.visits + USUAL_VISITS))


@compilable
def first_play_value(node: Any, head: Any, settings: Any, bounded: bool) -> float:
    """Return the Q of edges that were never tried."""
    if settings.fpu_from_parent == 0:
        return float(settings.fpu_value)
    mean = node.total / node.visits
    own = -mean if node.to_play == 1 else mean
    reduction = settings.fpu_reduction * math.sqrt(node.seen_prior)
    return float(normalise(own, head, bounded) - reduction)


@compilable
def edge_value(edge: Any, head: Any, settings: Any, bounded: bool) -> float:
    """Return the Q of an edge that was tried; waiting leaves count as lost."""
    if edge.proof != UNPROVEN:
        return float(edge.proof)
    known = 0.0
    if edge.visits > 0:
        known = normalise(edge.total / edge.visits, head, bounded)
    if edge.pending == 0:
        return known
    lost = edge.pending * settings.virtual_loss
    return float((known * edge.visits - lost) / (edge.visits + edge.pending))


@compilable
def num_open(node: Any, settings: Any) -> int:
    """Return how many edges may be tried: with widening, more as visits grow."""
    if settings.widening == 0.0:
        return int(node.num_edges)
    allowed = math.ceil(settings.widening * node.visits**settings.widening_power)
    return int(min(node.num_edges, max(1, allowed)))


@compilable
def is_forced(edge: Any, visits: int, settings: Any) -> bool:
    """Tell whether a root edge has fewer than its forced playouts (Wu 2019)."""
    if settings.forced == 0.0 or edge.visits == 0:
        return False
    return bool(edge.visits < math.sqrt(settings.forced * edge.prior * visits))


@compilable
def select_puct(tree: Tree, index: int, settings: Any, bounded: bool) -> int:
    """Return the edge with the highest score, the first one among equals."""
    node, head = tree.nodes[index], tree.heads[0]
    scale = exploration(node, head, settings, bounded)
    weight = settings.value_weight
    untried = weight * first_play_value(node, head, settings, bounded)
    best, highest = -1, -math.inf
    for e in range(node.first_edge, node.first_edge + num_open(node, settings)):
        edge = tree.edges[e]
        if edge.proof == -1 or (edge.proof != UNPROVEN and index != 0):
            continue
        count = edge.visits + edge.pending
        score = untried + scale * float(edge.prior)
        if count > 0:
            value = edge_value(edge, head, settings, bounded)
            score = weight * value + scale * float(edge.prior) / (1.0 + count)
        if index == 0 and is_forced(edge, node.visits - 1, settings):
            score = math.inf
        if score > highest:
            best, highest = e, score
        if count == 0 and node.is_sorted != 0:
            break  # the others were not tried either, and are no likelier
    if best >= 0:
        return best
    return first_unproven(tree, node)


@compilable
def first_unproven(tree: Tree, node: Any) -> int:
    """Return the first edge without a proof: all edges that may be tried have one."""
    for e in range(node.first_edge, node.first_edge + node.num_edges):
        if tree.edges[e].proof == UNPROVEN:
            return e
    return int(node.first_edge)
