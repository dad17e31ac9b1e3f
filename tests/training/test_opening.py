"""Which run a training goes on with, and what it is called."""

from pathlib import Path

import pytest

from ludens.errors import UserError
from ludens.loading.game import game_files, load_game
from ludens.training.session import Wish, default_name, open_run


@pytest.mark.parametrize(
    ("spec", "name"),
    [
        ("tic_tac_toe", "tic_tac_toe"),
        ("gomoku:size=9,rule=renju", "gomoku-size-9-rule-renju"),
    ],
)
def test_a_run_is_named_for_its_game(spec: str, name: str) -> None:
    assert default_name(load_game(spec, compiled=False)) == name


def test_a_game_file_may_be_called_from_another_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "my game.py"
    file.write_text(game_files()["tic_tac_toe"].read_text())
    folder = tmp_path / "run"
    for here, spec in ((tmp_path, "my game.py"), (tmp_path.parent, str(file))):
        monkeypatch.chdir(here)
        game = load_game(spec, compiled=False)
        assert default_name(game) == "my-game"
        run, config = open_run(game, folder, Wish(), lambda config: None)
        with run:
            assert run.facts()["game"] == config.game == "my game.py"


def test_a_run_that_another_has_just_made_is_gone_on_with(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    game, folder = load_game("tic_tac_toe", compiled=False), tmp_path / "run"
    wish = Wish(sets=["learn.lr=0.0005"])
    open_run(game, folder, wish, lambda config: None)[0].close()
    monkeypatch.setattr("ludens.training.session.is_run", lambda folder: False)
    run, config = open_run(game, folder, Wish(), lambda config: None)
    with run:
        assert config.learn.lr == 0.0005


def test_other_rules_in_the_same_file_are_another_game(tmp_path: Path) -> None:
    file = tmp_path / "my_game.py"
    for name, ok in (("tic_tac_toe", True), ("connect_four", False)):
        file.write_text(game_files()[name].read_text())
        game = load_game(str(file), compiled=False)
        if ok:
            open_run(game, tmp_path / "run", Wish(), lambda config: None)[0].close()
            continue
        with pytest.raises(UserError, match="was made with other rules"):
            open_run(game, tmp_path / "run", Wish(), lambda config: None)


def test_what_the_check_refuses_is_never_made(tmp_path: Path) -> None:
    def refuse(config: object) -> None:
        raise UserError("no")

    game = load_game("tic_tac_toe", compiled=False)
    with pytest.raises(UserError, match="no"):
        open_run(game, tmp_path / "run", Wish(), refuse)
    assert not (tmp_path / "run").exists()
