"""How searches begin, go on and end: seeds, budgets, proofs, limits, tree reuse."""

import gc
import weakref
from typing import Any

import numpy as np
import pytest
from shared import (
    GUESSING,
    RACE,
    grown,
    load,
    network,
    position,
    searched,
    tree_of,
)

from ludens import State, UserError
from ludens.search import memory, tree
from ludens.search.config import SearchConfig
from ludens.search.search import Search
from ludens.solver.exact import Solver

SETTINGS = {
    "puct": SearchConfig(sims=60, rollouts=1, noise_fraction=0.25),
    "gumbel": SearchConfig(sims=60, rollouts=1, root="gumbel"),
    "chance": SearchConfig(sims=30, rollouts=1, rollout_plies=20),
}


def after(spec: str, moves: str) -> State:
    """Return the position after some moves in notation."""
    state = load(spec).new(seed=1)
    state.apply_moves(moves)
    return state


@pytest.mark.parametrize("name", SETTINGS)
def test_same_seed_gives_the_same_tree_for_any_threads_and_batches(name: str) -> None:
    game = load(RACE if name == "chance" else "connect_four")
    states = [position(game, plies, 1) for plies in (0, 1, 2, 3, 0)]
    trees = grown(states, SETTINGS[name])
    assert grown(states, SETTINGS[name], threads=2) == trees
    assert grown(states, SETTINGS[name], threads=5) == trees
    alone = [grown([s], SETTINGS[name], first_seed=i)[0] for i, s in enumerate(states)]
    assert alone == trees


def test_another_seed_gives_another_tree() -> None:
    state = load("connect_four").new()
    trees = grown([state, state], SETTINGS["puct"])
    assert trees[0] != trees[1]


def test_search_with_a_network_does_not_depend_on_threads() -> None:
    game = load("tic_tac_toe")
    states = [position(game, plies, 1) for plies in (0, 0, 1, 2, 0)]
    config = SearchConfig(sims=60, leaf_batch=4, noise_fraction=0.25)
    trees = grown(states, config, 1, network(game))
    assert grown(states, config, 2, network(game)) == trees
    assert grown(states, config, 5, network(game)) == trees


@pytest.mark.parametrize("with_net", [False, True])
def test_each_game_has_its_own_budget_and_games_that_are_over_none(
    with_net: bool,
) -> None:
    game = load("tic_tac_toe")
    over = after("tic_tac_toe", "a1 b1 a2 b2 a3")
    states = np.array([game.new().raw, over.raw, game.new().raw, game.new().raw])
    evaluator = network(game) if with_net else None
    search = Search(game, SearchConfig(sims=50), 4, 2, evaluator)
    search.reset(states, [1, 2, 3, 4])
    roots = search.run([5, 50, 0, 40])
    assert roots.sims.tolist() == [5, 0, 0, 40]
    assert roots.visits.sum(1).tolist() == [5, 0, 0, 40]
    assert roots.values[1] == 1
    assert roots.chosen[1] == -1


def test_search_goes_on_when_run_again() -> None:
    state = load("connect_four").new()
    config = SearchConfig(sims=90, rollouts=1)
    search, roots = searched(state, config, sims=30)
    assert roots.sims[0] == 30
    search.run(90)
    assert tree_of(search) == tree_of(searched(state, config)[0])


# Proofs.


@pytest.mark.parametrize("root", ["puct", "gumbel"])
def test_full_search_proves_that_tic_tac_toe_is_drawn_and_stops(root: str) -> None:
    config = SearchConfig(sims=1_000_000, root=root, max_nodes=600_000)
    _, roots = searched(load("tic_tac_toe").new(), config)
    assert roots.proofs[0].tolist() == [0] * 9
    assert roots.values[0] == 0
    assert roots.policy[0] == pytest.approx([1 / 9] * 9)
    assert roots.sims[0] < 1_000_000


def test_win_is_proven_while_other_moves_are_open() -> None:
    state = after("tic_tac_toe", "a3 a1 b3 b1")
    _, roots = searched(state, SearchConfig(sims=1000))
    assert state.action_name(roots.chosen[0]) == "c3"
    assert roots.values[0] == 1
    assert roots.sims[0] == 5  # the last of the moves, each tried once
    assert roots.proofs[0].tolist() == [2, 2, 2, 2, 2, 2, 2, 2, 1]
    assert roots.policy[0].tolist() == [0, 0, 0, 0, 0, 0, 0, 0, 1]


@pytest.mark.parametrize(
    ("spec", "plies", "root"),
    [
        pytest.param("triple_triad", 4, "puct", marks=pytest.mark.slow),
        pytest.param("triple_triad", 5, "puct", marks=pytest.mark.slow),
        pytest.param("triple_triad", 5, "gumbel", marks=pytest.mark.slow),
        ("tic_tac_toe", 3, "puct"),
    ],
)
def test_proofs_are_the_values_of_the_solver(spec: str, plies: int, root: str) -> None:
    game = load(spec)
    solver = Solver(game, memory_mb=8)
    for seed in range(8):
        state = position(game, plies, seed)
        config = SearchConfig(sims=100_000, root=root)
        search, roots = searched(state, config)
        assert search.forest.nodes[0, 0].proof in (-1, 0, 1)
        assert roots.values[0] == solver.solve(state).value.outcome
        keeps = roots.proofs[0] == roots.values[0]
        assert roots.policy[0, keeps].sum() == pytest.approx(1)
        for action in np.flatnonzero(roots.proofs[0] != 2):
            child = state.copy()
            child.apply(int(action))
            if not child.is_over:
                value = -solver.solve(child).value.outcome
                assert roots.proofs[0, action] == value


def test_without_proofs_nothing_is_proven_and_all_simulations_are_done() -> None:
    state = after("tic_tac_toe", "a3 a1 b3 b1")
    _, roots = searched(state, SearchConfig(sims=300, proofs=False))
    assert (roots.proofs == 2).all()
    assert roots.sims[0] == 300
    assert state.action_name(roots.chosen[0]) == "c3"


# Limits.


def test_search_stops_when_no_move_can_catch_up() -> None:
    state = after("connect_four", "1122")
    config = {"sims": 400, "rollouts": 4, "proofs": False}
    _, whole = searched(state, SearchConfig(**config))
    _, early = searched(state, SearchConfig(**config, stop_early=True))
    assert early.sims[0] < 400
    assert early.chosen[0] == whole.chosen[0]
    first, second = sorted(early.visits[0])[:-3:-1]
    assert first - second > 400 - early.sims[0]


def test_time_limit_does_not_make_an_early_stop_earlier() -> None:
    state = after("tic_tac_toe", "a3 a1 b3 b1")
    config = SearchConfig(sims=40_000, proofs=False, stop_early=True, max_nodes=1000)
    search, early = searched(state, config)
    search.reset(np.array([state.raw]), [1])
    assert search.run(seconds=1000.0).sims[0] == early.sims[0]


@pytest.mark.parametrize("with_net", [False, True])
def test_time_limit_ends_a_search(with_net: bool) -> None:
    state = after("tic_tac_toe", "a3 a1 b3 b1")  # its whole tree fits
    config = SearchConfig(sims=10**9, proofs=False, max_nodes=1000)
    evaluator = network(state.game) if with_net else None
    search = Search(state.game, config, evaluator=evaluator)
    search.reset(np.array([state.raw]), [1])
    roots = search.run(seconds=0.3)
    assert 0 < roots.sims[0] < 10**9
    assert roots.visits[0].sum() == roots.sims[0]


@pytest.mark.parametrize("leaf_batch", [1, 8])
@pytest.mark.parametrize(
    "spec",
    [pytest.param("triangle", marks=pytest.mark.slow), f"{GUESSING}:sides=9", RACE],
)
def test_tree_has_room_for_its_simulations(spec: str, leaf_batch: int) -> None:
    game = load(spec)
    config = SearchConfig(sims=150, leaf_batch=leaf_batch, proofs=False)
    _, roots = searched(game.new(seed=1), config, network(game))
    assert roots.sims[0] == 150
    assert not roots.is_full[0]


def test_tree_has_no_room_that_its_simulations_cannot_fill() -> None:
    game = load("triangle")
    search = Search(game, SearchConfig(sims=64), num_games=2)
    outcomes = 5 * 64 * game.plain.MAX_OUTCOMES
    assert search.forest.edges.shape[1] <= 66 * game.num_actions + outcomes


@pytest.mark.parametrize("limit", [{"max_nodes": 50}, {"memory_mb": 1}])
@pytest.mark.parametrize("leaf_batch", [0, 1, 8])
def test_full_memory_ends_a_search_with_an_answer(
    limit: dict[str, int], leaf_batch: int
) -> None:
    game = load("connect_four")
    evaluator = network(game) if leaf_batch else None
    config = SearchConfig(sims=9000, leaf_batch=max(1, leaf_batch), **limit)
    search, roots = searched(game.new(), config, evaluator)
    head = search.forest.heads[0]
    assert roots.is_full[0]
    assert head.num_nodes <= search.forest.nodes.shape[1]
    assert head.num_edges <= search.forest.edges.shape[1]
    assert 20 < roots.sims[0] < 9000
    assert roots.visits[0].sum() == roots.sims[0]
    assert roots.policy[0].sum() == pytest.approx(1)
    assert roots.policy[0, roots.chosen[0]] > 0


def test_too_little_memory_is_a_mistake_told_in_one_line() -> None:
    config = SearchConfig(sims=1_000_000, memory_mb=1)
    with pytest.raises(UserError, match=r"^memory_mb=1 is too little .* nodes$"):
        Search(load("connect_four"), config)


# Reuse.


def statistics(search: Search, index: int) -> dict[int, Any]:
    """Return what is known of a node's actions and of all below them."""
    known = {}
    for edge in search.edges(0, index):
        seen = [edge[name].item() for name in edge.dtype.names if name != "child"]
        node = search.forest.nodes[0, edge.child] if edge.child >= 0 else None
        names = ("total", "value", "reward", "seen_prior", "visits", "proof", "to_play")
        below = statistics(search, edge.child) if edge.child >= 0 else {}
        known[int(edge.action)] = (seen, node and [node[n] for n in names], below)
    return known


@pytest.mark.parametrize(("spec", "plies"), [("connect_four", 4), ("triangle", 6)])
def test_reuse_keeps_all_that_is_known_below_and_goes_on(spec: str, plies: int) -> None:
    state = position(load(spec), plies, 1)
    search, roots = searched(state, SearchConfig(sims=200, rollouts=1))
    edges = search.edges(0, 0)
    child = int(edges[edges["action"] == roots.chosen[0]][0].child)
    raw, known = search.states[0, child].copy(), statistics(search, child)
    kept = int(search.forest.nodes[0, child].visits) - 1
    assert search.reuse(0, raw)
    assert search.states[0, 0] == raw
    assert statistics(search, 0) == known
    assert search.read_roots().sims[0] == kept
    roots = search.run(200)
    assert roots.sims[0] == roots.visits[0].sum() == 200
    assert search.forest.nodes[0, 0].visits == 201


@pytest.mark.parametrize("chunk", [1, 7])
def test_reuse_closes_gaps_in_place_whatever_the_order_of_edges(
    chunk: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Leaves that wait get their edges after chance nodes that were made later."""
    monkeypatch.setattr(memory, "CHUNK", chunk)
    state = position(load(RACE), 2, 1)
    config = SearchConfig(sims=150, leaf_batch=8)
    search, roots = searched(state, config, network(state.game))
    owned = {int(node.first_edge) for node in search.forest.nodes[0, :100]}
    assert sorted(owned) != [int(n.first_edge) for n in search.forest.nodes[0, :100]]
    edges = search.edges(0, 0)
    child = int(edges[edges["action"] == roots.chosen[0]][0].child)
    known = statistics(search, child)
    memory.keep_subtree(tree.tree_of(search.forest, 0), child)
    assert statistics(search, 0) == known
    head = search.forest.heads[0]
    nodes = search.forest.nodes[0, : head.num_nodes]
    assert head.num_edges == nodes["num_edges"].sum()
    for index in range(1, head.num_nodes):
        edge = search.forest.edges[0, nodes[index].parent_edge]
        assert edge.child == index
        assert edge in search.edges(0, nodes[index].parent)


def test_reuse_of_a_position_that_was_not_searched_begins_a_new_tree() -> None:
    search, _ = searched(load("connect_four").new(), SearchConfig(sims=20))
    state = after("connect_four", "444444")
    assert not search.reuse(0, state.raw)
    assert search.run().sims[0] == 20
    assert search.read_roots().visits[0, 3] == 0


def test_gumbel_begins_every_move_anew() -> None:
    state = load("connect_four").new()
    config = SearchConfig(sims=20, root="gumbel")
    search, roots = searched(state, config)
    state.apply(int(roots.chosen[0]))
    assert not search.reuse(0, state.raw)
    assert search.run().sims[0] == 20


def test_the_trees_of_a_search_go_with_it() -> None:
    """They are large: nothing may keep them until a collector of cycles comes by."""
    search = Search(load("tic_tac_toe"), SETTINGS["puct"], 1)
    gone = weakref.ref(search)
    gc.disable()
    try:
        del search
        assert gone() is None
    finally:
        gc.enable()
