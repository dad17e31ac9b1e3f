"""Processes that write a run and are killed at a moment of our choice."""

import os
import signal
import sys
from collections.abc import Callable
from multiprocessing.connection import Connection
from pathlib import Path
from types import FrameType
from typing import Any

from ludens.store import run as run_module
from ludens.store.run import Run

from .kept import commit_next, num_commits
from .made_runs import CONFIG, FACTS, commit
from .processes import end, start

_WATCHED = (
    str(Path(run_module.__file__).parent),
    str(Path(run_module.__file__).parents[1] / "files.py"),
)


class AtLine:
    """Do something before the n-th line that the store runs."""

    def __init__(self, number: int, strike: Callable[[], None]) -> None:
        self.left = number
        self._strike = strike

    def __call__(self, frame: FrameType, event: str, _: Any) -> "AtLine | None":
        """Follow what Python runs, as sys.settrace wants it."""
        if not frame.f_code.co_filename.startswith(_WATCHED):
            return None
        if event == "line":
            self.left -= 1
            if self.left == 0:
                self._strike()
        return self

    def run(self, do: Callable[[], object]) -> None:
        """Do something, watched."""
        sys.settrace(self)
        try:
            do()
        finally:
            sys.settrace(None)


def die() -> None:
    """End as if by kill -9."""
    os.kill(os.getpid(), signal.SIGKILL)


def commit_forever(folder: Path, told: Connection) -> None:
    """Commit for ever, and tell how often; begin by telling a thing that is true."""
    told.send(0)
    with Run.start(folder, CONFIG, FACTS) as run:
        while True:
            told.send(num_commits(run))
            commit_next(run)


def commit_and_die(folder: Path, line: int) -> None:
    """Commit the next iteration, but be killed at a line of it."""
    with Run.start(folder, CONFIG, FACTS) as run:
        number = (run.newest_iteration or 0) + 1
        AtLine(line, die).run(lambda: commit(run, number))


def create_and_die(folder: Path, line: int) -> None:
    """Make a run, but be killed at a line of it."""
    AtLine(line, die).run(lambda: Run.create(folder, CONFIG, FACTS).close())


def kill_at_line(target: Callable[..., None], folder: Path, line: int) -> None:
    """Run one of the above until it is killed."""
    assert end(start(target, folder, line)) == -signal.SIGKILL
