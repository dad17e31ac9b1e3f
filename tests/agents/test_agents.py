"""Agents by name: what they choose and what they tell."""

import json

import numpy as np
import pytest

from ludens import Game, State, UserError, load_game
from ludens.agents import make_agent
from ludens.agents.analysis import LEAST_VISITS, wilson
from ludens.agents.searching import sample_action
from ludens.solver.exact import Solver

SPECS = ["random", "greedy", "solver", "mcts:sims=200", "mcts:sims=64,root=gumbel"]


@pytest.fixture(scope="module")
def connect_four() -> Game:
    return load_game("connect_four")


def at(game: Game, moves: str) -> State:
    state = game.new(seed=1)
    state.apply_moves(moves)
    return state.copy()


@pytest.mark.parametrize("spec", SPECS)
def test_every_agent_chooses_legally_and_tells_each_move(spec: str) -> None:
    game = load_game("tic_tac_toe")
    state = at(game, "b2 a1")
    agent = make_agent(spec, game, seed=3)
    assert agent.choose(state) in state.legal_actions()
    analysis = agent.analyse(state)
    names = {state.action_name(a) for a in state.legal_actions()}
    assert {move.move for move in analysis.moves} == names
    assert [move.order for move in analysis.moves] == list(range(len(names)))
    assert all(move.pv[0] == move.move for move in analysis.moves)
    assert all(move.lcb <= move.winrate + 1e-9 for move in analysis.moves)


@pytest.mark.parametrize(
    "spec", ["greedy", "solver", "mcts:sims=200", "mcts:root=gumbel"]
)
def test_a_win_at_once_is_taken(connect_four: Game, spec: str) -> None:
    state = at(connect_four, "112233")
    assert make_agent(spec, connect_four, seed=1).choose(state) == 3


def test_main_lines_end_where_nobody_has_looked(connect_four: Game) -> None:
    agent = make_agent("mcts:sims=400,root=puct", connect_four, seed=1)
    moves = agent.analyse(connect_four.new()).moves
    assert len(moves[0].pv) > 1
    assert all(len(move.pv) == 1 for move in moves if move.visits <= LEAST_VISITS)


def test_greedy_parries_a_loss_at_once(connect_four: Game) -> None:
    state = at(connect_four, "11223")
    agents = (make_agent("greedy", connect_four, seed) for seed in range(8))
    assert {agent.choose(state) for agent in agents} == {3}


def test_one_result_is_no_certainty() -> None:
    low, high = wilson(0.0, 1)
    assert low == 0.0
    assert high == pytest.approx(0.793, abs=1e-3)
    assert wilson(0.5, 0) == (0.0, 1.0)
    assert wilson(0.5, 10_000) == pytest.approx((0.490, 0.510), abs=1e-3)


def test_search_parries_what_the_solver_says_must_be_parried(
    connect_four: Game,
) -> None:
    state = at(connect_four, "65353521311155124")
    assert make_agent("mcts:sims=500", connect_four, seed=1).choose(state) == 2
    analysis = make_agent("mcts:sims=5000", connect_four, seed=1).analyse(state)
    lost = {m.move for m in analysis.moves if m.proof == "loss"}
    values = Solver(connect_four, memory_mb=32).values(state)
    assert lost == {str(a + 1) for a, v in values.items() if v.plies == 2}


def test_the_seed_decides_and_nothing_else(connect_four: Game) -> None:
    state = at(connect_four, "44")
    for spec in ("random", "mcts:sims=50,temperature=1"):
        chosen = [make_agent(spec, connect_four, s).choose(state) for s in range(30)]
        again = [make_agent(spec, connect_four, s).choose(state) for s in range(30)]
        assert chosen == again
        assert len(set(chosen)) > 2


def test_kept_subtree_counts_towards_the_next_search(connect_four: Game) -> None:
    state = at(connect_four, "")
    agent = make_agent("mcts:sims=400", connect_four, seed=1)
    state.apply(agent.choose(state))
    reply = agent.analyse(state).moves[0]
    state.apply(reply.move)
    assert agent.analyse(state).visits == 400


def test_json_has_the_field_names_of_katago(connect_four: Game) -> None:
    analysis = make_agent("mcts:sims=100", connect_four, 1).analyse(
        at(connect_four, "4")
    )
    found = json.loads(json.dumps(analysis.to_json()))
    assert {"visits", "winrate", "utility", "currentPlayer"} <= set(found["rootInfo"])
    wanted = {"move", "order", "visits", "prior", "utility", "winrate", "lcb", "pv"}
    assert wanted <= set(found["moveInfos"][0])
    assert sum(info["visits"] for info in found["moveInfos"]) == 100


def test_temperature_sharpens_and_softens() -> None:
    generator = np.random.default_rng(1)
    policy = np.array([0.6, 0.3, 0.1, 0.0])

    def share(temperature: float) -> float:
        picks = [sample_action(policy, temperature, generator) for _ in range(3000)]
        assert 3 not in picks
        return picks.count(0) / 3000

    assert share(1.0) == pytest.approx(0.6, abs=0.04)
    assert share(0.5) == pytest.approx(0.36 / 0.46, abs=0.04)
    assert share(0.05) > 0.99


def test_greedy_triangle_scores_ten_times_random() -> None:
    """For orientation: random scores about 2.2, greedy about 25."""
    game = load_game("triangle")
    scores = []
    for seed in range(12):
        state = game.new(seed=seed)
        agent = make_agent("greedy", game, seed)
        while not state.is_over:
            state.apply(agent.choose(state.copy()))
        scores.append(state.score)
    assert 10 < np.mean(scores) < 60


@pytest.mark.parametrize(
    ("spec", "words"),
    [
        ("mtcs", "there is no agent 'mtcs'; did you mean 'mcts'?"),
        ("random:sims=3", "the agent random has no settings, so no 'sims'"),
        ("mcts:simms=3", "the agent mcts has no setting 'simms'; did you mean 'sims'?"),
        ("mcts:sims=0", "sims cannot be '0'; allowed: at least 1"),
        ("mcts:sims=many", "sims cannot be 'many'"),
        ("mcts:sims=1e3", "sims cannot be '1e3'; allowed: a whole number, at least 1"),
        ("mcts:root=gumble", "root cannot be 'gumble'; did you mean 'gumbel'?"),
        ("mcts:temperature=-1", "temperature cannot be '-1'"),
        ("mcts:sims=100000000,memory_mb=1", "memory_mb=1 is too little for a tree"),
    ],
)
def test_a_wrong_name_is_one_line(spec: str, words: str) -> None:
    with pytest.raises(UserError) as caught:
        make_agent(spec, load_game("tic_tac_toe"), 0)
    assert words in str(caught.value)
    assert "\n" not in str(caught.value)
