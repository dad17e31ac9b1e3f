"""Tell a user's mistake from ours: theirs is one line, ours a traceback."""

import sys
from pathlib import Path

from ludens.errors import UserError

_OURS = Path(__file__).parents[1]
MAX_LINE = 2000
"""Characters of an error that are shown: a file may bring in a word of megabytes."""


def one_line(error: BaseException) -> str | None:
    """Return what the user did wrong in one line, or None if it was not the user."""
    if isinstance(error, UserError):
        return _flat(str(error))
    if hasattr(error, "format_message"):  # what Typer finds wrong with the arguments
        return _flat(error.format_message())
    if type(error).__module__.partition(".")[0] == "numba":
        return _of_compiler(error)
    return _of_game_file(error)


def _of_compiler(error: BaseException) -> str | None:
    """Name the game that does not compile; Numba names its lines at best."""
    from ludens.check.report import one_line
    from ludens.loading.compiled import PLAIN_MARK

    games = [m.__file__ for m in list(sys.modules.values()) if hasattr(m, PLAIN_MARK)]
    theirs = [file for file in games if file and not Path(file).is_relative_to(_OURS)]
    return (
        _flat(f"{theirs[-1]} does not compile: {one_line(error)}") if theirs else None
    )


def _of_game_file(error: BaseException) -> str | None:
    """Say where in a user's game file an error arose; None if it was elsewhere."""
    files = {
        module.__file__
        for name, module in list(sys.modules.items())
        if name.startswith("ludens_plain_") and module.__file__ is not None
    }
    trace, place = error.__traceback__, None
    while trace is not None:
        file = trace.tb_frame.f_code.co_filename
        if file in files and not Path(file).is_relative_to(_OURS):
            place = f"{file}:{trace.tb_lineno}"
        trace = trace.tb_next
    return place and _flat(f"{place}: {type(error).__name__}: {error}")


def _flat(text: str) -> str:
    """Return a text in one line, without signs that could steer a terminal."""
    if len(text) > MAX_LINE:
        text = f"{text[:MAX_LINE]} ..."
    return "".join(c if c.isprintable() else "?" for c in " ".join(text.split()))
