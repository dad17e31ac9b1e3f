"""A training whose disk is full waits, says so once, and goes on by itself."""

import errno
import os
import resource
from collections.abc import Callable
from pathlib import Path

import pytest
from small_trainings import Witness, begin, load, open_tiny, train_tiny

from faults.sessions import contents
from ludens.errors import NoRoom
from ludens.store.run import Run
from ludens.training import waiting

WAITS = "waiting; goes on when there is room"


class FullDisk:
    """A disk that is full for some tries, as the store sees it through `os.fsync`."""

    def __init__(self, number: int, tries: int) -> None:
        self._whole = os.fsync
        self._number = number
        self.left = tries

    def fsync(self, handle: int) -> None:
        if self.left > 0:
            self.left -= 1
            raise OSError(self._number, os.strerror(self._number))
        self._whole(handle)


@pytest.fixture
def full_disk(monkeypatch: pytest.MonkeyPatch) -> Callable[[int, int], FullDisk]:
    """Return what fills the disk for some tries."""
    monkeypatch.setattr(waiting, "PAUSE_S", 0.001)

    def fill(number: int, tries: int) -> FullDisk:
        disk = FullDisk(number, tries)
        monkeypatch.setattr(os, "fsync", disk.fsync)
        return disk

    return fill


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EDQUOT])
def test_where_room_comes_back_training_goes_on_by_itself(
    tmp_path: Path, full_disk: Callable[[int, int], FullDisk], number: int
) -> None:
    train_tiny(tmp_path / "unhurt" / "run", "tic_tac_toe", 1)
    witness = Witness()
    with open_tiny(
        tmp_path / "run", load("tic_tac_toe"), ["budget.iterations=1"]
    ) as run:
        training = begin(run, witness)
        disk = full_disk(number, 3)
        training.train()
    assert disk.left == 0
    assert [line.partition(": ")[2] for line in witness.said[:1]] == [
        f"{os.strerror(number)}: {WAITS}"
    ]
    assert [line.startswith("there is room again") for line in witness.said[1:]] == [
        True
    ]
    assert contents(tmp_path / "run") == contents(tmp_path / "unhurt" / "run")


def test_who_waits_for_room_can_be_stopped(
    tmp_path: Path, full_disk: Callable[[int, int], FullDisk]
) -> None:
    witness = Witness()
    with open_tiny(tmp_path / "run", load("tic_tac_toe")) as run:
        training = begin(run, witness, should_stop=lambda: bool(witness.said))
        full_disk(errno.ENOSPC, 10**6)
        training.train()
        assert WAITS in witness.said[-1]
        assert run.newest_iteration == 0
        assert run.pending() is not None


def test_other_faults_are_not_waited_for(
    tmp_path: Path, full_disk: Callable[[int, int], FullDisk]
) -> None:
    with open_tiny(tmp_path / "run", load("tic_tac_toe")) as run:
        training = begin(run)
        full_disk(errno.EIO, 1)
        with pytest.raises(ValueError, match=r"Input/output error$"):
            training.train()


def test_no_room_for_the_log_stops_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with open_tiny(tmp_path / "run", load("tic_tac_toe")) as run:
        monkeypatch.setattr("ludens.store.run.append_text", refuse)
        run.log("a line")


def test_half_a_line_of_the_log_is_taken_back(tmp_path: Path) -> None:
    with open_tiny(tmp_path / "run", load("tic_tac_toe")) as run:
        run.log("a line")
        before = (run.folder / "log.txt").read_bytes()
        soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
        resource.setrlimit(resource.RLIMIT_FSIZE, (len(before) + 30, hard))
        try:
            with pytest.raises(ValueError, match="too large"):
                run.log("a longer line" * 9)
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
        assert (run.folder / "log.txt").read_bytes() == before


def test_a_full_database_is_a_lack_of_room(tmp_path: Path) -> None:
    with open_tiny(tmp_path / "run", load("tic_tac_toe")) as run:
        run.base.execute("PRAGMA max_page_count = 1")  # as many as there are now
        with pytest.raises(NoRoom, match=r"database or disk is full$"):
            run.save_config("#" * 100_000)


def test_the_time_of_waiting_is_not_counted(tmp_path: Path) -> None:
    with open_tiny(tmp_path / "run", load("tic_tac_toe")) as run:
        run._began_s -= 1000
        run.leave_out(1000)
        run.commit_games(1, [], [], {})
    with Run.open(tmp_path / "run") as run:
        pending = run.pending()
        assert pending is not None
        assert pending.seconds < 500
