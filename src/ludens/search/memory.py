"""The memory of trees: how many nodes and edges fit, and what is kept after a move."""

import math
import mmap
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ludens.errors import UserError
from ludens.loading.game import Game
from ludens.search.config import SearchConfig
from ludens.search.tree import EDGE, HEAD, NODE, Array, Forest, Tree

CHUNK = 1 << 16
"""Rows that are moved at a time, so that no second tree is needed for it."""


def most_edges(game: Game) -> int:
    """Return how many edges a node of a game can have."""
    return max(game.num_actions, int(game.plain.MAX_OUTCOMES))


def nodes_for(
    game: Game, sims: int, memory_mb: int | None = None, latent_size: int = 0
) -> int:
    """Return the nodes that simulations need, or those that fit into some memory.

    All are taken to have the most edges; no tree has fewer than 16 nodes.
    """
    # A simulation adds one node of a player, and those of chance on the way; a learned
    # model makes one node at a time.
    adds_chance = game.plain.MAX_OUTCOMES > 0 and latent_size == 0
    num_nodes = (5 if adds_chance else 1) * sims + 2
    if memory_mb is None:
        return num_nodes
    node_bytes = _node_bytes(game, latent_size) + most_edges(game) * EDGE.itemsize
    return max(16, min(memory_mb * 2**20 // node_bytes, num_nodes))


def tree_size(
    game: Game, config: SearchConfig, num_games: int, latent_size: int = 0
) -> tuple[int, int]:
    """Return the nodes N and the edges E that each of so many trees may have."""
    num_nodes = config.max_nodes or nodes_for(game, config.sims, None, latent_size)
    if latent_size:  # far more than the rest of a node, and so what memory is for
        node_bytes = _node_bytes(game, latent_size) + most_edges(game) * EDGE.itemsize
        most = config.memory_mb * 2**20 // num_games // node_bytes
        num_nodes = min(num_nodes, max(16, most))
    # Chance nodes have no edges for actions.
    num_players = min(num_nodes, config.sims + 2)
    num_edges = num_players * most_edges(game)
    num_edges += (num_nodes - num_players) * int(game.plain.MAX_OUTCOMES)
    bytes_left = config.memory_mb * 2**20 // num_games
    bytes_left -= num_nodes * _node_bytes(game, latent_size)
    num_edges = min(num_edges, bytes_left // EDGE.itemsize)
    if num_edges < 2 * most_edges(game):
        trees = "a tree" if num_games == 1 else f"{num_games:,} trees"
        raise UserError(
            f"memory_mb={config.memory_mb} is too little for {trees}"
            f" of {num_nodes:,} nodes"
        )
    return num_nodes, num_edges


def allocate(game: Game, num_games: int, num_nodes: int, num_edges: int) -> Forest:
    """Return the arrays of so many trees."""
    num_words = game.plain.STATE.itemsize // 8
    return Forest(
        heads=np.zeros(num_games, HEAD),
        words=np.zeros((num_games, num_nodes, num_words), np.uint64),
        nodes=np.empty((num_games, num_nodes), NODE),
        edges=sparse_zeros((num_games, num_edges), EDGE),
        noise=np.zeros((num_games, game.num_actions)),
        rngs=np.zeros((num_games, 1), np.uint64),
    )


def sparse_zeros(shape: tuple[int, ...], dtype: np.dtype[Any]) -> Array:
    """Return zeros in small pages, so that only those which are used cost time.

    NumPy has huge ones: 2 MB are cleared where 4 kB are touched. Growing triangle's
    trees for the first time took up to 100 us a simulation with them, and 4 without.
    """
    count = math.prod(shape)
    room = mmap.mmap(-1, max(1, count * dtype.itemsize))
    return np.frombuffer(room, dtype, count).reshape(shape)


def _node_bytes(game: Game, latent_size: int) -> int:
    """Return what a node takes without its edges."""
    return NODE.itemsize + game.plain.STATE.itemsize + 4 * latent_size


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
    head.num_waiting = head.is_full = head.is_asked = 0


def keep_root_edges(tree: Tree, actions: Sequence[int], num_legal: int) -> None:
    """Leave a root that was just expanded the edges of some of its legal actions.

    Edges that were cut still stand behind the others. Nothing is proven by what is left
    but a win.
    """
    head, root = tree.heads[0], tree.nodes[0]
    kept = np.flatnonzero(np.isin(tree.edges[:num_legal]["action"], actions))
    for array in (tree.edges, tree.noise):
        _close_gaps(array, kept)
    priors = tree.edges[: len(kept)]["prior"]
    priors[:] = priors / priors.sum() if priors.any() else 1 / len(kept)
    root.num_edges = head.num_edges = len(kept)
    root.is_cut = 1
    head.num_considered = min(head.num_considered, len(kept))


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
