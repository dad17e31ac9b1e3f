"""Searches that ask a network: leaves that wait, virtual loss, the cache."""

import numpy as np
import pytest
from shared import counted, grown, load, network, position, searched, tree_of

from ludens.game import OVER, Planes
from ludens.search.config import SearchConfig
from ludens.search.model import Evaluation
from ludens.search.search import Search
from ludens.search.tree import WAITING


@pytest.mark.parametrize("root", ["puct", "gumbel"])
def test_waiting_leaves_are_distinct_and_none_is_left(root: str) -> None:
    game = load("connect_four")
    config = SearchConfig(sims=100, leaf_batch=8, root=root)
    sizes = []

    def evaluate(planes: Planes) -> Evaluation:
        nodes, edges = search.forest.nodes[0], search.edges(0, 0)
        num_nodes = search.forest.heads[0].num_nodes
        waiting = np.flatnonzero(nodes["status"][:num_nodes] == WAITING)
        assert len(waiting) == len(planes)
        assert edges["pending"].sum() == (len(planes) if num_nodes > 1 else 0)
        sizes.append(len(planes))
        return network(game)(planes)

    search = Search(game, config, evaluator=evaluate)
    search.reset(np.array([game.new().raw]), [1])
    roots = search.run()
    head = search.forest.heads[0]
    assert max(sizes) == 8
    assert (search.forest.edges[0, : head.num_edges]["pending"] == 0).all()
    assert head.num_waiting == 0
    assert roots.sims[0] == roots.visits[0].sum() == 100
    assert search.forest.nodes[0, 0].visits == 101


def test_one_waiting_leaf_counts_as_lost() -> None:
    """With equal priors and values, leaves of a batch are all of the root's moves."""
    game = load("connect_four")

    def evaluate(planes: Planes) -> Evaluation:
        count = len(planes)
        return Evaluation(np.zeros((count, 7), "f4"), np.zeros(count, "f4"))

    config = SearchConfig(sims=7, leaf_batch=7)
    _, roots = searched(game.new(), config, evaluate)
    assert roots.visits[0].tolist() == [1] * 7


def test_games_that_are_done_leave_the_batch() -> None:
    game = load("connect_four")
    sizes: list[int] = []
    search = Search(game, SearchConfig(sims=30), 3, 1, counted(network(game), sizes))
    search.reset(np.array([game.new().raw] * 3), [1, 2, 3])
    search.run([10, 20, 30])
    assert sizes == [3] * 11 + [2] * 10 + [1] * 10


@pytest.mark.parametrize("cache_size", [1, 5, 4096])
def test_cache_changes_nothing_but_the_number_of_questions(cache_size: int) -> None:
    game = load("tic_tac_toe")
    with_cache: list[int] = []
    without: list[int] = []
    states = [position(game, plies, 1) for plies in (0, 1, 1)]
    kept = {"sims": 150, "noise_fraction": 0.25, "proofs": False}
    trees = grown(states, SearchConfig(**kept), 1, counted(network(game), without))
    config = SearchConfig(**kept, cache_size=cache_size)
    assert grown(states, config, 1, counted(network(game), with_cache)) == trees
    assert sum(with_cache) <= sum(without)
    assert cache_size < 4096 or sum(with_cache) < 0.7 * sum(without)


def test_without_a_cache_the_network_sees_every_leaf() -> None:
    game = load("tic_tac_toe")
    sizes: list[int] = []
    config = SearchConfig(sims=300, leaf_batch=4, proofs=False)
    search, _ = searched(game.new(), config, counted(network(game), sizes))
    assert sum(sizes) == sum(
        to_play != OVER for to_play in tree_of(search)["node to_play"]
    )
