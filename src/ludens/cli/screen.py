"""What several verbs print: positions, words that flow, and how a game is told."""

import os
import shutil
import sys
import textwrap
from collections.abc import Iterable
from typing import TYPE_CHECKING

from ludens.words import POINTS as POINTS
from ludens.words import Turn as Turn
from ludens.words import duration as duration
from ludens.words import ending as ending
from ludens.words import plural as plural
from ludens.words import points as points
from ludens.words import turns as turns

if TYPE_CHECKING:
    from ludens.state import State


def is_colourful() -> bool:
    """Return whether the screen is one that wants colours."""
    plain = os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb"
    return sys.stdout.isatty() and not plain


def draw(state: "State") -> str:
    """Return the drawing of a state as this screen can show it."""
    return state.draw() if is_colourful() else str(state)


def flow(words: Iterable[str], indent: str = "  ") -> str:
    """Return words side by side in lines that fit the screen."""
    width = min(shutil.get_terminal_size().columns, 88)
    joined = "  ".join(word.replace(" ", "\0") for word in words)
    lines = textwrap.fill(
        joined,
        width,
        initial_indent=indent,
        subsequent_indent=indent,
        break_long_words=False,
        break_on_hyphens=False,
    )
    return lines.replace("\0", " ")
