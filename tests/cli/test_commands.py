"""Every command that we print, or that the docs show, works when it is pasted."""

import os
import re
import shlex
import shutil
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from pathlib import Path
from typing import Any

import pytest
from typer.main import get_command

from ludens.agents import AGENTS
from ludens.cli import app
from ludens.errors import command
from ludens.loading.game import load_game, parse_spec

ROOT = Path(__file__).parents[2]
GUESSING = Path(__file__).parents[1] / "search" / "guessing.py"
TINY = (
    "net.blocks=1 net.channels=8 search.sims=2 selfplay.positions=4 selfplay.games=2"
    " selfplay.threads=1 learn.batch_size=4 learn.uses=1 evaluate.every=0"
)
SETS = [word for setting in TINY.split() for word in ("--set", setting)]


def paste(ludens: Any, line: str) -> Any:
    """Run a line as a shell would take it apart."""
    program, *words = shlex.split(line)
    assert program == "ludens"
    return ludens(*words, lines="quit")


@pytest.mark.parametrize("run", ["", "another folder/one, two"])
def test_what_a_training_prints_can_be_pasted(ludens, tmp_path, monkeypatch, run):
    """A game for one, in a file of one's own, in a folder with spaces."""
    monkeypatch.setenv("LUDENS_RUNS", str(tmp_path / "runs"))
    monkeypatch.chdir(tmp_path)
    Path("my games").mkdir()
    shutil.copy(GUESSING, "my games/guess it.py")
    named = ["--run", run] if run else []
    train = ["train", "my games/guess it.py", "--iterations", 1, *named, *SETS]
    trained = ludens(*train)
    assert trained.code == 0, trained.err
    shown = ludens("show", run or "guess-it")
    again = ludens(*train)
    printed = trained.out + shown.out + again.out
    lines = set(
        re.findall(r"(?:^play|^go on| raise it:) +(.*)$", printed, re.MULTILINE)
    )
    assert [words.split()[1] for words in sorted(lines)] == ["play", "play", "train"]
    for line in lines:
        ran = paste(ludens, line)
        assert ran.code == 0, (line, ran.err)


def tracked(ludens: Any, home: Path, sink: str, monkeypatch: Any) -> list[str]:
    """Train with a sink; return the words of the line that opens it."""
    monkeypatch.setenv("LUDENS_HOME", str(home))
    monkeypatch.delenv("LUDENS_RUNS", raising=False)
    monkeypatch.delenv("MLFLOW_TRACKING_URI", raising=False)
    ran = ludens("train", GUESSING, "--iterations", 1, *SETS, "--track", sink)
    assert ran.code == 0, ran.err
    [line] = re.findall(r"^track +(.*)$", ran.out, re.MULTILINE)
    return shlex.split(line)


def test_tensorboard_opens_by_the_line_that_is_printed(ludens, tmp_path, monkeypatch):
    words = tracked(ludens, tmp_path / "my home", "tensorboard", monkeypatch)
    ran = subprocess.run([*words, "--inspect"], capture_output=True, text=True)
    assert ran.returncode == 0, ran.stderr
    assert "speed/evals_per_s" in ran.stdout


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:The ``noload`` loader strategy")  # MLflow's own
def test_mlflow_opens_by_the_line_that_is_printed(ludens, tmp_path, monkeypatch):
    """All is in one folder: the run, the store and its files."""
    home = tmp_path / "my home"
    words = tracked(ludens, home, "mlflow", monkeypatch)
    assert sorted(path.name for path in home.iterdir()) == [
        *("mlflow", "mlflow.db", "runs"),
    ]
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    server = subprocess.Popen([*words, "--port", str(port)], start_new_session=True)
    try:
        wait_for(f"http://127.0.0.1:{port}/health", server)
    finally:
        os.killpg(server.pid, signal.SIGTERM)
        server.wait()


def wait_for(address: str, server: subprocess.Popen[bytes]) -> None:
    """Ask a server until it answers; one that ends does not."""
    while server.poll() is None:
        try:
            with urllib.request.urlopen(address) as answer:
                assert answer.status == 200
                return
        except OSError:
            time.sleep(0.2)
    raise AssertionError("the server has ended")


def test_what_an_error_advises_can_be_pasted(ludens, tmp_path, monkeypatch):
    monkeypatch.setenv("LUDENS_RUNS", str(tmp_path))
    ran = ludens("nets", "connect_four:rows=5")
    _, advised = ran.err.strip().split("train one: ")
    assert parse(advised)["game"] == "connect_four:rows=5"


def test_commands_name_the_program_that_was_called(tmp_path, monkeypatch):
    for called, program in (
        (f"{tmp_path}/ludens/__main__.py", f"{sys.executable} -m ludens"),
        (".venv/bin/ludens", ".venv/bin/ludens"),
        (f"{tmp_path}/on the path/ludens", "ludens"),
        ("pytest", "ludens"),
    ):
        Path(tmp_path, "on the path").mkdir(exist_ok=True)
        found = Path(tmp_path, "on the path", "ludens")
        found.touch(0o755)
        Path(tmp_path, ".venv/bin").mkdir(parents=True, exist_ok=True)
        Path(tmp_path, ".venv/bin/ludens").touch(0o755)
        monkeypatch.chdir(tmp_path)
        monkeypatch.setenv("PATH", str(found.parent))
        monkeypatch.setattr(sys, "argv", [called])
        assert command("show", "a run") == f"{program} show 'a run'"


def parse(line: str) -> dict[str, Any]:
    """Return the arguments of a command, which must be ones that it has."""
    program, *words = shlex.split(line, comments=True)
    assert program == "ludens"
    verb: Any = get_command(app)
    context = verb.make_context("ludens", [], resilient_parsing=True)
    while hasattr(verb, "resolve_command"):
        name, verb, words = verb.resolve_command(context, words)
        context = verb.make_context(name, words, parent=context)
    return dict(context.params)


PAGES = [*ROOT.glob("*.md"), *ROOT.glob("docs/*.md")]
DOCS = "\n".join(page.read_text(encoding="utf-8") for page in PAGES)
SOURCES = [*ROOT.glob("src/ludens/**/*.py")]
CODE = "\n".join(file.read_text(encoding="utf-8") for file in SOURCES)
SHOWN = {
    *re.findall(r"^(?:\$ )?(ludens \w.*)$", DOCS.replace("\\\n", ""), re.MULTILINE),
    *re.findall(r"`(ludens \w+ [A-Z]+)`", CODE),
}
EXAMPLES = {"GAME": "tic_tac_toe", "RUN": "a_run", "FILE": "a.json"}


@pytest.mark.parametrize("line", sorted(SHOWN))
def test_what_docs_and_hints_show_is_understood(line):
    asked = parse(re.sub("|".join(EXAMPLES), lambda name: EXAMPLES[name[0]], line))
    game = asked.get("game")
    if game and not game.endswith((".py", ".json")):
        load_game(game, compiled=False)
    who = [asked.get(key) for key in ("first", "second", "agent", "vs")]
    for agent in filter(None, [*who, *(asked.get("agents") or ())]):
        name, settings = parse_spec(agent)
        assert settings.keys() <= AGENTS[name].options.keys()
