"""Ctrl-C and SIGTERM end a command cleanly, from its first line on.

This module loads nothing: it is at work before anything else is.
"""

import os
import signal
import sys
from types import FrameType

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

_FRAGILE = ("<frozen importlib", f"{os.sep}numba{os.sep}", f"{os.sep}llvmlite{os.sep}")
"""Modules in which an exception would be swallowed or leave a library half loaded."""


class Terminated(SystemExit):
    """What SIGTERM raises, as Ctrl-C raises KeyboardInterrupt."""


RAISED = {signal.SIGINT: KeyboardInterrupt, signal.SIGTERM: Terminated}
"""The signals that end a command, and the exceptions they raise."""


def exit_code(error: BaseException | None) -> int:
    """Return the exit code for the signal behind an exception, 0 if there is none."""
    codes = (128 + n for n, kind in RAISED.items() if isinstance(error, kind))
    return next(codes, 0)


def hear() -> None:
    """Make signals raise an exception, or end the process where that is unsafe."""
    sys.unraisablehook = _unraisable
    _install(_stop)


def end_at_once() -> None:
    """Make signals end the process at once: nothing is left to clean up."""
    _install(_end)


def is_fragile(frame: FrameType | None) -> bool:
    """Tell whether libraries are being loaded, or code compiled, in a frame."""
    while frame is not None:
        if any(place in frame.f_code.co_filename for place in _FRAGILE):
            return True
        frame = frame.f_back
    return False


def leave(code: int) -> None:
    """End the process without waiting for threads."""
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except Exception:  # its reader has gone, or it was just being written to
            continue
    os._exit(code)


def _install(handler: "Callable[[int, FrameType | None], None]") -> None:
    for number in RAISED:
        if signal.getsignal(number) is not signal.SIG_IGN:  # as for background jobs
            signal.signal(number, handler)


def _stop(number: int, frame: FrameType | None) -> None:
    if is_fragile(frame):
        _end(number, frame)
    raise RAISED[signal.Signals(number)]


def _end(number: int, _: FrameType | None) -> None:
    leave(128 + number)


def _unraisable(what: "sys.UnraisableHookArgs") -> None:
    """Do not let a destructor swallow a signal."""
    if code := exit_code(what.exc_value):
        leave(code)
    sys.__unraisablehook__(what)
