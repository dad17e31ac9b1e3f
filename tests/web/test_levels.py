"""Levels of strength: those that a game's file has, else the usual ones."""

from pathlib import Path

from ludens.loading.game import game_files, load_game
from ludens.web.levels import ANY_GAME, levels_of


def agents(spec: str) -> dict[str, float | None]:
    levels = levels_of(load_game(spec))
    return {level["agent"]: level["elo"] for level in levels}


def test_measured_levels_are_for_the_options_they_were_measured_with() -> None:
    assert agents("gomoku:size=9")["mcts:sims=1000"] == 718
    assert set(agents("gomoku").values()) == {None}
    assert set(agents("gomoku:size=9,rule=renju").values()) == {None}


def test_nets_are_levels_only_where_one_ships() -> None:
    assert list(agents("triangle")) == list(ANY_GAME)
    assert "net:sims=64" in agents("connect_four")
    assert not any(agent.startswith("net") for agent in agents("connect_four:rows=5"))


def test_a_game_file_brings_its_own_levels(tmp_path: Path) -> None:
    text = game_files()["connect_four"].read_text(encoding="utf-8")
    levels = {"": {"random": -500, "net:sims=8": 0}, "rows=5": {"greedy": 10}}
    file = tmp_path / "my_game.py"
    file.write_text(f"{text}\nLEVELS = {levels}\n", encoding="utf-8")
    assert agents(str(file)) == {"random": -500}
    assert agents(f"{file}:rows=5") == {"greedy": 10}
    assert "mcts:sims=10" in agents(f"{file}:rows=4")
