"""Tell a user's mistake from ours: theirs is one line, ours a traceback."""

import errno
import sys
import traceback
from pathlib import Path

from ludens.errors import UserError
from ludens.formats.words import printable

_FAULTS = (
    *(errno.ENOSPC, errno.EDQUOT, errno.EIO, errno.EROFS, errno.EMFILE, errno.ENFILE),
    *(errno.ENOLCK, errno.EACCES, errno.EPERM),
)
"""What a machine does wrong, at any call that touches files."""
_OURS = Path(__file__).parents[1]
_COMPLETION = "typer._completion_shared"


def one_line(error: BaseException) -> str | None:
    """Return what the user, or the machine, did wrong in one line; None if we did."""
    if isinstance(error, UserError):
        return printable(str(error))
    if isinstance(error, MemoryError) or getattr(error, "errno", 0) == errno.ENOMEM:
        return printable(f"the memory is not enough: {error}")
    if isinstance(error, OSError) and error.errno in _FAULTS:
        place = "a file" if error.filename is None else error.filename
        return printable(f"cannot use {place}: {error.strerror}")
    if hasattr(error, "format_message"):  # what Typer finds wrong with the arguments
        return printable(error.format_message())
    if type(error).__module__.partition(".")[0] == "numba":
        return _of_compiler(error)
    return _of_game_file(error) or _of_completion(error)


def _of_compiler(error: BaseException) -> str | None:
    """Name the game that does not compile; Numba names its lines at best."""
    from ludens.check.report import one_line
    from ludens.loading.compiled import PLAIN_MARK

    games = [m.__file__ for m in list(sys.modules.values()) if hasattr(m, PLAIN_MARK)]
    theirs = [file for file in games if file and not Path(file).is_relative_to(_OURS)]
    return (
        printable(f"{theirs[-1]} does not compile: {one_line(error)}")
        if theirs
        else None
    )


def _of_game_file(error: BaseException) -> str | None:
    """Say where in a user's game file an error arose; None if it was elsewhere."""
    files = {
        module.__file__
        for name, module in list(sys.modules.items())
        if name.startswith("ludens_plain_") and module.__file__ is not None
    }
    place = None
    for frame, line in traceback.walk_tb(error.__traceback__):
        file = frame.f_code.co_filename
        if file in files and not Path(file).is_relative_to(_OURS):
            place = f"{file}:{line}"
    return place and printable(f"{place}: {type(error).__name__}: {error}")


def _of_completion(error: BaseException) -> str | None:
    """Say why Typer cannot install completion: there is no home to write to."""
    frames = [frame for frame, _ in traceback.walk_tb(error.__traceback__)]
    if not any(f.f_globals.get("__name__") == _COMPLETION for f in frames):
        return None
    return printable(f"cannot install completion: {error}")
