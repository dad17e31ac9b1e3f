"""What a made-up run holds, and what one that nobody hurt would hold."""

from dataclasses import replace
from pathlib import Path
from typing import Any

from ludens.store.run import Run

from .made_runs import commit, commit_games, make_run

_OF_TABLES = {
    "games": "SELECT * FROM games",
    "unfinished": "SELECT * FROM unfinished",
    "pending": "SELECT number, metrics FROM pending",
    "iterations": (
        "SELECT number, metrics, net_file, net_sha256, state_file, state_sha256"
        " FROM iterations"
    ),
    "facts": "SELECT * FROM facts WHERE key IN ('config', 'head')",
    "checksums": "SELECT * FROM checksums WHERE part IN ('games', 'unfinished')",
}
_BESIDES = ("games.sqlite", "games.sqlite-journal", "lock")
"""Of a transaction that never began to change the database SQLite leaves a journal."""


def contents(folder: Path) -> dict[str, Any]:
    """Return all that a run holds, but for times; it must be whole."""
    with Run.open(folder, write=True) as run:
        tables: dict[str, Any] = {k: run._rows(sql) for k, sql in _OF_TABLES.items()}
        tables["tallies"] = [replace(tally, seconds=0) for tally in run.tallies()]
        last = run.last()
        if last is not None:
            assert (last.iteration, last.notes) == (run.newest_iteration, ())
        assert run.damage == [], run.damage[0]
    files = [path for path in folder.rglob("*") if path.is_file()]
    names = {path.relative_to(folder).as_posix(): path for path in files}
    kept = {name: path for name, path in names.items() if name not in _BESIDES}
    return tables | {name: path.read_bytes() for name, path in kept.items()}


def num_commits(run: Run) -> int:
    """Return how often a run was committed to: twice an iteration."""
    return 2 * (run.newest_iteration or 0) + (run.pending() is not None)


def count_commits(folder: Path) -> int:
    """Return how often the run of a folder was committed to."""
    with Run.open(folder) as run:
        return num_commits(run)


def commit_next(run: Run) -> None:
    """Commit games, or the net if there are games without one."""
    iteration, is_half = divmod(num_commits(run), 2)
    (commit if is_half else commit_games)(run, iteration + 1)


class Unhurt:
    """A run that nobody hurts, and what it held after each commit."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        make_run(folder).close()
        self._known = [contents(folder)]

    def after(self, commits: int) -> dict[str, Any]:
        """Return what a run holds after so many commits."""
        while len(self._known) <= commits:
            with Run.open(self.folder, write=True) as run:
                while num_commits(run) < len(self._known):
                    commit_next(run)
            self._known.append(contents(self.folder))
        return self._known[commits]

    def check(self, folder: Path) -> int:
        """Check that a run is as this one was; return how often it was committed to."""
        commits = count_commits(folder)
        found, wanted = contents(folder), self.after(commits)
        for name in found.keys() | wanted.keys():
            assert found.get(name) == wanted.get(name), f"{name} is not as committed"
        return commits
