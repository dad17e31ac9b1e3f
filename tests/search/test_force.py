"""Leaves and roots that are won by force: proofs in the tree, and the move to play."""

from dataclasses import replace

import numpy as np
import pytest
from shared import GOMOKU, RACE, grown, load, network, position, searched
from toy_model import ToyModel

from ludens import Game, State
from ludens.errors import UserError
from ludens.search.config import SearchConfig
from ludens.search.search import Search
from ludens.search.tree import UNPROVEN
from ludens.solver.force import ForceProver
from marked import quick

FORCING = SearchConfig(sims=60, rollouts=1, force_nodes=50)


def three_in_a_row(game: Game) -> State:
    """Return a position in which the first player has an open three, and others."""
    state = game.new()
    state.apply_moves("c4 a1 d4 g1 e4 a7")
    return state


@pytest.mark.parametrize("leaves", quick(("rollouts", "network"), "rollouts"))
def test_a_root_that_is_won_by_force_needs_no_search(leaves: str) -> None:
    state = three_in_a_row(load(GOMOKU))
    evaluator = network(state.game) if leaves == "network" else None
    search, roots = searched(state, FORCING, evaluator)
    best = int(roots.chosen[0])
    assert (roots.sims[0], roots.values[0]) == (0, 1)
    assert roots.proofs[0, best] == 1
    assert state.action_name(best) in ("b4", "f4")
    assert search.forest.nodes[0, 0]["proof"] == 1


def test_leaves_are_proven_where_there_is_a_win_by_force() -> None:
    game, num_forced = load(GOMOKU), 0
    prover = ForceProver(game, memory_mb=1)
    state = game.new()
    state.apply_moves("c4 a1 d4 g1 e4")
    search, _ = searched(state, replace(FORCING, likely=0.0))
    nodes = search.forest.nodes[0, 1 : search.forest.heads[0].num_nodes]
    for index, node in enumerate(nodes, 1):
        at = State.at(game, search.states[0, index], 0)
        is_won = not at.is_over and prover.prove(at, nodes=50).moves > 0
        assert is_won == (node["num_edges"] == 0 and not at.is_over)
        if is_won:
            assert node["proof"] == 1 - 2 * at.to_play
        num_forced += is_won
    assert num_forced > 5


def test_forced_trees_do_not_depend_on_other_games_or_threads() -> None:
    game = load(GOMOKU)
    states = [position(game, 8, seed) for seed in range(4)]
    together = grown(states, FORCING, threads=2)
    for seed, state in enumerate(states):
        assert grown([state], FORCING, first_seed=seed) == [together[seed]]


def test_a_root_with_some_of_its_moves_is_proven_by_one_of_them() -> None:
    state = three_in_a_row(load(GOMOKU))
    search = Search(state.game, FORCING, is_lazy=True)
    search.reset(np.array([state.raw]), [1])
    others = [a for a in state.legal_actions() if state.action_name(a) != "b4"]
    search.restrict(0, others[:5], len(others) + 1)
    roots = search.run(5)
    assert roots.sims[0] == 5
    assert search.forest.nodes[0, 0]["proof"] == UNPROVEN


def test_a_root_that_is_won_by_open_threes_needs_no_search() -> None:
    state = load(GOMOKU).new()
    state.apply_moves("d2 a7 d3 g7 b5 a1 c5 g1")
    fours = replace(FORCING, press_nodes=0)
    _, roots = searched(state, fours)
    assert roots.sims[0] > 0
    for nodes in (0, 50):  # with fours and without
        _, roots = searched(state, replace(fours, force_nodes=nodes, press_nodes=500))
        assert (roots.sims[0], roots.values[0]) == (0, 1)
        assert state.action_name(int(roots.chosen[0])) == "d5"


def test_press_nodes_is_refused_where_nothing_presses() -> None:
    config = SearchConfig(press_nodes=10)
    with pytest.raises(UserError, match="has no moves that press"):
        Search(load("tic_tac_toe"), config, is_lazy=True)
    with pytest.raises(UserError, match="press_nodes makes proofs"):
        SearchConfig(press_nodes=10, proofs=False)


def test_force_nodes_is_refused_where_nothing_can_be_forced() -> None:
    config, game = SearchConfig(force_nodes=10), load("tic_tac_toe")
    with pytest.raises(UserError, match="does not say which moves force an answer"):
        Search(game, config, is_lazy=True)
    with pytest.raises(UserError, match="is for one player"):
        Search(load("triangle"), config, is_lazy=True)
    with pytest.raises(UserError, match="games without chance"):
        Search(load(RACE), config, is_lazy=True)
    with pytest.raises(UserError, match="a learned model has none"):
        Search(game, config, evaluator=ToyModel(game, False, False), is_lazy=True)
    with pytest.raises(UserError, match="force_nodes makes proofs"):
        SearchConfig(force_nodes=10, proofs=False)
