"""Nets are found by file, by run and by game."""

from pathlib import Path

import pytest

from faults.made_runs import make_net, make_run
from ludens import UserError, load_game
from ludens.nets import shipped
from ludens.nets.weights import load_net, save_net
from ludens.store.finding import find_net, runs_folder

GAME = load_game("tic_tac_toe", compiled=False)


@pytest.fixture(autouse=True)
def runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the folder of runs, with one of three iterations in it."""
    monkeypatch.setenv("LUDENS_RUNS", str(tmp_path))
    monkeypatch.setattr(shipped, "PRETRAINED", tmp_path)
    make_run(tmp_path / "one@home", 3).close()
    return tmp_path


@pytest.mark.parametrize(("text", "iteration"), [("", 3), ("@1", 1), ("@3", 3)])
def test_a_run_has_its_newest_net_or_the_one_named(text: str, iteration: int) -> None:
    assert load_net(find_net(f"one@home{text}", GAME)).card.iteration == iteration


def test_a_run_comes_before_a_game_of_its_name(runs: Path) -> None:
    shipped = runs / "tic_tac_toe.safetensors"
    save_net(make_net(9), shipped)
    assert find_net("tic_tac_toe") == find_net("", GAME) == shipped
    make_run(runs / "tic_tac_toe", 1).close()
    assert load_net(find_net("tic_tac_toe")).card.iteration == 1
    assert find_net("", GAME) == shipped


def test_a_net_with_a_learned_model_ships_beside_the_other(runs: Path) -> None:
    shipped = runs / "tic_tac_toe.muzero.safetensors"
    save_net(make_net(9), shipped)
    assert find_net("muzero", GAME) == shipped
    with pytest.raises(UserError, match="no net comes with tic_tac_toe"):
        find_net("", GAME)
    make_run(runs / "muzero", 1).close()
    assert load_net(find_net("muzero", GAME)).card.iteration == 1


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("muzero", "no net with a learned model comes with tic_tac_toe; name a file"),
        ("one@home@7", "run one@home has no net of iteration 7; it has 1, 2, 3"),
        ("two", "there is no run 'two'"),
        ("empty", "run empty has no net yet"),
        ("", "no net comes with tic_tac_toe; name a file or a run, or train one: "),
    ],
)
def test_what_is_not_there_is_named(runs: Path, text: str, words: str) -> None:
    make_run(runs / "empty").close()
    with pytest.raises(UserError) as caught:
        find_net(text, GAME)
    assert str(caught.value).startswith(words)


def test_the_usual_folder_of_runs_is_one_path_that_follows_the_environment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("LUDENS_RUNS")
    usual = runs_folder()
    assert runs_folder() is usual  # parts of a new path are interned
    monkeypatch.setenv("LUDENS_RUNS", str(tmp_path))
    assert runs_folder() == tmp_path
