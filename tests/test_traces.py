"""Commands write into their own folders only, and open no socket that nobody wants."""

import os
import re
import signal
import subprocess
import sys
import urllib.request
from pathlib import Path

import pytest

WATCH = """
import os, sys
log = os.open(os.environ["WATCHED"], os.O_WRONLY | os.O_APPEND | os.O_CREAT)
def watch(event, args):
    if event == "open" and (not isinstance(args[0], (str, bytes)) or not (
        (args[2] or 0) & (os.O_WRONLY | os.O_RDWR | os.O_CREAT))):
        return
    if event in ("open", "os.mkdir", "os.rename"):
        place = os.path.abspath(os.fsdecode(args[1 if event == "os.rename" else 0]))
        os.write(log, f"write {place}\\n".encode())
    elif event in ("socket.bind", "socket.connect", "socket.getaddrinfo"):
        os.write(log, f"{event} {args[-1 if event != 'socket.getaddrinfo' else 0]}\\n"
            .encode())
    elif event in ("subprocess.Popen", "os.posix_spawn", "os.fork", "os.system"):
        os.write(log, f"process {args}\\n".encode())
sys.addaudithook(watch)
"""
"""Sees what Python does; libraries written in C are seen by what they leave behind."""
TINY = (
    "net.blocks=1 net.channels=8 search.sims=2 selfplay.positions=2 selfplay.games=2"
    " selfplay.threads=1 learn.batch_size=2 learn.uses=1 evaluate.every=0"
    " evaluate.solved_positions=0"
)
SETS = " ".join(f"--set {setting}" for setting in TINY.split())
COMMANDS = (
    "analyse tic_tac_toe --agent net:sims=4",
    f"train connect_four --iterations 1 --track tensorboard,mlflow {SETS}",
    "report connect_four",
    "match net:sims=2 policy --game tic_tac_toe --games 2 --save games",
)
RUN = """
import sys
from ludens.cli import run
print([run(words.split()) for words in sys.argv[1:]])
assert "torch._dynamo" not in sys.modules  # a compiler: it takes a second to load
"""


class Watched:
    """A home of its own for commands, and what they did."""

    def __init__(self, folder: Path) -> None:
        self.home, self.here, self.temp = (folder / n for n in ("home", "here", "temp"))
        for place in (self.home, self.here, self.temp):
            place.mkdir()
        (folder / "watch").mkdir()
        (folder / "watch" / "sitecustomize.py").write_text(WATCH)
        self._log = folder / "log"
        path = f"{folder / 'watch'}{os.pathsep}{os.environ.get('PYTHONPATH', '')}"
        kept = {
            k: v
            for k, v in os.environ.items()
            if not k.startswith(("LUDENS", "TORCH", "XDG"))
        }
        self.environment = kept | {
            "HOME": str(self.home),
            "TMPDIR": str(self.temp),
            "PYTHONPATH": path,
            "PYTHONDONTWRITEBYTECODE": "1",
            "WATCHED": str(self._log),
            "LUDENS_COMPILE": "0",
        }

    def start(self, *words: str) -> "subprocess.Popen[str]":
        """Start Python in the folder of the user."""
        return subprocess.Popen(
            [sys.executable, *words],
            cwd=self.here,
            env=self.environment,
            text=True,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
        )

    def strange(self, *allowed: str) -> list[str]:
        """Return all that was done, but for what is allowed."""
        ours = [self.home / ".cache" / "ludens", self.home / ".local/share/ludens"]
        places = [*map(str, (*ours, self.here, self.temp)), os.devnull]
        above = [str(place) for folder in ours for place in folder.parents]
        known = [f"write {re.escape(place)}(/.*)?" for place in places]
        known += [f"write {re.escape(place)}" for place in above]
        kinds = re.compile("|".join([*known, *allowed]))
        done = self._log.read_text().splitlines()
        assert done
        return [line for line in done if not kinds.fullmatch(line)]

    def homely(self) -> set[str]:
        """Return the folders in the user's home."""
        return {str(p.relative_to(self.home)) for p in self.home.glob("*")} | {
            str(p.relative_to(self.home)) for p in self.home.glob(".local/share/*")
        }


@pytest.fixture
def watched(tmp_path: Path) -> Watched:
    return Watched(tmp_path)


def test_playing_and_training_leave_no_trace_elsewhere(watched: Watched) -> None:
    with watched.start("-c", RUN, *COMMANDS) as process:
        out, _ = process.communicate(timeout=300)
    assert out.endswith(f"{[0] * len(COMMANDS)}\n"), out
    # urllib3, which MLflow needs, looks whether there is IPv6; platform asks uname.
    mine = (r"socket\.bind \('::1', 0\)", r"process .*'uname', '-p'.*")
    assert watched.strange(*mine) == []
    assert watched.homely() == {".local", ".local/share/ludens"}


def test_the_page_listens_where_it_says_and_nowhere_else(watched: Watched) -> None:
    with watched.start("-m", "ludens", "web", "--no-open", "--port", "0") as process:
        assert process.stdout is not None
        address = re.search(r"http://\S+", process.stdout.readline())
        assert address is not None
        urllib.request.urlopen(address[0]).close()
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=300)
    assert watched.strange(r"socket\.bind \('127\.0\.0\.1', 0\)") == []
    assert watched.homely() == set()
