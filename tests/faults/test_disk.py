"""A disk that is full or closed to us: one line, and nothing torn."""

import errno
import os
import resource
import shutil
import sqlite3
import stat
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from faults.made_runs import (
    CONFIG,
    FACTS,
    commit,
    commit_games,
    commit_iteration,
    make_game,
    make_net,
    make_run,
    make_state,
)
from ludens.errors import UserError
from ludens.store.run import Run

_NOBODY = 65534


@contextmanager
def files_of_at_most(num_bytes: int) -> Iterator[None]:
    """Let no file of this process grow beyond a size."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (num_bytes, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def check_whole(run: Run, iteration: int) -> None:
    """Check that a run ends with an iteration, and that the next can follow.

    The games of the next may be there already.
    """
    last = run.last()
    assert last is not None
    assert (last.iteration, last.notes) == (iteration, ())
    num_played = iteration + (run.pending() is not None)
    assert len(list(run.games())) == 10 * num_played
    files = sorted(path.name for path in (run.folder / "state").iterdir())
    assert files == [f"{n:06d}.safetensors" for n in (iteration - 1, iteration)]
    commit(run, iteration + 1)
    assert run.newest_iteration == iteration + 1


def test_no_room_for_the_checkpoint(tmp_path: Path) -> None:
    with make_run(tmp_path / "run", 2) as run:
        with (
            files_of_at_most(500),
            pytest.raises(UserError, match=r"^cannot write .*: "),
        ):
            run.commit_net(3, make_net(3), make_state(3), {})
        check_whole(run, 2)


def test_games_stay_if_there_is_no_room_for_the_checkpoint(tmp_path: Path) -> None:
    with make_run(tmp_path / "run", 2) as run:
        (run.folder / "nets" / f".000003.safetensors.{os.getpid()}").mkdir()
        with pytest.raises(UserError, match=r"^cannot write .*: "):
            commit(run, 3)
        pending = run.pending()
        assert pending is not None
        assert (pending.number, pending.games) == (3, 10)
        (run.folder / "nets" / f".000003.safetensors.{os.getpid()}").rmdir()
        check_whole(run, 2)


def test_no_room_for_the_games(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    with make_run(folder, 2) as run:
        size = (folder / "games.sqlite").stat().st_size
        games = [make_game(number) for number in range(1000, 3000)]
        with files_of_at_most(size + 4096), pytest.raises(UserError) as caught:
            commit_iteration(run, 3, games, [], None, None, {})
        assert str(caught.value).startswith(f"cannot write run {folder}: ")
        check_whole(run, 2)


def test_a_full_disk_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(_: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with make_run(tmp_path / "run", 2) as run:
        commit_games(run, 3)
        with monkeypatch.context() as patch:
            patch.setattr(os, "fsync", refuse)
            with pytest.raises(UserError, match=r"3.safetensors: No space left"):
                commit(run, 3)
        check_whole(run, 2)


def test_a_folder_that_is_not_synced_is_not_reported_as_done(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The rename may be lost with the power; the database must not name the file."""
    whole = os.fsync

    def refuse_folders(handle: int) -> None:
        if stat.S_ISDIR(os.fstat(handle).st_mode):
            raise OSError(errno.EIO, os.strerror(errno.EIO))
        whole(handle)

    with make_run(tmp_path / "run", 2) as run:
        commit_games(run, 3)
        with monkeypatch.context() as patch:
            patch.setattr(os, "fsync", refuse_folders)
            with pytest.raises(UserError, match=r"3.safetensors: Input/output error$"):
                commit(run, 3)
            with pytest.raises(UserError, match=r"cannot make run .*output error$"):
                make_run(tmp_path / "another")
        check_whole(run, 2)


def test_a_full_database_says_so(tmp_path: Path) -> None:
    with make_run(tmp_path / "run", 2) as run:
        run.base.execute("PRAGMA max_page_count = 1")  # as many as there are now
        games = [make_game(number) for number in range(1000, 3000)]
        with pytest.raises(UserError, match=r"database or disk is full$"):
            commit_iteration(run, 3, games, [], None, None, {})
        run.base.execute("PRAGMA max_page_count = 1000000")
        check_whole(run, 2)


def test_a_reader_that_never_ends_is_one_line(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    with make_run(folder, 2) as run:
        run.base.execute("PRAGMA busy_timeout = 50")
        other = sqlite3.connect(folder / "games.sqlite")
        other.execute("BEGIN").execute("SELECT * FROM games").fetchone()
        with pytest.raises(UserError, match=r"database is locked$"):
            commit(run, 3)
        other.close()
        check_whole(run, 2)


@contextmanager
def closed(folder: Path) -> Iterator[None]:
    """Be a user who may read a folder but not write it."""
    for path in (folder, *folder.rglob("*")):
        path.chmod(0o555 if path.is_dir() else 0o444)
    user = os.geteuid()
    if user == 0:  # for whom no folder is closed
        os.seteuid(_NOBODY)
    try:
        yield
    finally:
        os.seteuid(user)
        for path in (folder, *folder.rglob("*")):
            path.chmod(path.stat().st_mode | stat.S_IWUSR)


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """Return a folder that every user may enter, unlike those of pytest."""
    folder = Path(tempfile.mkdtemp())
    folder.chmod(0o755)
    yield folder
    shutil.rmtree(folder)


def test_a_run_that_may_not_be_written_is_read(open_folder: Path) -> None:
    folder = open_folder / "run"
    make_run(folder, 2).close()
    with closed(open_folder):
        with pytest.raises(UserError, match=f"^cannot write run {folder}: Permission"):
            Run.start(folder, CONFIG, FACTS)
        with Run.open(folder) as run:
            assert run.newest_iteration == 2
            assert len(list(run.games())) == 20
    with Run.open(folder, write=True) as run:
        check_whole(run, 2)


def test_no_permission_for_a_new_run_is_one_line(open_folder: Path) -> None:
    folder = open_folder / "run"
    complaint = f"^cannot make run {folder}: Permission denied"
    with closed(open_folder), pytest.raises(UserError, match=complaint):
        Run.start(folder, CONFIG, FACTS)
    assert not folder.exists()


def test_a_checkpoint_that_may_not_be_written_is_one_line(open_folder: Path) -> None:
    folder = open_folder / "run"
    with make_run(folder, 2) as run:
        commit_games(run, 3)
        with (
            closed(folder / "nets"),
            pytest.raises(UserError, match="Permission denied"),
        ):
            commit(run, 3)
        check_whole(run, 2)
