"""How much is said beside results: lines of four levels, on standard error.

A table or a move that somebody asked for is no such line and is always printed.
"""

import logging
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from ludens.errors import UserError, did_you_mean

LEVELS = ("debug", "info", "warning", "error")
VARIABLE = "LUDENS_LOG"
LOGGER = logging.getLogger("ludens")
"""Its level is that of the process; until somebody sets it, the environment's."""


def read_level(chosen: str = "") -> int:
    """Return a level by its name, else that of the environment, else info."""
    name = chosen or os.environ.get(VARIABLE, "") or "info"
    if name.lower() not in LEVELS:
        whose = "--log-level" if chosen else VARIABLE
        hint = did_you_mean(name, LEVELS)
        levels = f"{', '.join(LEVELS[:-1])} or {LEVELS[-1]}"
        raise UserError(f"{whose} cannot be {name!r}; it is {levels}{hint}")
    return logging.getLevelNamesMapping()[name.upper()]


@contextmanager
def speaking(level: int) -> Iterator[None]:
    """Say only what is of a level or above, in this block."""
    before = LOGGER.level
    LOGGER.setLevel(level)
    try:
        yield
    finally:
        LOGGER.setLevel(before)


def is_said(level: str) -> bool:
    """Tell whether lines of a level are said."""
    chosen = LOGGER.level
    if chosen == logging.NOTSET:
        try:
            chosen = read_level()
        except UserError:  # a program that imports us is not stopped by that
            chosen = logging.INFO
    return logging.getLevelNamesMapping()[level.upper()] >= chosen


def say(line: str, level: str = "info") -> None:
    """Print a line, if its level is said."""
    if is_said(level):
        print(line, file=sys.stderr, flush=True)
