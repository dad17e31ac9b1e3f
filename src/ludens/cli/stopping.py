"""Ctrl-C and SIGTERM: finish what must be finished, soon."""

import os
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

from ludens.signals import RAISED, is_fragile

PATIENCE_S = 8.0
"""How long a training may take to come to a point where it can be left."""
SHOW_CURSOR = "\r\x1b[J\x1b[?25h"
"""Clears a display that moved, too."""


class Stopping:
    """Hear signals: the first is a wish to stop, the second ends the process.

    Unless somebody asks `should_stop` again and again, the first one interrupts at
    once. What a run has committed is safe in any case.
    """

    def __init__(self, last_words: Callable[[], str]) -> None:
        self._last_words = last_words
        self._signal: int | None = None
        self._is_patient = False

    def __enter__(self) -> "Stopping":
        self._before = {number: signal.getsignal(number) for number in RAISED}
        for number, handler in self._before.items():
            if handler is not signal.SIG_IGN:  # as for a job in the background
                signal.signal(number, self._hear)
        return self

    def __exit__(self, *_: object) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)

    def should_stop(self) -> bool:
        """Tell whether somebody wants the training to stop."""
        return self._signal is not None

    @contextmanager
    def patience(self) -> Iterator[None]:
        """Let what asks `should_stop` come to its end by itself, if it does so soon."""
        self._is_patient = True
        try:
            yield
        finally:
            self._is_patient = False

    @property
    def code(self) -> int:
        """The exit code, as shells know it."""
        return 128 + (self._signal or signal.SIGINT)

    def _hear(self, number: int, frame: FrameType | None) -> None:
        if self._signal is not None:
            self._end()
        self._signal = number
        if not self._is_patient and is_fragile(frame):
            self._end()
        if not self._is_patient:
            raise KeyboardInterrupt
        timer = threading.Timer(PATIENCE_S, self._end)
        timer.daemon = True
        timer.start()

    def _end(self) -> None:
        """End without waiting for threads, which would first finish their work."""
        shown = SHOW_CURSOR if os.isatty(1) else ""
        try:
            os.write(1, f"{shown}{self._last_words()}\n".encode())
        finally:
            os._exit(self.code)
