"""Say what is being compiled, here or in the background, and how far it is."""

import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from functools import cache

Tell = Callable[[str], None]
_tell: ContextVar[Tell | None] = ContextVar("tell", default=None)
WAIT_S = 0.2
"""Between two looks at how far it is."""


@dataclass
class Background:
    """What other processes are compiling for a game."""

    label: str
    waiting: dict[str, int] = field(default_factory=dict)
    """Tasks that are left by the names of the entries they compile."""
    num_tasks: int = 0
    changed: threading.Condition = field(default_factory=threading.Condition)

    def wait_for(self, entry: str) -> None:
        """Wait until nobody compiles an entry any more; meanwhile say how far it is."""
        with self.changed:
            while any(entry.startswith(name) for name in self.waiting):
                tell_of(self.label, self._progress())
                self.changed.wait(WAIT_S)
        _clear_line()

    def _progress(self) -> str:
        done = self.num_tasks - sum(self.waiting.values())
        return f"{done} of {self.num_tasks} parts"

    def finish(self, entry: str) -> None:
        """Take note that a task is done, or given up."""
        with self.changed:
            self.waiting[entry] -= 1
            if self.waiting[entry] == 0:
                del self.waiting[entry]
            self.changed.notify_all()


in_background: dict[str, Background] = {}
"""What is compiled in the background, by the spec of the game."""


@contextmanager
def telling(tell: Tell) -> Iterator[None]:
    """Say once which game is compiled, if one is, in this thread and this block."""
    token = _tell.set(tell)
    try:
        yield
    finally:
        _tell.reset(token)


def before_compiling(label: str, entry: str) -> None:
    """Wait for those who compile an entry in the background."""
    if label in in_background:
        in_background[label].wait_for(entry)


def tell_of(label: str, progress: str = "") -> None:
    """Say that something of a game is compiled."""
    if (tell := _tell.get()) is not None:
        _tell.set(None)
        tell(label)
    if progress and sys.stderr.isatty():
        print(f"\rCompiling {label} (once): {progress} ", end="", file=sys.stderr)
        sys.stderr.flush()
    else:
        _say_once(label)


@cache
def _say_once(label: str) -> None:
    print(f"Compiling {label} (once) ...", file=sys.stderr, flush=True)


def _clear_line() -> None:
    if sys.stderr.isatty():
        print("\r\x1b[K", end="", file=sys.stderr, flush=True)
