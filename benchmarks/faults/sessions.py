"""Small trainings in processes of their own that begin at once."""

import hashlib
import os
import resource
import signal
import sqlite3
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

from .processes import start

TINY = (
    *("net.blocks=1", "net.channels=8", "net.hidden=8"),
    *("search.sims=8", "selfplay.positions=150", "selfplay.games=8"),
    *("selfplay.threads=1", "learn.batch_size=32", "learn.uses=2"),
    *("evaluate.every=2", "evaluate.games=4", "evaluate.sims=8"),
    *("evaluate.mcts_sims=8", "evaluate.earlier=1", "evaluate.solved_positions=8"),
)
"""Settings with which an iteration takes a moment."""
PATIENCE_S = 120.0
"""A machine may be busy."""


def arguments_for(folder: Path, *more: object, game: str = "tic_tac_toe") -> list[str]:
    """Return the arguments of a small training in a folder."""
    sets = [word for setting in TINY for word in ("--set", setting)]
    return ["train", game, "--run", str(folder), *sets, *map(str, more)]


class Process:
    """The command `ludens` in a process of its own, its output in a file."""

    def __init__(
        self,
        arguments: Sequence[str],
        output: Path,
        file_size: int = -1,
        is_graded: bool = False,
        run: Callable[..., None] | None = None,
    ) -> None:
        self._output = output
        words = list(arguments)
        how = (words, output, file_size, is_graded)
        self._process = start(run or run_command, *how)

    def __enter__(self) -> "Process":
        return self

    def __exit__(self, *_: object) -> None:
        self._process.kill()
        self._process.join()
        self._process.close()

    @property
    def pid(self) -> int:
        """The number of the process."""
        return int(self._process.pid)

    @property
    def out(self) -> str:
        """What was printed so far, errors included."""
        return self._output.read_text() if self._output.exists() else ""

    def wait_for(self, text: str) -> bool:
        """Wait until a text was printed or the process has ended."""
        deadline = time.monotonic() + PATIENCE_S
        while text not in self.out and self._process.is_alive():
            assert time.monotonic() < deadline, self.out
            time.sleep(0.01)
        return text in self.out

    def send(self, number: int) -> None:
        """Send a signal."""
        assert self._process.is_alive(), self.out
        os.kill(self._process.pid, number)

    def end(self) -> int:
        """Wait for the end; return the exit code, for a signal one below zero."""
        self._process.join(PATIENCE_S)
        assert self._process.exitcode is not None, self.out
        return int(self._process.exitcode)


def run_command(
    arguments: list[str], output: Path, file_size: int = -1, is_graded: bool = False
) -> None:
    """Run the command; no file may grow beyond a size, if one is given.

    To grade the net in all positions takes longer than a small training.
    """
    from ludens.cli import main, outcome

    if not is_graded:
        outcome.MOST_POSITIONS = 0
    handle = os.open(output, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    for stream in (1, 2):
        os.dup2(handle, stream)
    sys.stdout = os.fdopen(1, "w", closefd=False)
    sys.stderr = os.fdopen(2, "w", closefd=False)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    _, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (file_size, hard))
    main(arguments)


def contents(folder: Path) -> dict[str, Any]:
    """Return all that a run has learned and played, but for times."""
    with closing(sqlite3.connect(folder / "games.sqlite")) as base:
        tables = {
            "games": base.execute("SELECT * FROM games ORDER BY number").fetchall(),
            "unfinished": base.execute("SELECT * FROM unfinished").fetchall(),
            "files": base.execute(
                "SELECT number, net_sha256, state_sha256 FROM iterations"
            ).fetchall(),
        }
    nets = {
        path.name: hashlib.sha256(path.read_bytes()).hexdigest()
        for path in (folder / "nets").iterdir()
    }
    return tables | {"nets": nets}
