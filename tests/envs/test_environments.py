"""Environments of others are loaded as games, or refused in a line."""

from pathlib import Path

import numpy as np
import pytest

import tiny_environments  # noqa: F401 - Gymnasium knows them now
from ludens import UserError
from ludens.agents import make_agent
from ludens.envs.muzero_general import make_file
from ludens.game import OVER
from ludens.loading.game import load_game, load_named


def load(spec: str):
    return load_game(spec, compiled=False)


def test_a_vector_becomes_planes_of_one_cell():
    game = load("gym:Corridor-v0")
    assert (game.spec, game.num_players, game.num_actions) == ("gym:Corridor-v0", 1, 2)
    assert game.observation_shape == (2, 1, 1)
    seen = game.new(seed=1).observe()
    assert seen.min() >= -1
    assert seen[1, 0, 0] == -0.5  # 1 of 0 to 4


def test_an_image_is_scaled_and_has_its_colours_first():
    game = load("gym:Image-v0")
    assert game.observation_shape == (2, 3, 4)
    seen = game.new(seed=0).observe()
    assert seen[1, 1, 2] == 1
    assert seen.sum() == 1


def test_the_seed_decides_an_episode():
    starts = [load("gym:Corridor-v0").new(seed=s).observe()[0, 0, 0] for s in range(20)]
    again = [load("gym:Corridor-v0").new(seed=s).observe()[0, 0, 0] for s in range(20)]
    assert starts == again
    assert len(set(starts)) == 2


def test_an_episode_is_played_to_its_end_or_until_its_time_is_up():
    state = load("gym:Corridor-v0").new(seed=1)
    while not state.is_over:
        state.apply(1)
    assert state.score == pytest.approx((10 - state.num_plies) / 100)
    state.reset(seed=1)
    while not state.is_over:
        state.apply(0)
    assert state.num_plies == 7


def test_a_copy_of_a_state_cannot_be_played_on():
    state = load("gym:Corridor-v0").new(seed=1)
    with pytest.raises(UserError, match="cannot go on from a copy"):
        state.copy().apply(0)
    with pytest.raises(UserError, match="cannot take an action back"):
        state.undo()


def test_a_game_of_open_spiel_is_played():
    pytest.importorskip("pyspiel")
    game = load("pyspiel:tic_tac_toe")
    assert game.observation_shape == (4, 3, 3)  # the last one says whose turn it is
    assert game.turn_order.alternates
    state = game.new(seed=0)
    for action in (0, 3, 1, 4):
        state.apply(action)
    assert state.legal_actions() == [2, 5, 6, 7, 8]
    state.apply(2)
    assert (state.result, state.to_play) == (1.0, OVER)


def test_chance_is_drawn_inside_by_the_seed():
    pytest.importorskip("pyspiel")

    def play(seed: int) -> bytes:
        state = load("pyspiel:pig").new(seed)
        for _ in range(6):
            state.apply(0)
        return state.raw.tobytes()

    assert play(1) == play(1)
    assert len({play(seed) for seed in range(5)}) > 1


def test_a_game_of_petting_zoo_is_played():
    state = load("pettingzoo:tiny_take_away:TakeAway").new(0)
    assert state.game.observation_shape == (2, 1, 1)
    assert (state.to_play, state.legal_actions()) == (0, [0, 1])
    for action in (1, 1):
        state.apply(action)
    assert (state.to_play, state.legal_actions()) == (0, [0])
    state.apply(0)
    assert state.result == 1.0


def test_a_game_of_muzero_general_is_played(tmp_path: Path):
    file = tmp_path / "tic_tac_toe.py"
    file.write_text(make_file(load_game("tic_tac_toe", compiled=False)).text)
    state = load(f"muzero:{file}").new(0)
    assert state.game.num_actions == 9
    for action in (4, 0, 3, 1, 5):
        state.apply(action)
    assert state.result == 1.0


@pytest.mark.parametrize(
    ("spec", "why"),
    [
        ("gym:Stick-v0", "has continuous actions"),
        ("gym:Nowhere-v0", "cannot make gym:Nowhere-v0: NameNotFound"),
        ("gym:", "names no environment"),
        ("gym:Blackjack-v1", "observations of the kind Tuple"),
        ("pyspiel:kuhn_poker", "hidden information"),
        ("pyspiel:goofspiel", "simultaneous moves"),
        ("pyspiel:tic_tac_to", "did you mean 'tic_tac_toe'"),
        ("pettingzoo:leduc_holdem_v4", "hidden information"),
        ("muzero:nowhere.py", "there is no game file nowhere.py"),
    ],
)
def test_what_cannot_be_learned_is_refused_in_a_line(spec: str, why: str):
    if spec.startswith("pyspiel"):
        pytest.importorskip("pyspiel")
    with pytest.raises(UserError, match=why) as refused:
        load(spec)
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize(
    ("fault", "why"),
    [
        ("Raise", "fails at action 1: RuntimeError: the wheels came off"),
        ("Reward", "gave a reward of nan"),
        ("Nan", "numbers that are not finite"),
        ("Shape", r"an observation of shape \(3,\), not \(2,\)"),
    ],
)
def test_a_broken_environment_is_told_in_a_line(fault: str, why: str):
    state = load(f"gym:Corridor{fault}-v0").new(seed=0)

    with pytest.raises(UserError, match=why) as told:
        state.apply(1)
    assert "\n" not in str(told.value)


@pytest.mark.parametrize(
    "spec",
    ["gym:antigravity:Env-v0", "muzero:x.py", "pettingzoo:os:path", "pyspiel:a(b=c)"],
)
def test_a_name_in_a_file_runs_no_code(spec: str):
    with pytest.raises(UserError, match="only if you name it yourself"):
        load_named(spec)
    assert load_named("gym:Corridor-v0", compiled=False).num_actions == 2


@pytest.mark.parametrize("agent", ["mcts", "greedy", "lookahead", "solver"])
def test_agents_that_need_rules_are_refused(agent: str):
    with pytest.raises(UserError, match="needs rules, which gym:Corridor-v0 has not"):
        make_agent(agent, load("gym:Corridor-v0"), 0)


def test_large_numbers_are_squashed():
    from ludens.loading.environments.observations import squash

    numbers = np.array([0.0, -0.5, 1.0, -100.0])
    assert squash(numbers).tolist()[:3] == [0.0, -0.5, 1.0]
    assert squash(numbers)[3] == pytest.approx(-1 - np.log(100))
