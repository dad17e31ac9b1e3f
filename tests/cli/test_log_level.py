"""How much is said: levels, and that results are always printed."""

from pathlib import Path
from typing import Any

import pytest
from typer.main import get_command

from ludens import log
from ludens.cli import app
from ludens.errors import UserError

SETS = (
    "net.blocks=1 net.channels=8 search.sims=2 selfplay.positions=40 selfplay.games=2"
    " selfplay.threads=1 learn.batch_size=4 learn.uses=1 evaluate.every=0"
    " evaluate.solved_positions=8"
)
ALONE = Path(__file__).parents[1] / "search" / "guessing.py"
TRAIN = [word for one in SETS.split() for word in ("--set", one)]


def commands(group: Any) -> list[Any]:
    found = []
    for one in group.commands.values():
        found += commands(one) if hasattr(one, "commands") else [one]
    return found


def test_every_command_has_the_option() -> None:
    for one in commands(get_command(app)):
        names = [name for parameter in one.params for name in parameter.opts]
        assert "--log-level" in names, one.name


@pytest.fixture
def train(ludens: Any, tmp_path: Path) -> Any:
    """Return a function that trains an iteration and returns what was printed."""

    def run(name: str, *words: str) -> tuple[str, str]:
        folder = tmp_path / name
        given = ["--run", folder, "--iterations", 1, *TRAIN, *words]
        ran = ludens("train", ALONE, *given)
        assert ran.code == 0, ran.err
        return ran.out + ran.err, (folder / "log.txt").read_text()

    return run


def test_errors_alone_leave_the_result(train: Any) -> None:
    said, logged = train("run", "--log-level", "error")
    titles = [line[:10].strip() for line in said.splitlines()]
    assert titles == ["result", "play", "go on"]
    assert " info    solving 8 positions" in logged


def test_a_warning_is_heard_without_the_rest(train: Any, monkeypatch: Any) -> None:
    monkeypatch.setattr("ludens.training.loop.why_absurd", lambda *_: "it is a test")
    for level, is_heard in (("warning", True), ("error", False)):
        monkeypatch.setenv("LUDENS_LOG", level)
        said, logged = train(level)
        assert ("net 1 is not published: it is a test" in said) == is_heard
        assert "solving" not in said
        assert " warning net 1 is not published" in logged


def test_debug_says_how_an_iteration_stands(train: Any) -> None:
    said, logged = train("run", "--log-level", "debug")
    assert "iteration 1, learning, loss" in said
    assert " debug   iteration 1, learning, loss" in logged
    assert "solving 8 positions" in said


def test_debug_says_where_a_mistake_showed(ludens: Any, monkeypatch: Any) -> None:
    ran = ludens("games", "chess", "--log-level", "debug")
    assert ran.code == 2
    assert "Traceback" in ran.err
    assert "Traceback" not in ludens("games", "chess").err
    monkeypatch.setenv("LUDENS_LOG", "loud")
    ran = ludens("games")
    assert ran.code == 2
    assert (
        ran.err
        == "ludens: LUDENS_LOG cannot be 'loud'; it is debug, info, warning or error\n"
    )


def test_a_level_holds_for_a_block_and_is_the_usual_one_outside(monkeypatch) -> None:
    monkeypatch.delenv("LUDENS_LOG", raising=False)
    with log.speaking(log.read_level("error")):
        assert not log.is_said("warning")
    assert log.is_said("info")
    assert not log.is_said("debug")
    with pytest.raises(UserError, match="did you mean 'warning'"):
        log.read_level("warn")
