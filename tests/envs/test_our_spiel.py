"""Our games in OpenSpiel pass its test, and its algorithms play them."""

import os
import pickle
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from ludens import load_game
from ludens.loading.game import game_files
from marked import quick

pyspiel = pytest.importorskip("pyspiel")

GAMES = [
    *("ludens_tic_tac_toe", "ludens_connect_four(rows=4,columns=5)", "ludens_pyrga"),
    *("ludens_triple_triad", "ludens_triple_triad(same=True)", "ludens_gomoku(size=7)"),
    *("ludens_triangle(line_features=False)", "ludens_gomoku(size=7,rule=renju)"),
]


@pytest.fixture(scope="module", autouse=True)
def spiel() -> ModuleType:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("LUDENS_COMPILE", "0")
        from ludens.envs import pyspiel_games

        yield pyspiel_games


@pytest.mark.parametrize("name", quick(GAMES, "ludens_tic_tac_toe"))
def test_its_own_test_passes(name: str) -> None:
    game = pyspiel.load_game(name)
    pyspiel.random_sim_test(game, num_sims=1, serialize=True, verbose=False)


def test_every_game_is_registered() -> None:
    known = pyspiel.registered_names()
    assert {f"ludens_{name}" for name in game_files()} <= set(known)


def test_options_are_parameters() -> None:
    game = pyspiel.load_game("ludens_gomoku(size=7,rule=renju)")
    assert game.num_distinct_actions() == 49
    assert game.get_parameters()["rule"] == "renju"


def test_a_file_of_ones_own_is_registered(tmp_path: Path, spiel: ModuleType) -> None:
    file = tmp_path / "noughts.py"
    file.write_text(game_files()["tic_tac_toe"].read_text())
    assert spiel.register(str(file)) == "ludens_noughts"
    assert pyspiel.load_game("ludens_noughts").num_distinct_actions() == 9


def test_states_are_cloned_and_kept_with_their_score_and_chance() -> None:
    game = pyspiel.load_game("ludens_triangle(line_features=False)")
    state = game.new_initial_state()
    twin = load_game("triangle:line_features=false").new(seed=3)
    action = twin.legal_actions()[0]
    twin.apply(action)
    turns = []
    for step in twin.history:
        turns.append(state.current_player())
        state.apply_action(step)
    assert turns[twin.history.index(action, 3)] == 0
    assert set(turns) == {0, pyspiel.PlayerId.CHANCE}
    assert state.rewards() == state.returns() == [twin.score]
    for other in (state.clone(), pickle.loads(pickle.dumps(state))):
        assert str(other) == str(twin)
        assert other.returns() == state.returns()
    seen = np.array(state.observation_tensor(0))
    assert (seen == twin.observe().reshape(-1)).all()


def test_its_python_algorithms_solve_our_game() -> None:
    from open_spiel.python.algorithms import minimax

    game = pyspiel.load_game("ludens_tic_tac_toe")
    state = game.new_initial_state()
    for action in (0, 1, 3, 4):
        state.apply_action(action)
    value, best = minimax.alpha_beta_search(game, state)
    assert (value, best) == (1.0, 6)


def test_the_interpreter_ends_as_it_should() -> None:
    """OpenSpiel holds what is registered until after Python's own end."""
    code = (
        "import ludens.envs.pyspiel_games, pyspiel; pyspiel.load_game('ludens_pyrga')"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        env=os.environ | {"LUDENS_COMPILE": "0"},
        capture_output=True,
        text=True,
    )
    assert (done.returncode, done.stderr) == (0, "")
