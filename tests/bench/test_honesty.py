"""Agents that know the coming dice are found out, others are not."""

import numpy as np
import pytest

from ludens import Game, State, UserError, load_game
from ludens.agents import Agent, Limit, agent_maker
from ludens.agents.agent import NO_LIMIT
from ludens.arena.play import Player
from ludens.bench.honesty import chance_of, distance, measure

NUM_PLANS = 8
PLIES = 20


@pytest.fixture(scope="module")
def triangle() -> Game:
    return load_game("triangle")


class Prophet(Agent):
    """Cheats: knows the dice, tries some games with them and plays the best one."""

    def __init__(self, game: Game, seed: int) -> None:
        super().__init__(seed)
        self._make = agent_maker("greedy", game)
        self._plan: list[tuple[bytes, int]] = []

    def choose(self, state: State, limit: Limit = NO_LIMIT) -> int:
        if not self._plan or self._plan[0][0] != state.raw.tobytes():
            plans = [self._foresee(state, number) for number in range(NUM_PLANS)]
            self._plan = max(plans, key=lambda plan: plan[0])[1]
        return self._plan.pop(0)[1]

    def _foresee(
        self, state: State, number: int
    ) -> tuple[float, list[tuple[bytes, int]]]:
        future, plan = state.copy(seed=self.seed), []
        agent = self._make(number)
        while not future.is_over and future.num_plies < PLIES:
            plan.append((future.raw.tobytes(), agent.choose(future)))
            future.apply(plan[-1][1])
        return future.score, plan


def test_one_who_knows_the_dice_is_found_out(triangle: Game) -> None:
    player = Player("prophet", lambda seed, num_games=1: Prophet(triangle, seed))
    found = measure(triangle, player, 60, 1, PLIES)
    assert not found.is_honest
    assert found.own > 1.1 * found.replaced
    assert found.gain.low > 0


SEARCHES = [
    pytest.param(f"mcts:sims=8,root={root}", marks=pytest.mark.slow)
    for root in ("puct", "gumbel")
]


@pytest.mark.parametrize("agent", ["greedy", *SEARCHES])
def test_the_dice_may_be_replaced_under_an_honest_agent(
    triangle: Game, agent: str
) -> None:
    player = Player(agent, agent_maker(agent, triangle))
    found = measure(triangle, player, 250, 1, PLIES)
    assert found.is_honest
    assert found.gain.low < 0 < found.gain.high
    assert found.num_pairs == 250


def test_the_distance_is_that_of_kolmogorov_and_smirnov() -> None:
    assert distance(np.array([1.0, 2.0, 3.0]), np.array([1.0, 2.0, 3.0])) == 0
    assert distance(np.array([1.0, 2.0]), np.array([3.0, 4.0])) == 1
    assert distance(np.array([1.0, 2.0, 3.0, 4.0]), np.array([1.0, 2.0, 3.5, 9.0])) == (
        pytest.approx(0.25)
    )


def test_equal_distributions_are_often_as_far_apart() -> None:
    chances = [
        chance_of(np.random.default_rng(i).random((40, 2)), np.random.default_rng(0))
        for i in range(10)
    ]
    assert 0.2 < np.median(chances) < 0.9
    apart = np.random.default_rng(3).random((40, 2)) + np.array([0.0, 0.5])
    assert chance_of(apart, np.random.default_rng(0)) < 0.01


def test_a_game_without_scores_under_chance_is_refused() -> None:
    for name in ("tic_tac_toe", "triple_triad"):
        game = load_game(name)
        words = f"{name} has no scores under chance to compare"
        with pytest.raises(UserError, match=words):
            measure(game, Player("random", agent_maker("random", game)), 2, 0, 0)
