"""The arrays of a search tree.

A tree is three arrays: states, nodes, and edges. The edges of a node stand next to
each other; each has at most one child node. A node is a player's, chance's, or the end.
Totals are sums over visits: those of a node for player 0, those of an edge for the
player whose edge it is.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ludens.loading.compilable import compilable
from ludens.rng import Rng

Array = NDArray[Any]

FRESH, WAITING, EXPANDED = 0, 1, 2
"""A node: not evaluated, on its way to the evaluator, with edges (or none: the end)."""
UNPROVEN = 2
"""Otherwise a proof is 1, 0 or -1, won, drawn or lost: a node's for player 0, an edge's
for the player whose edge it is."""


def _record(*fields: tuple[Any, ...]) -> np.dtype[Any]:
    return np.dtype((np.record, np.dtype(list(fields), align=True)))


NODE = _record(
    ("total", "f8"),  # sum of returns, for player 0
    ("value", "f8"),  # what the evaluator said, for player 0
    ("reward", "f8"),  # on the way from the parent to here
    ("seen_prior", "f8"),  # prior of the edges that have a child
    ("luck", "u8"),  # draws its outcomes, if it is chance's or has such below it
    ("parent", "i4"),
    ("parent_edge", "i4"),
    ("first_edge", "i4"),
    ("num_edges", "i4"),
    ("visits", "i4"),  # its own evaluation and all simulations through it
    ("to_play", "i1"),
    ("status", "i1"),
    ("proof", "i1"),
    ("is_cut", "i1"),  # edges were left out, so that "all lose" proves nothing
    ("has_draw", "i1"),  # one of its edges is proven drawn
    ("is_sorted", "i1"),  # no edge is likelier than one before it
)
EDGE = _record(
    ("total", "f8"),  # sum of returns, for the player whose edge it is
    ("child", "i4"),
    ("visits", "i4"),
    ("prior", "f4"),
    ("logit", "f4"),  # log of the prior before noise and temperature
    ("action", "i2"),
    ("pending", "i2"),  # leaves below it that wait for the evaluator
    ("proof", "i1"),
)
HEAD = _record(
    ("num_nodes", "i4"),
    ("num_edges", "i4"),
    ("sims", "i4"),  # simulations done
    ("budget", "i4"),  # simulations to do
    ("plan", "i4"),  # which schedule of visits Gumbel's root follows
    ("pause", "i4"),  # simulations after which to look at the clock
    ("num_waiting", "i4"),
    ("num_considered", "i4"),  # actions that Gumbel's root begins with
    ("low", "f8"),  # the least and the greatest mean return of an edge so far
    ("high", "f8"),
    ("is_full", "i4"),
)


class Tree(NamedTuple):
    """One game's tree: its head [1], the arrays, its Gumbel numbers and generator."""

    heads: Array
    states: Array
    words: Array
    """The states as 64-bit words."""
    nodes: Array
    edges: Array
    gumbels: Array
    rng: Rng


@compilable
def add_edge(tree: Tree, action: int, prior: float, logit: float) -> None:
    """Append an edge without a child."""
    edge = tree.edges[tree.heads[0].num_edges]
    tree.heads[0].num_edges += 1
    edge.total = 0.0
    edge.child = -1
    edge.visits = 0
    edge.prior = prior
    edge.logit = logit
    edge.action = action
    edge.pending = 0
    edge.proof = UNPROVEN


@compilable
def sort_by_prior(edges: Array, first: int, count: int) -> None:
    """Sort new edges so that the likelier come first; equal ones keep their order."""
    for i in range(first + 1, first + count):
        action, prior, logit = edges[i].action, edges[i].prior, edges[i].logit
        j = i
        while j > first and edges[j - 1].prior < prior:
            edges[j].action = edges[j - 1].action
            edges[j].prior = edges[j - 1].prior
            edges[j].logit = edges[j - 1].logit
            j -= 1
        edges[j].action = action
        edges[j].prior = prior
        edges[j].logit = logit


@compilable
def mark_path(tree: Tree, leaf: int, change: int) -> None:
    """Add to the number of waiting leaves below each edge on the way to a leaf."""
    index = leaf
    while index != 0:
        node = tree.nodes[index]
        tree.edges[node.parent_edge].pending += change
        index = node.parent


@compilable
def transplant(tree: Tree, new_root: int, to: Tree) -> None:
    """Copy what hangs below a node into another tree, whose root the node becomes."""
    to.states[0] = tree.states[new_root]
    to.nodes[0] = tree.nodes[new_root]
    to.nodes[0].parent = -1
    to.nodes[0].parent_edge = -1
    num_nodes, num_edges, at = 1, 0, 0
    while at < num_nodes:
        node = to.nodes[at]
        first = node.first_edge
        node.first_edge = num_edges
        for i in range(node.num_edges):
            to.edges[num_edges] = tree.edges[first + i]
            child = to.edges[num_edges].child
            if child >= 0:
                to.states[num_nodes] = tree.states[child]
                to.nodes[num_nodes] = tree.nodes[child]
                to.nodes[num_nodes].parent = at
                to.nodes[num_nodes].parent_edge = num_edges
                to.edges[num_edges].child = num_nodes
                num_nodes += 1
            num_edges += 1
        at += 1
    to.heads[0].low = tree.heads[0].low
    to.heads[0].high = tree.heads[0].high
    to.heads[0].num_nodes = num_nodes
    to.heads[0].num_edges = num_edges
