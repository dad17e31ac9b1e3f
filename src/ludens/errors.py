"""Mistakes a user can make: one line each, shown without a traceback."""

from collections.abc import Iterable
from difflib import get_close_matches


class UserError(ValueError):
    """A mistake in what the user gave; the command line prints it and exits with 2."""


class IllegalAction(UserError):
    """An action that the rules do not allow in this state."""


class GameFileError(UserError):
    """A game file that does not load or lacks something of the contract."""


class Refusal(UserError):
    """A wish of a stranger beyond what is allowed; servers write it to their log."""


def nearest(word: str, known: Iterable[str]) -> str:
    """Return a hint such as "; did you mean 'gomoku'?", or what is known."""
    names = sorted(known)
    close = get_close_matches(word.lower(), names, n=1)
    if close:
        return f"; did you mean {close[0]!r}?"
    return f"; known: {', '.join(names)}" if names else ""
