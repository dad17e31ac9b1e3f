"""What several verbs print: positions, tables, facts, JSON, how far a long run is."""

import os
import shutil
import sys
import textwrap
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from ludens.errors import command
from ludens.formats.tables import text_table
from ludens.formats.words import printable
from ludens.log import is_said

if TYPE_CHECKING:
    from ludens.formats.words import Turn
    from ludens.loading.game import Game
    from ludens.state import State


def is_colourful() -> bool:
    """Return whether the screen is one that wants colours."""
    plain = os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb"
    return sys.stdout.isatty() and not plain


def draw(state: "State", told: "Sequence[Turn] | None" = None) -> str:
    """Return the drawing of a state as this screen can show it.

    `told` are the turns that led to it, if its history does not have them.
    """
    from ludens.cli.skins import dress, tinted

    colourful = is_colourful()
    return dress(tinted(state, told) if colourful else state.draw(), colourful)


def tell_rules(game: "Game", search: str) -> str:
    """Return the rules of a game in words; `search` says how to search its tables."""
    from dataclasses import replace

    from ludens.cli.skins import dress
    from ludens.formats.rulebook import read_rules, rules_as_text

    colourful = is_colourful()
    blocks = [
        replace(block, text=dress(block.text, colourful)) if block.scene else block
        for block in read_rules(game)
    ]
    return rules_as_text(blocks, colourful, search)


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


def print_table(rows: Sequence[Sequence[str]], num_words: int = 1) -> None:
    """Print rows under a header: words, which come first, left, numbers right."""
    width = shutil.get_terminal_size().columns if sys.stdout.isatty() else 0
    plain = [[printable(cell) for cell in row] for row in rows]
    head, *lines = text_table(plain, num_words, width).split("\n")
    print("\n".join([f"\x1b[1m{head}\x1b[0m" if is_colourful() else head, *lines]))


def print_facts(facts: Iterable[tuple[str, object]], width: int = 10) -> None:
    """Print facts behind their titles; a title that repeats is not said again."""
    last = ""
    for title, words in facts:
        said = printable(str(words))  # files of others have their say here, too
        print(f"{'' if title == last else title:<{width}}{said}", flush=True)
        last = title


def print_json(facts: Any) -> None:
    """Print facts as JSON."""
    from ludens.formats.strict import to_json

    print(to_json(facts, indent=1))


def play_command(game: str, num_players: int, net: str) -> str:
    """Return the command to meet a net: to play against it, or to watch it alone."""
    watch = ["--watch"] if num_players == 1 else []
    return command("play", game, *watch, "--vs", f"net:weights={net}")


@contextmanager
def progress(total: int) -> Iterator[Callable[[int, str], None]]:
    """Give a function that shows what is done and how it stands; a pipe gets nothing.

    It writes to stderr, so that the result can go elsewhere.
    """
    if not sys.stderr.isatty() or not is_said("info"):
        yield lambda done, words: None
        return
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeRemainingColumn,
    )

    with Progress(
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
        TextColumn("{task.description}", markup=False),
        console=Console(stderr=True),
        transient=True,
    ) as bar:
        task = bar.add_task("", total=total)
        yield lambda done, words: bar.update(task, completed=done, description=words)
