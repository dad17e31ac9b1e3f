"""One writer of a run at a time."""

import errno
import os
import sys
import time
from contextlib import suppress
from pathlib import Path

from ludens.errors import UserError
from ludens.files import open_new, open_plain, read_bytes

_TRIES, _PAUSE_S = 5, 0.02
"""Who looks whether a run has a writer holds its lock for a moment."""
_HELD = (errno.EAGAIN, errno.EACCES)
"""What POSIX, and Windows, say of a lock that another has."""

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
