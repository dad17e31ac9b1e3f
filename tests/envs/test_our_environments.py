"""Our games as environments of Gymnasium and PettingZoo pass the checkers of both."""

import warnings
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pettingzoo
import pytest
from gymnasium.utils.env_checker import check_env
from pettingzoo.test import api_test, render_test, seed_test

import ludens.envs
from ludens import UserError, load_game
from ludens.loading.game import game_files
from marked import quick

GAMES = [
    *("tic_tac_toe", "connect_four", "connect_four:rows=4,columns=5,connect=3"),
    *("pyrga", "pyrga:tiebreak=stacks", "triple_triad", "triangle"),
    *("triangle:line_features=false", "gomoku:size=7", "gomoku:size=7,rule=renju"),
]
CHEAP = ("tic_tac_toe", "connect_four:rows=4,columns=5,connect=3", "pyrga")
IN_PLANES = ".* all zeros|.*not a NumPy array|.*graphical|Observation space for each"
"""Of masked observations as planes PettingZoo warns wherever they are not its own."""


@pytest.fixture(autouse=True)
def _rules_as_they_are(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LUDENS_COMPILE", "0")


@pytest.mark.parametrize("spec", quick(GAMES, *CHEAP))
def test_gymnasium_finds_nothing_wrong(spec: str) -> None:
    name, _, options = spec.partition(":")
    given = dict(option.split("=") for option in options.split(",") if option)
    check_env(gymnasium.make(f"ludens/{name}-v0", **given).unwrapped)


@pytest.mark.parametrize("spec", quick(GAMES, *CHEAP))
def test_petting_zoo_finds_nothing_wrong(spec: str) -> None:
    warnings.filterwarnings("ignore", IN_PLANES)
    api_test(ludens.envs.make(spec), num_cycles=20)
    seed_test(lambda: ludens.envs.make(spec), num_cycles=20)
    render_test(lambda render_mode: ludens.envs.make(spec, render_mode))


def test_every_game_is_registered_with_both() -> None:
    names = {f"ludens/{name}-v0" for name in (*game_files(), "game")}
    assert names <= set(gymnasium.registry)
    assert names <= set(pettingzoo.aec_registry)
    env = pettingzoo.make("aec", "ludens/gomoku-v0", size=9)
    assert str(env.unwrapped) == "gomoku:size=9"


def test_a_file_of_ones_own_is_an_environment(tmp_path: Path) -> None:
    file = tmp_path / "noughts.py"
    file.write_text(game_files()["tic_tac_toe"].read_text())
    check_env(gymnasium.make("ludens/game-v0", game=str(file)).unwrapped)


def test_the_opponent_moves_in_between_and_a_win_is_rewarded() -> None:
    env = gymnasium.make("ludens/tic_tac_toe-v0", opponent="greedy", player=1)
    seen, info = env.reset(seed=1)
    assert seen.sum() == 1  # the opponent has begun
    total, over = 0.0, False
    while not over:
        action = env.action_space.sample(info["action_mask"])
        seen, reward, over, cut, info = env.step(action)
        assert not cut
        total += reward
    assert total == env.unwrapped._episode.state.result * -1
    assert info["action_mask"].all()


def test_the_same_seed_gives_the_same_game_against_a_search() -> None:
    env = gymnasium.make("ludens/tic_tac_toe-v0", opponent="mcts:sims=20", player=0)
    boards = []
    for _ in range(2):
        env.reset(seed=3)
        boards.append([env.step(action)[0].tobytes() for action in (4, 0)])
    assert boards[0] == boards[1]


def test_both_sides_are_played_unless_one_is_named() -> None:
    env = gymnasium.make("ludens/tic_tac_toe-v0")
    assert {env.reset(seed=seed)[0].sum() for seed in range(9)} == {0, 1}


def test_an_illegal_action_ends_the_game() -> None:
    env = gymnasium.make("ludens/tic_tac_toe-v0", player=0).unwrapped
    env.reset(seed=0)
    env.step(4)
    _, reward, over, _, info = env.step(4)
    assert (reward, over, info["action_mask"].sum()) == (-1.0, True, 9)
    assert env.step(0)[1:3] == (0.0, True)
    turns = ludens.envs.make("tic_tac_toe")
    turns.reset()
    turns.step(4)
    turns.step(4)
    assert turns.rewards == {"player_0": 0.0, "player_1": -1.0}


def test_rewards_of_a_puzzle_are_those_of_its_rules() -> None:
    env = gymnasium.make("ludens/triangle-v0", line_features=False).unwrapped
    env.reset(seed=5)
    state = env._episode.state
    twin = load_game("triangle:line_features=false").new(state.seed)
    for _ in range(5):
        action = state.legal_actions()[0]
        assert env.step(action)[1] == twin.apply(action)
    assert (env.action_masks() == twin.legal_mask()).all()


def test_players_take_turns_and_see_their_own_side() -> None:
    env = ludens.envs.make("tic_tac_toe")
    env.reset(seed=0)
    for ply, action in enumerate((0, 3, 1, 4, 2)):
        assert env.agent_selection == f"player_{ply % 2}"
        own, other = env.last()[0]["observation"]
        assert (own.sum(), other.sum()) == (ply // 2, (ply + 1) // 2)
        env.step(action)
    assert env.rewards == {"player_0": 1.0, "player_1": -1.0}
    assert env.last()[0]["observation"][1].sum() == 3  # the loser sees the row
    assert not env.observe("player_0")["observation"][1, 0].any()


def test_an_agent_whose_turn_it_is_not_may_do_nothing() -> None:
    env = ludens.envs.make("tic_tac_toe")
    env.reset()
    assert not env.observe("player_1")["action_mask"].any()
    assert env.observe("player_0")["action_mask"].dtype == np.int8


@pytest.mark.parametrize(
    ("name", "given", "why"),
    [
        ("triangle", {"opponent": "random"}, "has one player, so no opponent"),
        ("tic_tac_toe", {"opponent": "mctx"}, "there is no agent 'mctx'"),
        ("tic_tac_toe", {"player": 2}, "has no player 2"),
        ("gomoku", {"siz": 9}, "has no option 'siz'"),
        ("game", {"game": "gym:CartPole-v1"}, "an environment needs rules"),
    ],
)
def test_a_mistake_is_said_in_a_line(name: str, given: Any, why: str) -> None:
    with pytest.raises(UserError, match=why):
        gymnasium.make(f"ludens/{name}-v0", **given)
