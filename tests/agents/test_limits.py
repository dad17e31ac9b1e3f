"""One limit for all agents: what a call says wins over what the agent was made with."""

import time

import pytest

from ludens import Game, UserError, load_game
from ludens.agents import Limit, agent_maker, make_agent
from ludens.agents.agent import NO_LIMIT
from ludens.state import State


@pytest.fixture(scope="module")
def game() -> Game:
    return load_game("connect_four")


def after(game: Game, moves: str) -> State:
    state = game.new(seed=1)
    state.apply_moves(moves)
    return state.copy()


def test_each_field_of_a_call_wins_over_the_default() -> None:
    default = Limit(sims=10, seconds=1.0)
    assert Limit(sims=20).over(default) == Limit(20, 1.0)
    assert Limit(nodes=5).over(default) == Limit(10, 1.0, 5)
    assert NO_LIMIT.over(default) == default


@pytest.mark.parametrize("root", ["puct", "gumbel"])
def test_a_call_may_ask_for_fewer_or_more_simulations(game: Game, root: str) -> None:
    state = after(game, "44")
    agent = make_agent(f"mcts:sims=50,root={root}", game, 1)
    assert agent.analyse(state).visits == 50
    assert make_agent("mcts:sims=50", game, 1).analyse(state, Limit(sims=7)).visits == 7
    assert agent.analyse(state, Limit(sims=300)).visits == 300


def test_the_limit_of_making_is_for_what_the_text_leaves_open(game: Game) -> None:
    state, limit = after(game, "44"), Limit(sims=30)
    assert make_agent("mcts", game, 1, limit).analyse(state).visits == 30
    assert make_agent("mcts:sims=40", game, 1, limit).analyse(state).visits == 40


def test_seconds_end_a_search(game: Game) -> None:
    agent = make_agent("mcts:sims=10000000,max_nodes=100000", game, 1)
    agent.compile()
    began_s = time.perf_counter()
    agent.choose(after(game, "44"), Limit(seconds=0.05))
    assert time.perf_counter() - began_s < 5


def test_the_solver_obeys_nodes_and_seconds(game: Game) -> None:
    agent, state = make_agent("solver", game, 1), after(game, "44")
    with pytest.raises(UserError, match="not solved within 100 nodes"):
        agent.choose(state, Limit(nodes=100))
    with pytest.raises(UserError, match=r"not solved within 0.01 s"):
        agent.analyse(state, Limit(seconds=0.01))


def test_thinking_in_slices_comes_to_what_choosing_does(game: Game) -> None:
    for spec in ("random", "greedy", "mcts:sims=300", "solver"):
        state = after(game, "4444454116622265533317337")
        thoughts = list(make_agent(spec, game, 3).think(state, slice_s=0.01))
        last = thoughts[-1]
        assert last is not None
        assert last.action == make_agent(spec, game, 3).choose(state)
        assert last.analyse is not None
        assert last.analyse(2).moves[0].pv


def test_a_solver_knows_its_move_before_the_value_of_all(game: Game) -> None:
    state = after(game, "4444454116622265533317337")
    thoughts = make_agent("solver", game, 1).think(state, slice_s=0.01)
    first = next(thought for thought in thoughts if thought is not None)
    assert first.is_final
    assert first.analyse is None


def test_many_games_are_searched_as_if_alone(game: Game) -> None:
    """Also when there are more of them than trees."""
    make = agent_maker("mcts:sims=60,temperature=1", game)
    states = [after(game, moves) for moves in ("", "4", "44", "445", "1", "12", "17")]
    alone = [make(seed).choose(state) for seed, state in enumerate(states)]
    assert make(0, 8).choose_many(states, seeds=range(7)) == alone
    assert make(0, 3).choose_many(states, seeds=range(7)) == alone
    assert make(0).choose_many(states, seeds=range(7)) == alone


def test_trees_go_on_with_their_games(game: Game) -> None:
    make = agent_maker("mcts:sims=80", game)
    together = make(0, 4)
    agents = [make(seed) for seed in range(3)]
    states = [after(game, moves) for moves in ("", "4", "44")]
    for _ in range(4):
        alone = [a.choose(s) for a, s in zip(agents, states, strict=True)]
        assert together.choose_many(states, seeds=range(3)) == alone
        for state, action in zip(states, alone, strict=True):
            state.apply(action)
