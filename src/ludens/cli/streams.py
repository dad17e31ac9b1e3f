"""Standard output and error that are closed, full, or left by their readers."""

import os
import sys
from contextlib import suppress
from errno import EBADF, EDQUOT, EFBIG, EIO, ENOSPC, EPIPE
from typing import TextIO

_CANNOT_WRITE = (EBADF, EDQUOT, EFBIG, EIO, ENOSPC, EPIPE)


def prepare() -> None:
    """Make the standard streams fit for writing; a closed one swallows everything.

    Otherwise the next file to be opened would take its number, and what is printed.
    """
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # it gets the lowest number that is free
    sys.stdout = sys.stdout or _nowhere()
    sys.stderr = sys.stderr or _nowhere()
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):  # not every screen can show every sign
            with suppress(OSError):  # it asks where in its file the stream is
                stream.reconfigure(errors="replace")


def output_error() -> OSError | None:
    """Return why what was printed cannot be written; None if it was."""
    try:
        sys.stdout.flush()
    except OSError as error:
        return error
    return None


def is_of_output(error: OSError) -> bool:
    """Tell whether an error came up in printing; those of files name their file."""
    return error.errno in _CANNOT_WRITE and error.filename is None


def give_up_output() -> None:
    """Let what cannot be written go; Python would try again at the end."""
    _give_up(sys.stdout)


def complain(line: str) -> None:
    """Print a line of the command on standard error, if that can be written."""
    try:
        print(f"ludens: {line}", file=sys.stderr, flush=True)
    except OSError:
        _give_up(sys.stderr)


def _nowhere() -> TextIO:
    return open(os.devnull, "w", encoding="utf-8")


def _give_up(stream: TextIO) -> None:
    os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
