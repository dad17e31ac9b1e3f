"""One writer of a run at a time."""

import os
from contextlib import suppress
from pathlib import Path

from filelock import FileLock, Timeout

from ludens.errors import UserError


class Lock:
    """The right to write a run; the system takes it back when the process ends."""

    def __init__(self, folder: Path) -> None:
        self._writer = folder / "writer"
        self._lock = FileLock(folder / "lock", timeout=0)
        try:
            self._lock.acquire()
        except Timeout:
            raise UserError(f"run {folder} is in use by {self._who()}") from None
        except OSError as error:
            raise UserError(f"cannot write run {folder}: {error.strerror}") from None
        try:
            self._writer.write_text(str(os.getpid()), encoding="ascii")
        except OSError as error:
            self.release()
            raise UserError(f"cannot write run {folder}: {error.strerror}") from None

    def _who(self) -> str:
        """Name the process that holds the lock, as far as it said so."""
        with suppress(OSError, ValueError):
            return f"process {int(self._writer.read_text(encoding='ascii'))}"
        return "another process"

    def release(self) -> None:
        """Let others write."""
        with suppress(OSError):
            self._writer.unlink()
        self._lock.release()


def has_writer(folder: Path) -> bool:
    """Tell whether a process writes a run; one that was killed does not."""
    if not (folder / "writer").exists():
        return False
    try:
        with FileLock(folder / "lock", timeout=0):
            return False
    except (Timeout, OSError):
        return True
