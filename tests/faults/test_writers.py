"""Of two who want to write a run at the same moment, one does."""

import time
from multiprocessing.connection import Connection
from pathlib import Path

from faults import writers
from ludens.store import guard
from ludens.store.run import Run


def test_two_writers_are_never_two() -> None:
    assert writers.run(9, seed=1).failures == []


def meet(run: Run) -> None:
    """Hold a run until the other one has tried."""
    while not run.folder.with_name("met").exists():
        time.sleep(0.001)


def write_without_a_lock(folder: Path, at_s: float, told: Connection) -> None:
    """Write a run whether or not somebody else does."""
    guard._lock = lambda handle, is_writer: None
    writers.commit_next = meet
    writers.write_once(folder, at_s, told)
    folder.with_name("met").touch()


def say_nothing_useful(folder: Path, at_s: float, told: Connection) -> None:
    """Fail with other words than those for who comes second."""
    for words in ("ready", "disk I/O error"):
        told.send(words)


def test_two_at_the_same_time_and_misleading_words_are_failures() -> None:
    for planted in (write_without_a_lock, say_nothing_useful):
        assert writers.run(3, seed=1, writer=planted).failures
