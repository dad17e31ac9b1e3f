"""The memory of trees: how many nodes and edges a search may have, and their arrays."""

import math
import mmap
from typing import Any

import numpy as np

from ludens.errors import UserError
from ludens.loading.game import Game
from ludens.search.config import SearchConfig
from ludens.search.tree import EDGE, HEAD, NODE, Array, Forest


def most_edges(game: Game) -> int:
    """Return how many edges a node of a game can have."""
    return max(game.num_actions, int(game.plain.MAX_OUTCOMES))


def nodes_for(game: Game, sims: int, memory_mb: int | None = None) -> int:
    """Return the nodes that simulations need, or those that fit into some memory.

    All are taken to have the most edges; no tree has fewer than 16 nodes.
    """
    # A simulation adds one node of a player, and those of chance on the way.
    num_nodes = (1 if game.plain.MAX_OUTCOMES == 0 else 5) * sims + 2
    if memory_mb is None:
        return num_nodes
    node_bytes = _node_bytes(game) + most_edges(game) * EDGE.itemsize
    return max(16, min(memory_mb * 2**20 // node_bytes, num_nodes))


def tree_size(game: Game, config: SearchConfig, num_games: int) -> tuple[int, int]:
    """Return the nodes N and the edges E that each of so many trees may have."""
    num_nodes = config.max_nodes or nodes_for(game, config.sims)
    # Chance nodes have no edges for actions.
    num_players = min(num_nodes, config.sims + 2)
    num_edges = num_players * most_edges(game)
    num_edges += (num_nodes - num_players) * int(game.plain.MAX_OUTCOMES)
    bytes_left = config.memory_mb * 2**20 // num_games
    bytes_left -= num_nodes * _node_bytes(game)
    num_edges = min(num_edges, bytes_left // EDGE.itemsize)
    if num_edges < 2 * most_edges(game):
        raise UserError(
            f"memory_mb={config.memory_mb} is too little for {num_games} trees"
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


def _node_bytes(game: Game) -> int:
    """Return what a node takes without its edges."""
    return NODE.itemsize + game.plain.STATE.itemsize
