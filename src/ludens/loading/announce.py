"""Say what is being compiled, here or in the background, and how far it is."""

import sys
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field

from ludens.log import is_said, say

Tell = Callable[[str, str], None]
"""Takes the spec of a game, and how far it is compiled, "" if nobody knows."""
_tell: ContextVar[Tell | None] = ContextVar("tell", default=None)
WAIT_S = 0.2
"""Between two looks at how far it is."""


@dataclass
class Background:
    """What other processes are compiling for a game."""

    waiting: dict[str, int]
    """Tasks that are left by the names of the entries they compile."""
    num_tasks: int
    changed: threading.Condition = field(default_factory=threading.Condition)

    def is_compiling(self, entry: str) -> bool:
        """Tell whether an entry is still to be compiled."""
        return any(entry.startswith(name) for name in self.waiting)

    def progress(self) -> str:
        """Say how many tasks are done."""
        done = self.num_tasks - sum(self.waiting.values())
        return f"{done} of {self.num_tasks} parts"

    def finish(self, entry: str) -> None:
        """Take note that a task is done, or given up."""
        with self.changed:
            self.waiting[entry] -= 1
            if self.waiting[entry] == 0:
                del self.waiting[entry]
            self.changed.notify_all()


class Announcer:
    """What this process and its helpers compile, by the spec of the game."""

    def __init__(self) -> None:
        self._background: dict[str, Background] = {}
        self._said: set[str] = set()

    def is_busy(self, label: str) -> bool:
        """Tell whether something of a game is compiled in the background."""
        return label in self._background and bool(self._background[label].waiting)

    def begin(self, label: str, tasks: Mapping[str, int]) -> Background:
        """Take note of tasks in the background: how many there are of each entry."""
        background = Background(dict(tasks), sum(tasks.values()))
        self._background[label] = background
        return background

    def wait_for(self, label: str, entry: str) -> None:
        """Wait until nobody else compiles an entry; meanwhile say how far it is."""
        if label not in self._background:
            return
        background = self._background[label]
        with background.changed:
            while background.is_compiling(entry):
                self.tell(label, background.progress())
                background.changed.wait(WAIT_S)
        if sys.stderr.isatty() and is_said("info"):
            print("\r\x1b[K", end="", file=sys.stderr, flush=True)

    def tell(self, label: str, progress: str = "") -> None:
        """Say that something of a game is compiled: once, or on a line that changes."""
        if (tell := _tell.get()) is not None:
            tell(label, progress)
        if not is_said("info"):
            return
        if progress and sys.stderr.isatty():
            line = f"\rCompiling {label} (once): {progress} "
            print(line, end="", file=sys.stderr, flush=True)
        elif label not in self._said:
            self._said.add(label)
            say(f"Compiling {label} (once) ...")


ANNOUNCER = Announcer()
"""Of this process, as is the cache of what is compiled."""


@contextmanager
def telling(tell: Tell) -> Iterator[None]:
    """Hear which game is compiled, if one is, in this thread and this block.

    While it waits for others who compile, it is told again and again how far they are.
    """
    token = _tell.set(tell)
    try:
        yield
    finally:
        _tell.reset(token)
