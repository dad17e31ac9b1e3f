"""Where the disk has no room, a training waits until there is some."""

import time
from collections.abc import Callable

from ludens.errors import NoRoom
from ludens.store.run import Run

PAUSE_S = 3.0
"""Between two tries."""
_TICK_S = 0.1


def keep(
    write: Callable[[], None],
    run: Run,
    say: Callable[[str], None],
    heed_stop: Callable[[], None],
) -> None:
    """Write something of a run, if need be when there is room again.

    What is to be written stays in memory; the time is not counted to the iteration.
    """
    began = time.monotonic()
    has_said = False
    while True:
        try:
            write()
            break
        except NoRoom as full:
            if not has_said:
                say(f"{full}: waiting; goes on when there is room")
                has_said = True
        run.leave_out(_pause(heed_stop))
    if has_said:
        say(f"there is room again after {time.monotonic() - began:,.0f} s")


def _pause(heed_stop: Callable[[], None]) -> float:
    """Wait for the next try, but not if somebody wants to stop; return the seconds."""
    began = time.monotonic()
    while time.monotonic() - began < PAUSE_S:
        heed_stop()
        time.sleep(min(_TICK_S, PAUSE_S))
    return time.monotonic() - began
