"""Whether something hostile is refused: in one line, soon, and in little memory."""

import tracemalloc
from collections.abc import Callable
from time import process_time

from ludens.cli.blame import one_line
from ludens.errors import UserError

MOST_S = 1.0
"""Of the processor's time, so that other work on the machine does not count."""
MOST_BYTES = 100_000_000
SMALL_BYTES, SOON_S = 10_000, 0.02
"""What is so small, and read so soon, has not filled the memory."""
_LET_IN = "it was not refused"


def why_not_refused(
    load: Callable[[], object],
    size_bytes: int,
    may_pass: bool = False,
    most_bytes: int = MOST_BYTES,
) -> str:
    """Say what is wrong with how something is taken; "" if it is refused as it should.

    What is not small is loaded twice: watching the memory takes time.
    """
    began_s = process_time()
    why = _why_let_in(load)
    if may_pass and why == _LET_IN:
        why = ""
    seconds = process_time() - began_s
    if why:
        return why
    if seconds > MOST_S:
        return f"it took {seconds:.1f} s"
    if size_bytes < SMALL_BYTES and seconds < SOON_S:
        return ""
    tracemalloc.start()
    try:
        _why_let_in(load)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    is_much = peak > most_bytes + size_bytes
    return f"it took {peak / 1e6:,.0f} MB" if is_much else ""


def _why_let_in(load: Callable[[], object]) -> str:
    try:
        load()
    except UserError as error:
        line = one_line(error) or ""
        return "" if line.isprintable() else f"control characters in {line!r}"
    except Exception as error:  # what users would see as a traceback
        return f"{type(error).__name__}: {str(error)[:200]}"
    return _LET_IN
