"""Clear moves leave time over, and open ones take it."""

import numpy as np
import pytest

from ludens import load_game
from ludens.agents import make_agent
from ludens.agents.pace import Pace
from ludens.agents.searching import SearchAgent
from ludens.search.search import Roots

NEAR_THE_END = "446157447627521267226626417455511175"


def roots(visits: list[float], means: list[float], num_legal: int = 3) -> Roots:
    priors = np.zeros((1, 4))
    priors[0, :num_legal] = 1 / num_legal
    none = np.zeros(1)
    counts = np.array([visits])
    return Roots(
        counts,
        priors,
        np.array([means]),
        np.full((1, 4), 2.0),
        counts / counts.sum(),
        none,
        counts.argmax(1),
        counts.sum(1).astype(np.int64),
        none.astype(bool),
    )


def test_a_move_that_nobody_can_overtake_ends_early() -> None:
    pace = Pace(usual_s=1.0, most_s=3.0, num_before=0.0)
    found = roots([70, 10, 0, 0], [0.5, 0.1, 0, 0])
    assert not pace.goes_on(found, 0, used_s=0.6)  # 53 visits are still to come
    assert pace.goes_on(found, 0, used_s=0.4)  # 120 are


def test_visits_of_earlier_moves_say_nothing_of_the_speed() -> None:
    found = roots([700, 640, 0, 0], [0.5, 0.1, 0, 0])
    assert not Pace(1.0, 3.0, num_before=1300.0).goes_on(found, 0, used_s=0.5)
    assert Pace(1.0, 3.0, num_before=0.0).goes_on(found, 0, used_s=0.5)


def test_an_open_move_takes_what_was_saved() -> None:
    close = roots([60, 50, 0, 0], [0.5, 0.1, 0, 0])
    better = roots([60, 20, 0, 0], [0.1, 0.5, 0, 0])
    clear = roots([60, 20, 0, 0], [0.5, 0.1, 0, 0])
    pace = Pace(usual_s=1.0, most_s=3.0, num_before=0.0)
    assert pace.goes_on(close, 0, used_s=1.5)
    assert pace.goes_on(better, 0, used_s=1.5)
    assert not pace.goes_on(clear, 0, used_s=1.5)
    assert not pace.goes_on(close, 0, used_s=3.0)


@pytest.mark.parametrize("used_s", [0.01, 2.0])
def test_the_only_legal_move_takes_no_time(used_s: float) -> None:
    found = roots([60, 0, 0, 0], [0.5, 0, 0, 0], num_legal=1)
    assert not Pace(1.0, 3.0, 0.0).goes_on(found, 0, used_s)


def test_what_a_game_saves_is_for_that_game_alone() -> None:
    game = load_game("connect_four")
    agent = make_agent("mcts:sims=10000000,seconds=60,most_seconds=90", game, 1)
    assert isinstance(agent, SearchAgent)
    state = game.new()
    state.apply_moves(NEAR_THE_END)
    only = state.legal_actions()
    assert len(only) == 1
    for expected_s in (30, 90):
        assert agent.choose_many([state], seeds=[7]) == only
        assert expected_s < agent.saved_s < expected_s + 30
    assert agent.choose_many([state], seeds=[8]) == only
    assert 30 < agent.saved_s < 60
