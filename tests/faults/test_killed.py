"""A run whose writer is killed at any moment is whole, and loses nothing committed."""

import random
import shutil
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from faults.dying import (
    AtLine,
    commit_and_die,
    commit_forever,
    create_and_die,
    die,
    kill_at_line,
    start,
    watch,
)
from faults.made_runs import CONFIG, FACTS, commit, commit_games, make_run
from ludens.store.lock import has_writer
from ludens.store.run import Run


def contents(folder: Path) -> dict[str, Any]:
    """Return all that a run holds, but for times."""
    with Run.open(folder, write=True) as run:
        tables = {
            "games": run._rows("SELECT * FROM games"),
            "unfinished": run._rows("SELECT * FROM unfinished"),
            "pending": run._rows("SELECT number, metrics FROM pending"),
            "iterations": run._rows(
                "SELECT number, metrics, net_file, net_sha256, state_file, state_sha256"
                " FROM iterations"
            ),
            "facts": run._rows("SELECT * FROM facts WHERE key IN ('config', 'head')"),
            "checksums": run._rows(
                "SELECT * FROM checksums WHERE part IN ('games', 'unfinished')"
            ),
            "tallies": [replace(tally, seconds=0) for tally in run.tallies()],
        }
        last = run.last()
        assert last is None or (last.iteration, last.notes) == (
            run.newest_iteration,
            (),
        )
        assert run.damage == []
    files = [path for path in folder.rglob("*") if path.is_file()]
    names = {path.relative_to(folder).as_posix(): path for path in files}
    # Of a transaction that never began to change the database SQLite leaves a journal.
    for name in ("games.sqlite", "games.sqlite-journal", "lock"):
        names.pop(name, None)
    return tables | {name: path.read_bytes() for name, path in names.items()}


@pytest.fixture(scope="module")
def unhurt(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """Return what a run that was never killed holds after so many commits."""
    folder = tmp_path_factory.mktemp("unhurt") / "run"
    make_run(folder).close()
    known = [contents(folder)]

    def after(num_commits: int) -> dict[str, Any]:
        while len(known) <= num_commits:
            with Run.open(folder, write=True) as run:
                iteration, is_half = divmod(len(known), 2)
                (commit_games if is_half else commit)(run, iteration + is_half)
            known.append(contents(folder))
        return known[num_commits]

    return after


def num_commits(folder: Path) -> int:
    """Return how often a run was committed to: twice an iteration."""
    with Run.open(folder) as run:
        return 2 * (run.newest_iteration or 0) + (run.pending() is not None)


def test_kill_9_at_random_moments_loses_nothing(tmp_path: Path, unhurt: Any) -> None:
    folder, moments = tmp_path / "run", random.Random(4)
    before = kills = 0
    while kills < 20 or before < 10:  # a busy machine commits less between kills
        reader, writer = watch()
        process = start(commit_forever, folder, writer)
        assert reader.recv() == "open"
        time.sleep(moments.uniform(0, 0.15))
        process.kill()
        process.join()
        process.close()
        after = num_commits(folder)
        assert after >= before
        assert contents(folder) == unhurt(after)
        before, kills = after, kills + 1


def test_a_run_whose_writer_was_killed_has_none(tmp_path: Path) -> None:
    reader, writer = watch()
    process = start(commit_forever, tmp_path / "run", writer)
    assert reader.recv() == "open"
    assert has_writer(tmp_path / "run")
    process.kill()
    process.join()
    process.close()
    assert not has_writer(tmp_path / "run")


def lines_of(do: Callable[[], object], num_wanted: int) -> list[int]:
    """Return moments spread over all the lines that the store runs to do something."""
    counter = AtLine(0, die)  # never: it counts down from 0
    counter.run(do)
    return [1 - counter.left * i // num_wanted for i in range(num_wanted)]


@pytest.fixture
def copies(tmp_path: Path) -> Iterator[Path]:
    """Give folders with runs of six iterations, each alike."""
    make_run(tmp_path / "run", 6).close()
    return (
        Path(shutil.copytree(tmp_path / "run", tmp_path / str(number)))
        for number in count()
    )


def test_kill_9_within_a_commit_keeps_all_or_nothing(
    copies: Iterator[Path], unhurt: Any
) -> None:
    """All of the games or none of them, then all of the net or nothing of it."""
    with Run.open(next(copies), write=True) as run:
        lines = lines_of(lambda: commit(run, 7), 25)
    seen = set()
    for folder, line in zip(copies, lines, strict=False):
        kill_at_line(commit_and_die, folder, line)
        seen.add(num_commits(folder))
        assert contents(folder) == unhurt(num_commits(folder))
    assert seen == {12, 13, 14}


def test_kill_9_while_a_run_is_made_leaves_one_to_start(
    tmp_path: Path, unhurt: Any
) -> None:
    for line in lines_of(lambda: make_run(tmp_path / "0").close(), 12):
        folder = tmp_path / str(line)
        kill_at_line(create_and_die, folder, line)
        Run.start(folder, CONFIG, FACTS).close()
        assert contents(folder) == unhurt(0)


# Python cannot close a file if it is interrupted between opening and naming it.
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_ctrl_c_within_a_commit_keeps_all_or_nothing(
    copies: Iterator[Path], unhurt: Any
) -> None:
    def interrupt() -> None:
        raise KeyboardInterrupt

    with Run.open(next(copies), write=True) as run:
        lines = lines_of(lambda: commit(run, 7), 25)
    seen = set()
    for folder, line in zip(copies, lines, strict=False):
        with Run.open(folder, write=True) as run, pytest.raises(KeyboardInterrupt):
            AtLine(line, interrupt).run(partial(commit, run, 7))
        seen.add(num_commits(folder))
        assert contents(folder) == unhurt(num_commits(folder))
    assert seen == {12, 13, 14}
