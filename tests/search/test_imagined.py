"""Trees over a learned model are those of a literal search, node by node."""

from typing import Any

import numpy as np
import pytest
from learned_reference import LearnedReference
from shared import GUESSING, RACE, load, position, tree_of
from test_reference import compare
from toy_model import ToyModel

import tiny_environments  # noqa: F401 - Gymnasium knows them now
from ludens.search.config import SearchConfig
from ludens.search.search import Search
from marked import quick

CASES: dict[str, tuple[str, bool, bool] | tuple[str, bool, bool, int]] = {
    "two-players": ("tic_tac_toe", False, False),
    "two-players-legality": ("tic_tac_toe", False, True),
    "two-players-turns": ("tic_tac_toe", True, True),
    "two-players-chance": (RACE, True, False),
    "one-player-chance": (GUESSING, True, True),
    "hidden-chance": ("gym:Coin-v0", True, True, 5),
}
QUICK = ("two-players-legality", "one-player-chance", "hidden-chance")
SEARCHES: dict[str, dict[str, Any]] = {
    "puct": {"root": "puct"},
    "puct-noise": {"root": "puct", "noise_fraction": 0.25, "discount": 0.9},
    "gumbel": {"root": "gumbel", "max_considered": 4, "discount": 0.95},
}


@pytest.mark.parametrize("how", SEARCHES)
@pytest.mark.parametrize("case", quick(CASES, *QUICK))
def test_tree_is_that_of_the_reference(case: str, how: str) -> None:
    spec, *kind = CASES[case]
    is_compiled = not spec.startswith("gym:")
    game = load(spec, compiled=is_compiled)
    config = SearchConfig(sims=60, **SEARCHES[how])
    for seed in range(3):
        state = position(game, seed if game.num_players == 2 else 0, seed)
        model = ToyModel(game, *kind)
        search = Search(game, config, evaluator=model)
        search.reset(np.array([state.raw]), [seed])
        roots = search.run()
        root = LearnedReference(game, config, model).run(state.raw, seed, 60)
        count = compare(search, 0, root)
        assert count == search.forest.heads[0].num_nodes > 20
        assert roots.sims[0] == 60


def test_each_simulation_is_one_evaluation_and_games_move_in_step() -> None:
    game = load("tic_tac_toe")
    model = ToyModel(game, False, False)
    search = Search(game, SearchConfig(sims=20), 5, evaluator=model)
    states = [position(game, 2, seed) for seed in range(5)]
    search.reset(np.array([state.raw for state in states]), range(5))
    search.run()
    assert model.sizes == [5] * 20


def test_trees_do_not_depend_on_threads() -> None:
    game, config = load("tic_tac_toe"), SearchConfig(sims=20, root="gumbel")
    states = np.array([position(game, 2, seed).raw for seed in range(4)])
    grown = []
    for threads in (1, 2):
        search = Search(game, config, 4, threads, ToyModel(game, False, True))
        search.reset(states, range(4))
        search.run()
        grown.append([tree_of(search, g) for g in range(4)])
    assert grown[0] == grown[1]


def test_only_legal_moves_are_tried_at_the_root() -> None:
    game = load("tic_tac_toe")
    state = position(game, 4, 1)
    search = Search(game, SearchConfig(sims=50), evaluator=ToyModel(game, False, False))
    search.reset(np.array([state.raw]), [1])
    roots = search.run()
    assert np.flatnonzero(roots.visits[0]).tolist() == state.legal_actions()
    assert len(search.edges(0, 1)) == game.num_actions  # below it, all


def test_nothing_is_proven_by_imagination() -> None:
    game = load("tic_tac_toe")
    state = game.new()
    for action in (0, 3, 1, 4):  # 2 wins at once
        state.apply(action)
    search = Search(game, SearchConfig(sims=60), evaluator=ToyModel(game, True, True))
    search.reset(np.array([state.raw]), [1])
    assert (search.run().proofs == 2).all()


def test_a_root_after_a_move_is_a_new_tree() -> None:
    game, model = load("tic_tac_toe"), ToyModel(load("tic_tac_toe"), False, False)
    search = Search(game, SearchConfig(sims=10), evaluator=model)
    state = game.new()
    search.reset(np.array([state.raw]), [1])
    search.run()
    state.apply(4)
    assert not search.reuse(0, state.raw)
    assert search.run().sims[0] == 10
    assert search.read_roots().visits[0, 4] == 0
