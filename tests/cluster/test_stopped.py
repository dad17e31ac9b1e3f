"""A training on a real Ray that is stopped or killed leaves nothing and goes on."""

import signal
from collections.abc import Callable
from pathlib import Path

import pytest

from cluster.commands import interrupt
from cluster.places import pids_of, processes, wait_until_gone
from faults.sessions import PATIENCE_S, Process, arguments_for, contents

SETS = (
    *("selfplay.shares=2", "selfplay.positions=60", "evaluate.every=1"),
    *("evaluate.solved_positions=0", "evaluate.games=2", "evaluate.earlier=0"),
    "cluster.lag=1",
)
STOPS = (
    (signal.SIGTERM, "examine 1", 128 + signal.SIGTERM),
    (signal.SIGINT, "learn 2", 128 + signal.SIGINT),
    (signal.SIGKILL, "play 3", -signal.SIGKILL),
)


@pytest.fixture
def words_for(
    head: str, head_folder: str, monkeypatch: pytest.MonkeyPatch
) -> Callable[..., list[str]]:
    """Return what tells the arguments of a small training, of three iterations."""
    # Set for the session, too, but a test before may have taken it back.
    monkeypatch.setenv("LUDENS_TOKEN", f"{head_folder}/token")
    sets = [word for one in SETS for word in ("--set", one)]
    more = ("--iterations", 3, "--precision", "f32", *sets)
    return lambda run, *others: arguments_for(run, *more, *others)


def test_a_run_that_is_stopped_and_killed_goes_on_to_the_bytes_of_threads(
    head: str, words_for: Callable[..., list[str]], tmp_path: Path
) -> None:
    there, here = tmp_path / "there" / "run", tmp_path / "here" / "run"
    on_cluster = ("--cluster", head, "--workers", 1, "--set", "cluster.threads=1")
    before = workers_here()
    for number, when, code in STOPS:
        log = tmp_path / f"{number.name}.log"
        ended = interrupt(words_for(there, *on_cluster), log, number, when)
        assert ended.code == code
        assert ended.num_processes >= 1  # the bridge
        assert ended.left_s is not None
        new = sorted(workers_here() - before)
        assert wait_until_gone(new, PATIENCE_S) is not None
    for run in (there, here):
        with Process(words_for(run), tmp_path / "log") as process:
            assert process.end() == 0, process.out
    assert contents(there) == contents(here)


def workers_here() -> set[int]:
    """Return the workers of the cluster of these tests, whoever they are for."""
    return {*processes()} & {*pids_of("ray::Worker")}
