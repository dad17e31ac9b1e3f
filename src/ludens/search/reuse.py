"""Keep the part of a tree below one of its nodes, for the search after a move."""

import numpy as np
from numpy.typing import NDArray

from ludens.search.tree import Array, Tree

CHUNK = 1 << 16
"""Rows that are moved at a time, so that no second tree is needed for it."""


def keep_subtree(tree: Tree, new_root: int) -> None:
    """Make a node the root of its tree and close the gaps that the others leave.

    Nodes and edges keep their order. Simulations below the node count as done.
    """
    head = tree.heads[0]
    nodes, edges = tree.nodes[: head.num_nodes], tree.edges[: head.num_edges]
    kept_nodes = np.flatnonzero(_is_below(nodes["parent"], new_root))
    kept_edges = np.flatnonzero(_is_of(nodes[kept_nodes], len(edges)))
    node_numbers = _renumber(kept_nodes, len(nodes))
    edge_numbers = _renumber(kept_edges, len(edges))
    for array in (tree.words, tree.nodes):
        _close_gaps(array, kept_nodes)
    _close_gaps(tree.edges, kept_edges)
    nodes, edges = nodes[: len(kept_nodes)], edges[: len(kept_edges)]
    nodes["parent"] = node_numbers[nodes["parent"]]
    nodes["parent_edge"] = edge_numbers[nodes["parent_edge"]]
    nodes["first_edge"] = edge_numbers[nodes["first_edge"]]
    edges["child"] = node_numbers[edges["child"]]
    nodes["parent"][0] = nodes["parent_edge"][0] = -1
    head.num_nodes, head.num_edges = len(nodes), len(edges)
    head.sims = max(0, nodes[0].visits - 1)
    head.num_waiting = head.is_full = 0


def _is_below(parents: NDArray[np.int32], root: int) -> NDArray[np.bool_]:
    """Tell which nodes [N] are the root or below it.

    Each round looks twice as many generations up as all rounds before it together.
    """
    is_below = np.zeros(len(parents), np.bool_)
    is_below[root] = True
    ancestors, count = np.maximum(parents, 0), 0
    while count < np.count_nonzero(is_below):
        count = int(np.count_nonzero(is_below))
        is_below |= is_below[ancestors]
        ancestors = ancestors[ancestors]
    return is_below


def _is_of(nodes: Array, num_edges: int) -> NDArray[np.bool_]:
    """Tell which edges [E] belong to nodes."""
    nodes = nodes[nodes["num_edges"] > 0]
    begun = np.zeros(num_edges + 1, np.int32)
    begun[nodes["first_edge"]] += 1
    begun[nodes["first_edge"] + nodes["num_edges"]] -= 1
    return np.cumsum(begun[:-1]) > 0


def _renumber(kept: NDArray[np.int64], count: int) -> NDArray[np.int32]:
    """Return the new number of each place [count + 1]; that of the last, -1, is -1."""
    numbers = np.full(count + 1, -1, np.int32)
    numbers[kept] = np.arange(len(kept))
    return numbers


def _close_gaps(rows: Array, kept: NDArray[np.int64]) -> None:
    """Move the kept rows, in ascending order, to the front."""
    for first in range(0, len(kept), CHUNK):
        places = kept[first : first + CHUNK]
        rows[first : first + len(places)] = rows[places]
