"""Work for a page ends when the page goes away."""

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TypeVar

Item = TypeVar("Item")
_is_gone: ContextVar[Callable[[], bool]] = ContextVar("is_gone", default=lambda: False)


class Gone(Exception):
    """Nobody waits for the answer any more."""


@contextmanager
def working_for(is_gone: Callable[[], bool]) -> Iterator[None]:
    """Do what is done in this thread and this block for a page, until it is gone."""
    token = _is_gone.set(is_gone)
    try:
        yield
    finally:
        _is_gone.reset(token)


def unless_gone(items: Iterable[Item]) -> Iterator[Item]:
    """Give items one by one; raise Gone as soon as the page has gone."""
    for item in items:
        if _is_gone.get()():
            raise Gone
        yield item
