"""Leaves that the solver settles: proofs in the tree, and moves at the root."""

from typing import Any

import numpy as np
import pytest
from reference import Reference
from shared import RACE, grown, load, network, position, searched
from test_reference import compare
from toy_model import ToyModel

from ludens import Game, State
from ludens.agents import make_agent
from ludens.errors import UserError
from ludens.search.config import SearchConfig
from ludens.search.search import Search
from ludens.search.tree import UNPROVEN
from ludens.solver.exact import Solver, Unsolved
from marked import quick

FOURS = "connect_four:columns=5,rows=4"
GAMES = {"tic_tac_toe": (0, 2), FOURS: (4, 8), "triple_triad": (3, 5)}
WAYS = ("puct rollouts", "puct network", "gumbel rollouts", "gumbel network")
PLIES = {FOURS: 6, "triple_triad": 4}
AGENTS = ("mcts:sims=4", "mcts:root=gumbel,sims=4")


class SolverJudge:
    """Settle positions as the search does: two questions, half of the nodes each."""

    def __init__(self, game: Game) -> None:
        self._game = game
        self._solver = Solver(game, memory_mb=1)

    def __call__(self, raw: Any, nodes: int) -> tuple[int | None, int]:
        """Return who wins, for player 0, and a move for it; None: too many nodes."""
        state = State.at(self._game, raw, 0)
        self._solver.forget()
        above, below = self._ask(state, 0, nodes), None
        if above is None or above <= 0:
            below = self._ask(state, -1, nodes)
        best = int(self._solver._stack.frames[0].best_action)
        outcome = 1 if above is not None and above > 0 else 0
        if below is not None and below < 0:
            outcome = -1
        elif outcome == 0 and (above is None or below is None):
            return None, -1
        return -outcome if state.to_play == 1 else outcome, best

    def _ask(self, state: State, alpha: int, nodes: int) -> int | None:
        try:
            with self._solver.limits(nodes=nodes // 2):
                return self._solver._search(state, alpha, alpha + 1)
        except Unsolved:
            return None


@pytest.mark.parametrize("spec", quick(GAMES, FOURS))
@pytest.mark.parametrize("how", quick(WAYS, "puct rollouts", "gumbel network"))
def test_exact_leaves_are_those_of_the_reference(spec: str, how: str) -> None:
    game = load(spec)
    root, leaves = how.split()
    evaluator = network(game) if leaves == "network" else None
    num_settled = 0
    for plies in GAMES[spec]:
        for seed in (1, 2):
            config = SearchConfig(
                sims=40, root=root, rollouts=1, exact_nodes=30 + 10 * plies
            )
            state = position(game, plies, seed)
            search, roots = searched(state, config, evaluator, seed)
            reference = Reference(game, config, evaluator, SolverJudge(game))
            tree = reference.run(state.raw, seed, 40)
            if not reference.settled:
                assert compare(search, 0, tree) == search.forest.heads[0].num_nodes
            assert roots.sims[0] == reference.sims
            assert roots.chosen[0] == reference.choice(tree)
            proven = search.forest.nodes[0, : search.forest.heads[0].num_nodes]
            num_settled += int((proven["proof"] != UNPROVEN).sum())
    assert num_settled > 0


@pytest.mark.parametrize("spec", quick(GAMES, FOURS))
def test_proofs_are_the_solvers(spec: str) -> None:
    game = load(spec)
    solver = Solver(game, memory_mb=8)
    config = SearchConfig(sims=60, rollouts=1, exact_nodes=60)
    for plies in GAMES[spec]:
        state = position(game, plies, 7)
        search, _ = searched(state, config)
        head, nodes = search.forest.heads[0], search.forest.nodes[0]
        for index in range(head.num_nodes):
            node = nodes[index]
            if node.proof != UNPROVEN and node.to_play >= 0:
                value = solver.value(State.at(game, search.states[0, index], 0))
                sign = -1 if node.to_play == 1 else 1
                assert node.proof == sign * value.outcome


@pytest.mark.parametrize("spec", quick(PLIES, FOURS))
@pytest.mark.parametrize("agent", quick(AGENTS, AGENTS[0]))
def test_what_was_settled_at_a_leaf_is_kept_in_play(spec: str, agent: str) -> None:
    """A settled leaf becomes the root: its result is known, but not a move."""
    game = load(spec)
    solver = Solver(game, memory_mb=8)
    for seed in range(6):
        player = make_agent(f"{agent},exact_nodes=400", game, seed)
        state = position(game, PLIES[spec], seed)
        mover, promised = state.to_play, -1
        while not state.is_over:
            if state.to_play != mover:
                replies = np.random.default_rng((seed, state.num_plies))
                state.apply(int(replies.choice(state.legal_actions())))
                continue
            thought = player.analyse(state)
            before = solver.value(state).outcome
            best = state.read_action(thought.moves[0].move)
            if thought.proof:
                assert thought.utility == before
            if thought.proof or promised > -1:
                assert solver.outcomes(state)[best] == before
            promised = max(promised, {"win": 1, "draw": 0}.get(thought.proof, -1))
            state.apply(best)
        result = int(state.result or 0)
        assert (-result if mover == 1 else result) >= promised


def test_a_settled_leaf_that_becomes_the_root_is_searched_anew() -> None:
    game = load(FOURS)
    state = position(game, 4, 3)
    search, _ = searched(state, SearchConfig(sims=30, rollouts=1, exact_nodes=60))
    nodes = search.forest.nodes[0, : search.forest.heads[0].num_nodes]
    is_leaf = (nodes["num_edges"] == 0) & (nodes["to_play"] >= 0)
    settled = np.flatnonzero(is_leaf & (nodes["proof"] != UNPROVEN))
    assert len(settled) > 0
    after = search.states[0, settled[0]].copy()
    assert not search.reuse(0, after)
    roots = search.run(30)
    assert roots.chosen[0] in State.at(game, after, 0).legal_actions()


def test_exact_trees_do_not_depend_on_other_games_or_threads() -> None:
    game = load(FOURS)
    states = [position(game, 5, seed) for seed in range(4)]
    config = SearchConfig(sims=40, rollouts=1, exact_nodes=60)
    together = grown(states, config, threads=2)
    for seed, state in enumerate(states):
        assert grown([state], config, first_seed=seed) == [together[seed]]


def test_exact_nodes_is_refused_where_nothing_can_be_settled() -> None:
    config, game = SearchConfig(exact_nodes=10), load("tic_tac_toe")
    with pytest.raises(UserError, match="is for one player"):
        Search(load("triangle"), config, is_lazy=True)
    with pytest.raises(UserError, match="games without chance"):
        Search(load(RACE), config, is_lazy=True)
    with pytest.raises(UserError, match="a learned model has none"):
        Search(game, config, evaluator=ToyModel(game, False, False), is_lazy=True)
    with pytest.raises(UserError, match="exact_nodes makes proofs"):
        SearchConfig(exact_nodes=10, proofs=False)
