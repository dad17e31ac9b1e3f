"""Many games stepped at once are the same games as those played one by one."""

import gymnasium
import numpy as np
import pytest
from gymnasium.vector import AutoresetMode

import ludens.envs
from ludens import UserError, load_game
from ludens.envs.vector import VectorGames
from ludens.state import State
from marked import quick

PLAIN = ("tic_tac_toe", "connect_four", "pyrga", "triangle:line_features=false")
COMPILED = ("triple_triad", "gomoku:size=7", "gomoku:size=7,rule=renju", "triangle")


@pytest.fixture(autouse=True)
def _rules_as_they_are(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LUDENS_COMPILE", "0")


def check_shown(envs: VectorGames, seen: np.ndarray, infos: dict) -> None:
    """What is shown of each game is what its state says."""
    for g, raw in enumerate(envs._batch.states):
        state = State.at(envs.game, raw)
        if state.is_over:
            assert infos["action_mask"][g].all()
        else:
            assert infos["to_play"][g] == state.to_play
            assert (infos["action_mask"][g] == state.legal_mask()).all()
            assert (seen[g] == state.observe()).all()


@pytest.mark.parametrize(
    "spec", quick((*PLAIN, *COMPILED), "tic_tac_toe", "triangle:line_features=false")
)
def test_what_is_shown_is_what_states_say(spec: str, monkeypatch) -> None:
    if spec in COMPILED:
        monkeypatch.setenv("LUDENS_COMPILE", "1")
    envs = ludens.envs.make_vec(spec, 4)
    seen, infos = envs.reset(seed=1)
    assert seen in envs.observation_space
    for _ in range(20):
        check_shown(envs, seen, infos)
        seen, *_, infos = envs.step(envs.sample_legal())


@pytest.mark.parametrize("compiled", ["0", "1"])
def test_games_are_those_of_the_rules(compiled: str, monkeypatch) -> None:
    """Each is replayed: rewards are for who moved, ends are where the rules end."""
    monkeypatch.setenv("LUDENS_COMPILE", compiled)
    envs = ludens.envs.make_vec("tic_tac_toe", 6, autoreset_mode="SameStep")
    envs.reset(seed=2)
    states = [envs.game.new() for _ in range(6)]
    for _ in range(12):
        actions = envs.sample_legal()
        seen, rewards, terminated, truncated, infos = envs.step(actions)
        assert not truncated.any()
        for g, state in enumerate(states):
            mover = state.to_play
            state.apply(int(actions[g]))
            assert terminated[g] == state.is_over
            assert rewards[g] == (state.result or 0) * (1 - 2 * mover)
            if state.is_over:
                assert infos["final_obs"][g].sum() == state.num_plies
                state.reset()
            assert (seen[g] == state.observe()).all()


def test_a_game_begins_with_the_step_after_its_end() -> None:
    envs = ludens.envs.make_vec("tic_tac_toe", 2)
    assert envs.metadata["autoreset_mode"] == AutoresetMode.NEXT_STEP
    envs.reset(seed=0)
    for pair in ((0, 0), (3, 8), (1, 1), (4, 7)):
        envs.step(pair)
    seen, rewards, terminated, _, infos = envs.step([2, 3])
    assert (rewards.tolist(), terminated.tolist()) == ([1.0, 0.0], [True, False])
    assert (seen[0, 1, 0].all(), infos["to_play"][0]) == (True, 1)  # the loser looks
    seen, rewards, terminated, *_ = envs.step([5, 2])
    assert (seen[0].sum(), rewards[0], terminated.any()) == (0, 0.0, False)


def test_an_illegal_action_ends_a_game() -> None:
    envs = ludens.envs.make_vec("tic_tac_toe", 3)
    envs.reset()
    envs.step([0, 0, 0])
    _, rewards, terminated, *_ = envs.step([0, 9, 1])
    assert rewards.tolist() == [-1.0, -1.0, 0.0]
    assert terminated.tolist() == [True, True, False]


def test_games_are_cut_after_so_many_steps() -> None:
    envs = ludens.envs.make_vec("tic_tac_toe", 1, max_episode_steps=3)
    envs.reset()
    for action in (0, 1):
        envs.step([action])
    _, reward, terminated, truncated, infos = envs.step([2])
    assert (reward[0], terminated[0], truncated[0]) == (0.0, False, True)
    assert infos["to_play"][0] == 1


def test_games_that_are_not_begun_anew_stay_until_they_are_reset() -> None:
    envs = ludens.envs.make_vec("tic_tac_toe", 2, autoreset_mode="Disabled")
    envs.reset()
    for pair in ((0, 0), (0, 1), (5, 2)):
        _, _, terminated, *_ = envs.step(pair)
    assert terminated.tolist() == [True, False]
    seen, _ = envs.reset(options={"reset_mask": terminated})
    assert seen.sum(axis=(1, 2, 3)).tolist() == [0, 3]


def test_the_seed_decides_everything() -> None:
    def play(seed: int) -> bytes:
        envs = ludens.envs.make_vec("triangle", 3, line_features=False)
        seen = [envs.reset(seed=seed)[0]]
        seen += [envs.step(envs.sample_legal())[0] for _ in range(4)]
        return b"".join(each.tobytes() for each in seen)

    assert play(1) == play(1) != play(2)


def test_views_are_shown_unless_copies_are_asked_for() -> None:
    envs = ludens.envs.make_vec("tic_tac_toe", 2, copy=False)
    seen, infos = envs.reset()
    envs.step([4, 4])
    assert seen.sum() == 2
    assert infos["action_mask"].sum() == 16
    with pytest.raises(ValueError, match="read-only"):
        seen[:] = 0
    envs = ludens.envs.make_vec("tic_tac_toe", 2)
    seen, _ = envs.reset()
    envs.step([4, 4])
    assert seen.sum() == 0


def test_a_puzzle_is_made_by_gymnasium_itself() -> None:
    envs = gymnasium.make_vec("ludens/triangle-v0", 2, line_features=False)
    assert isinstance(envs, VectorGames)
    wrapped = gymnasium.wrappers.vector.RecordEpisodeStatistics(envs)
    wrapped.reset(seed=1)
    _, rewards, *_ = wrapped.step(envs.sample_legal())
    assert rewards.shape == (2,)
    boards = [str(State.at(load_game(envs.game.spec), r)) for r in envs._batch.states]
    assert list(envs.render()) == boards


def test_a_two_player_game_made_by_gymnasium_has_an_opponent() -> None:
    envs = gymnasium.make_vec("ludens/tic_tac_toe-v0", 2, player=1)
    seen, infos = envs.reset(seed=1)
    assert seen.sum() == 2  # both opponents have begun
    assert infos["action_mask"].sum() == 16


def test_actions_of_another_shape_are_refused_in_a_line() -> None:
    envs = ludens.envs.make_vec("tic_tac_toe", 2)
    envs.reset()
    with pytest.raises(UserError, match=r"the shape \(3,\), not \(2,\)"):
        envs.step([0, 1, 2])
    with pytest.raises(UserError, match="num_envs cannot be 0"):
        ludens.envs.make_vec("tic_tac_toe", 0)
