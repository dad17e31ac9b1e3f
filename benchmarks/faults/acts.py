"""What users do to a run and its files, each once, and how to tell that all is well."""

import atexit
import io
import os
import shutil
from collections.abc import Callable, Mapping
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Protocol

from ludens import cli
from ludens.errors import UserError
from ludens.formats.record import load_record
from ludens.store.run import Run

from .kept import Unhurt, commit_next, num_commits
from .made_runs import CONFIG, FACTS

_NOWHERE = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115  # before calls fail
atexit.register(_NOWHERE.close)


class Act(Protocol):
    """Something that is done in a folder, once; it may fail with a UserError."""

    def prepare(self, folder: Path) -> None:
        """Make what the act begins with."""

    def do(self, folder: Path) -> None:
        """Do it."""

    def check(self, folder: Path, unhurt: Unhurt, is_done: bool) -> None:
        """Check that it is done, or not begun, or half done and whole."""


@dataclass(frozen=True)
class OnRun(Act):
    """Something that is done to a made-up run."""

    commits: int
    """That the run has had before."""
    work: Callable[[Path], None]
    adds: int = 0
    """Commits that it makes."""

    def prepare(self, folder: Path) -> None:
        """Make a run with so many commits."""
        with Run.create(folder / "run", CONFIG, FACTS) as run:
            for _ in range(self.commits):
                commit_next(run)

    def do(self, folder: Path) -> None:
        """Do it to the run."""
        self.work(folder / "run")

    def check(self, folder: Path, unhurt: Unhurt, is_done: bool) -> None:
        """Check that the run holds what was committed, and goes on."""
        page = folder / "run" / "report.html"
        if page.exists():
            assert page.read_text().rstrip().endswith("</html>"), "the page is torn"
            page.unlink()
        for draft in (folder / "run").glob(".report.html.*"):  # of one that was killed
            draft.unlink()
        Run.start(folder / "run", CONFIG, FACTS).close()
        commits = unhurt.check(folder / "run")
        wanted = {self.commits + self.adds} | (set() if is_done else {self.commits})
        assert commits in wanted, f"{commits} commits, {wanted} expected"


def create(folder: Path) -> None:
    """Make a run, if it is not there."""
    Run.start(folder, CONFIG, FACTS).close()


def iterate(folder: Path, commits: int) -> None:
    """Commit the next games, or the net that follows them, up to a number."""
    with Run.open(folder, write=True) as run:
        if num_commits(run) < commits:
            commit_next(run)


def resume(folder: Path) -> None:
    """Read what training goes on with."""
    with Run.open(folder, write=True, facts=FACTS) as run:
        run.last()
        list(run.games())
        run.unfinished()


def report(folder: Path) -> None:
    """Write the page of a run."""
    _command("report", str(folder))


class New(OnRun):
    """A run that is not there yet."""

    def prepare(self, folder: Path) -> None:
        """Leave the folder empty."""


class Match(Act):
    """A match whose games are saved."""

    def prepare(self, folder: Path) -> None:
        """Leave the folder empty."""

    def do(self, folder: Path) -> None:
        """Play two games."""
        words = "match random random --game tic_tac_toe --games 2 --threads 1 --save"
        shutil.rmtree(folder / "games", ignore_errors=True)
        _command(*words.split(), str(folder / "games"))

    def check(self, folder: Path, unhurt: Unhurt, is_done: bool) -> None:
        """Check that each game that is there is whole."""
        files = sorted((folder / "games").glob("game-*.json"))
        for file in files:
            load_record(file)
        assert len(files) == 2 or not is_done, f"{len(files)} games were saved"


def _command(*words: str) -> None:
    """Run a command as `ludens` does; its one line for a mistake is raised."""
    said = io.StringIO()
    with redirect_stdout(_NOWHERE), redirect_stderr(said):
        code = cli.run(words)
    if code:
        raise UserError(said.getvalue().strip() or f"exit code {code} without a word")


ACTS: Mapping[str, Act] = {
    "create": New(0, create),
    "commit games": OnRun(2, partial(iterate, commits=3), adds=1),
    "commit net": OnRun(3, partial(iterate, commits=4), adds=1),
    "resume": OnRun(3, resume),
    "report": OnRun(4, report),
    "match": Match(),
}
