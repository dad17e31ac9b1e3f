"""Say what is being compiled: on the screen, or to whoever wants to know."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache
from typing import Any

Tell = Callable[[str], None]
_tell: ContextVar[Tell | None] = ContextVar("tell", default=None)
_LABEL = "ludens_label"


@contextmanager
def telling(tell: Tell) -> Iterator[None]:
    """Say once which game is compiled, if one is, in this thread and this block."""
    token = _tell.set(tell)
    try:
        yield
    finally:
        _tell.reset(token)


@cache
def say_once(label: str) -> None:
    """Say on the screen that a game is compiled."""
    print(f"Compiling {label} (once) ...", file=sys.stderr, flush=True)


def announce(dispatcher: Any, label: str) -> None:
    """Say it when an entry really has to be compiled."""
    setattr(dispatcher, _LABEL, label)
    _listen()


@cache
def _listen() -> None:
    from numba.core import event

    class Announce(event.Listener):
        def on_start(self, event: Any) -> None:
            label = getattr(event.data["dispatcher"], _LABEL, None)
            if label is not None:
                if (tell := _tell.get()) is not None:
                    _tell.set(None)
                    tell(label)
                say_once(label)

        def on_end(self, event: Any) -> None:
            """Nothing to say."""

    event.register("numba:compile", Announce())  # type: ignore[no-untyped-call]
