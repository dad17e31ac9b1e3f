"""A run whose writer is killed at any moment is whole, and loses nothing committed."""

import shutil
import time
from collections.abc import Callable, Iterator
from functools import partial
from itertools import count
from multiprocessing.connection import Connection
from pathlib import Path

import pytest

from faults import kills
from faults.dying import (
    AtLine,
    commit_and_die,
    commit_forever,
    create_and_die,
    die,
    kill_at_line,
)
from faults.kept import Unhurt, commit_next
from faults.made_runs import CONFIG, FACTS, commit, make_game, make_run
from faults.processes import end, start_telling
from ludens.store.guard import has_writer
from ludens.store.run import Run


@pytest.fixture(scope="module")
def unhurt(tmp_path_factory: pytest.TempPathFactory) -> Unhurt:
    """Return a run that was never killed."""
    return Unhurt(tmp_path_factory.mktemp("unhurt") / "run")


def test_kill_9_at_random_moments_loses_nothing() -> None:
    assert kills.run(20, seed=4).failures == []


def boast(folder: Path, told: Connection) -> None:
    """Tell of a commit before it is made."""
    with Run.start(folder, CONFIG, FACTS) as run:
        told.send(1)
        time.sleep(60)
        commit_next(run)


def tear(folder: Path, told: Connection) -> None:
    """Commit games in the place of others."""
    with make_run(folder) as run:
        run.commit_games(1, [make_game(7)], [], {"a": 1.5})
    told.send(1)
    time.sleep(60)


@pytest.mark.parametrize("writer", [boast, tear])
def test_what_is_lost_or_torn_is_a_failure(writer: kills.Writer) -> None:
    [failure] = kills.run(1, seed=1, writer=writer).failures
    assert "commits were told of" in failure or "is not as committed" in failure


def test_a_run_whose_writer_was_killed_has_none(tmp_path: Path) -> None:
    process, reader = start_telling(commit_forever, tmp_path / "run")
    assert [reader.recv(), reader.recv()] == [0, 0]
    assert has_writer(tmp_path / "run")
    process.kill()
    end(process)
    reader.close()
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
    copies: Iterator[Path], unhurt: Unhurt
) -> None:
    """All of the games or none of them, then all of the net or nothing of it."""
    with Run.open(next(copies), write=True) as run:
        lines = lines_of(lambda: commit(run, 7), 25)
    seen = set()
    for folder, line in zip(copies, lines, strict=False):
        kill_at_line(commit_and_die, folder, line)
        seen.add(unhurt.check(folder))
    assert seen == {12, 13, 14}


def test_kill_9_while_a_run_is_made_leaves_one_to_start(
    tmp_path: Path, unhurt: Unhurt
) -> None:
    for line in lines_of(lambda: make_run(tmp_path / "0").close(), 12):
        folder = tmp_path / str(line)
        kill_at_line(create_and_die, folder, line)
        Run.start(folder, CONFIG, FACTS).close()
        assert unhurt.check(folder) == 0


# Python cannot close a file if it is interrupted between opening and naming it.
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_ctrl_c_within_a_commit_keeps_all_or_nothing(
    copies: Iterator[Path], unhurt: Unhurt
) -> None:
    def interrupt() -> None:
        raise KeyboardInterrupt

    with Run.open(next(copies), write=True) as run:
        lines = lines_of(lambda: commit(run, 7), 25)
    seen = set()
    for folder, line in zip(copies, lines, strict=False):
        with Run.open(folder, write=True) as run, pytest.raises(KeyboardInterrupt):
            AtLine(line, interrupt).run(partial(commit, run, 7))
        seen.add(unhurt.check(folder))
    assert seen == {12, 13, 14}
