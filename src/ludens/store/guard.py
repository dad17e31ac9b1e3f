"""Before a run is opened: one writer at a time, and files that SQLite may trust.

Strangers write runs, too. SQLite follows links, replays what a journal says and even
removes a file that it names.
"""

import errno
import os
import sys
import time
from contextlib import suppress
from pathlib import Path

from ludens.errors import UserError
from ludens.files import check_plain, open_new, open_plain, read_bytes

FILE = "games.sqlite"
FOLDERS = ("nets", "state")
_JOURNAL_MARK = bytes.fromhex("d9d505f920a163d7")
_HEADER = 100
_TRIES, _PAUSE_S = 5, 0.02
"""Who looks whether a run has a writer holds its lock for a moment."""
_HELD = (errno.EAGAIN, errno.EACCES)
"""What POSIX, and Windows, say of a lock that another has."""


def check_files(folder: Path) -> None:
    """Refuse links, devices and pipes in a run, and what no run of ours has."""
    for part in FOLDERS:
        check_plain(folder / part, is_folder=True)
    for end in ("", "-journal"):
        check_plain(folder / f"{FILE}{end}")
    for end in ("-wal", "-shm"):
        if (folder / f"{FILE}{end}").is_symlink() or (folder / f"{FILE}{end}").exists():
            raise UserError(f"{folder} has a {FILE}{end}, which no run of ludens has")
    size = _check_database(folder)
    _check_journal(folder, size)


def _check_database(folder: Path) -> int:
    """Refuse a database that is cut or has a write-ahead log; return its size."""
    try:
        with (folder / FILE).open("rb") as file:
            header = file.read(_HEADER)
            size = file.seek(0, 2)
    except FileNotFoundError:
        return 0
    if len(header) == _HEADER and header.startswith(b"SQLite format 3\0"):
        page = int.from_bytes(header[16:18], "big")
        if size % (65536 if page == 1 else max(page, 1)):
            raise UserError(f"run {folder} is damaged: {FILE} is cut")
        if header[18:20] != b"\1\1":
            raise UserError(f"{folder} has a {FILE} that no version of ludens wrote")
    return size


def _check_journal(folder: Path, size: int) -> None:
    """Refuse a journal that names another file, or is of another database.

    The journal of a killed writer of ours does neither, and is rolled back.
    """
    try:
        with (folder / f"{FILE}-journal").open("rb") as file:
            header = file.read(28)
            file.seek(max(0, file.seek(0, 2) - 8))
            end = file.read(8)
    except FileNotFoundError:
        return
    if len(header) < 28 or header[:8] != _JOURNAL_MARK:
        return  # SQLite takes it for an empty one
    pages, page = (int.from_bytes(header[at : at + 4], "big") for at in (16, 24))
    if end == _JOURNAL_MARK or not 512 <= page <= 65536 or pages * page > size:
        raise UserError(f"{folder} has a {FILE}-journal that ludens did not write")


if sys.platform == "win32":
    import msvcrt

    def _lock(handle: int, is_writer: bool) -> None:
        """Lock an open file until it is closed, or raise an OSError at once."""
        msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)
else:
    import fcntl

    def _lock(handle: int, is_writer: bool) -> None:
        """Lock an open file until it is closed, or raise an OSError at once."""
        kind = fcntl.LOCK_EX if is_writer else fcntl.LOCK_SH
        fcntl.flock(handle, kind | fcntl.LOCK_NB)


class Lock:
    """The right to write a run; the system takes it back when the process ends."""

    def __init__(self, folder: Path) -> None:
        self._writer = folder / "writer"
        try:
            self._handle = open_plain(folder / "lock", os.O_RDWR | os.O_CREAT)
        except OSError as error:
            raise UserError(f"cannot write run {folder}: {error.strerror}") from None
        try:
            _lock_soon(self._handle)
        except OSError as error:
            os.close(self._handle)
            if error.errno not in _HELD:
                why = error.strerror
                raise UserError(f"cannot write run {folder}: {why}") from None
            raise UserError(f"run {folder} is in use by {_who(folder)}") from None
        try:
            with open_new(self._writer) as file:
                file.write(str(os.getpid()).encode())
        except OSError as error:
            self.release()
            raise UserError(f"cannot write run {folder}: {error.strerror}") from None

    def release(self) -> None:
        """Let others write: the lock goes with its open file, and that cannot fail."""
        with suppress(OSError):
            self._writer.unlink()
        with suppress(OSError):
            os.close(self._handle)


def _lock_soon(handle: int) -> None:
    """Lock an open file; who only looks at it has let it go in a moment."""
    for _ in range(_TRIES - 1):
        try:
            return _lock(handle, is_writer=True)
        except OSError as error:
            if error.errno not in _HELD:
                raise
        time.sleep(_PAUSE_S)
    return _lock(handle, is_writer=True)


def _who(folder: Path) -> str:
    """Name the process that holds the lock, as far as it said so."""
    with suppress(UserError, ValueError):
        said = read_bytes(folder / "writer", 100, "a number", follows_links=False)
        return f"process {int(said)}"
    return "another process"


def who_writes(folder: Path) -> str:
    """Name the process that writes a run, "" if none does; a killed one does not."""
    if not os.path.lexists(folder / "writer"):
        return ""
    try:
        handle = open_plain(folder / "lock", os.O_RDONLY)
    except FileNotFoundError:
        return ""
    except OSError:
        return _who(folder)
    try:
        _lock(handle, is_writer=False)
        return ""
    except OSError:
        return _who(folder)
    finally:
        os.close(handle)


def has_writer(folder: Path) -> bool:
    """Tell whether a process writes a run."""
    return who_writes(folder) != ""
