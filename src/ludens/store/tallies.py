"""What each iteration has played, in sums that tell if games are missing."""

import math
from collections.abc import Callable
from dataclasses import astuple, dataclass
from typing import Any

from ludens.store.checksums import crc_of, is_whole
from ludens.store.database import SUMS, Base

_COLUMNS = (
    "iteration, games, positions, wins, draws, losses, score, unfinished, seconds"
)
_UNKNOWN = -1


@dataclass(frozen=True)
class Tally:
    """The games of one iteration in sums."""

    iteration: int
    games: int
    positions: int
    wins: int
    """Of player 0."""
    draws: int
    losses: int
    score: float
    """The sum of all results."""
    unfinished: int
    """Games in progress when it ended; -1 if that is not known."""
    seconds: float
    """That the iteration took."""


def recount(base: Base, iteration: int, unfinished: int, seconds: float) -> Tally:
    """Sum up the games of an iteration that are in the database."""
    [sums] = base.rows(f"SELECT {SUMS} FROM games WHERE iteration = ?", (iteration,))
    counts: tuple[int, int, int, int, int] = sums[:5]
    return Tally(iteration, *counts, sums[5], unfinished, seconds)


def write_tally(base: Base, tally: Tally) -> None:
    """Keep a tally in place of the one before."""
    row = astuple(tally)
    places = ", ".join("?" * (len(row) + 1))
    base.execute(f"REPLACE INTO tallies VALUES ({places})", (*row, crc_of(row)))


def read_tallies(base: Base, note: Callable[[str], None]) -> list[Tally]:
    """Return the tallies of all iterations; damaged ones are counted again."""
    rows = base.rows(
        f"SELECT known.number, {_COLUMNS}, crc FROM (SELECT number FROM iterations"
        " UNION SELECT number FROM pending) AS known"
        " LEFT JOIN tallies ON iteration = known.number ORDER BY known.number"
    )
    found = []
    for number, *row in rows:
        if _is_sound(row[:-1]) and is_whole(row):
            found.append(Tally(*row[:-1]))
            continue
        note(f"the sums of iteration {number} are damaged; its games are counted again")
        found.append(recount(base, number, _UNKNOWN, 0.0))
    return found


def _is_sound(row: list[Any]) -> bool:
    *counts, score, unfinished, seconds = row
    return (
        all(type(n) is int and 0 <= n < 2**53 for n in (*counts, unfinished))
        and all(type(x) is float and math.isfinite(x) for x in (score, seconds))
        and seconds >= 0
    )
