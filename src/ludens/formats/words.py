"""Games and numbers in words, the same wherever people read them."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ludens.errors import BadStep, UserError

if TYPE_CHECKING:  # the help of the command line must not load NumPy
    from ludens.loading.game import Game
    from ludens.state import State, Step

POINTS = 100
"""Scores are shown to people as whole numbers: this many points for a reward of 1."""
MAX_LINE = 2000
"""Characters of a line that are shown: a file may bring in a word of megabytes."""


def printable(text: str) -> str:
    """Return a text in one line, without signs that could steer a terminal."""
    if len(text) > MAX_LINE:
        text = f"{text[:MAX_LINE]} ..."
    return "".join(c if c.isprintable() else "?" for c in " ".join(text.split()))


def plural(count: int, noun: str) -> str:
    """Return "1 move", "2 moves"."""
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}s"


def duration(seconds: float) -> str:
    """Return a time in one or two units: "45 s", "12 min", "3 h 20 min", "2 days"."""
    minutes = int(seconds // 60)
    if minutes == 0:
        return f"{seconds:.0f} s"
    if minutes < 60:
        return f"{minutes} min"
    if minutes < 48 * 60:
        return f"{minutes // 60} h {minutes % 60:02d} min"
    return f"{minutes // (24 * 60)} days"


@dataclass(frozen=True)
class Turn:
    """One step of a history: whose turn it was, what happened, where it led."""

    player: int | None
    """The player, CHANCE, or None for an edit by hand."""
    name: str
    state: "State"
    """Without a history but for the step itself."""


def turns(
    game: "Game", history: "Iterable[Step]", known: Sequence[Turn] = ()
) -> Iterator[Turn]:
    """Replay a history step by step, after turns that are known; an error says at which
    step."""
    from ludens.state import State

    state = known[-1].state.snapshot() if known else State(game)
    before = state.snapshot()
    for number, step in enumerate(history, 1 + len(known)):
        try:
            state.apply_step(step)
        except UserError as error:
            raise BadStep(number, error) from None
        player = None if isinstance(step, str) else before.to_play
        name, before = before.step_name(step), state.snapshot()
        yield Turn(player, name, before)


def points(score: float, sign: str = "") -> str:
    """Return a score as people see it; with the sign "+" always with its sign."""
    shown = POINTS * score
    is_small = abs(shown) < 10 and abs(shown - round(shown)) > 0.005
    return f"{shown:{sign},.2f}" if is_small else f"{shown:{sign},.0f}"


def percent(share: float) -> str:
    """Return a share as "12.5 %"."""
    return f"{100 * share:.1f} %"


def reason_of(state: "State") -> str:
    """Return why the game is over in a few words, "" if it is not or nobody says."""
    return state.game.plain.reason(state.raw) if state.is_over else ""


def ending(state: "State", names: Sequence[str]) -> str:
    """Explain in one sentence how the game stands or ended."""
    reason = reason_of(state)
    why = f" ({reason})" if reason else ""
    after = f"after {plural(state.num_plies, 'move')}{why}"
    if state.game.num_players == 1:
        how = "Game over" if state.is_over else "Not finished"
        return f"{how}: score {points(state.score)} {after}."
    if state.result is None:
        return f"Not finished {after}."
    if state.result == 0:
        return f"A draw {after}."
    winner = names[0 if state.result > 0 else 1]
    return f"{winner[0].upper()}{winner[1:]} won {after}."
