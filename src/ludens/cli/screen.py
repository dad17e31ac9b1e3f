"""What several verbs print: positions, histories and how a game ended."""

import os
import shutil
import sys
import textwrap
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ludens.words import POINTS as POINTS
from ludens.words import duration as duration
from ludens.words import plural as plural

if TYPE_CHECKING:
    from ludens.loading import Game
    from ludens.state import State, Step


@dataclass(frozen=True)
class Turn:
    """One step of a history: whose turn it was, what happened, where it led."""

    player: int | None
    """The player, CHANCE, or None for an edit by hand."""
    name: str
    state: "State"


def turns(game: "Game", history: "Iterable[Step]") -> Iterator[Turn]:
    """Replay a history step by step; an error says at which step."""
    from ludens.errors import UserError
    from ludens.state import State

    before = State(game)
    for number, step in enumerate(history, 1):
        after = before.copy()
        player = None if isinstance(step, str) else before.to_play
        try:
            after.apply_step(step)
        except UserError as error:
            raise UserError(f"step {number}: {error}") from None
        yield Turn(player, before.step_name(step), after)
        before = after


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


def points(state: "State") -> int:
    """Return the score of a game for one as people see it."""
    return round(POINTS * state.score)


def ending(state: "State", names: Sequence[str]) -> str:
    """Explain in one sentence how the game stands or ended."""
    after = f"after {plural(state.num_plies, 'move')}"
    if state.game.num_players == 1:
        how = "Game over" if state.is_over else "Not finished"
        return f"{how}: score {points(state):,} {after}."
    if state.result is None:
        return f"Not finished {after}."
    if state.result == 0:
        return f"A draw {after}."
    winner = names[0 if state.result > 0 else 1]
    return f"{winner[0].upper()}{winner[1:]} won {after}."
