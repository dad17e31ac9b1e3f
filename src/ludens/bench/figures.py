"""What is measured of a net, and how it is shown."""

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from ludens.arena.elo import Estimate, score_estimate


@dataclass(frozen=True)
class Figure:
    """A share of positions or points, with its 95 % interval."""

    what: str
    player: str
    """The net alone, or with so many simulations."""
    share: Estimate
    num: int
    """Positions or games."""
    goal: str = ""
    """What there is to compare with."""
    note: str = ""


@dataclass(frozen=True)
class Strength:
    """A net and all that was measured of it."""

    game: str
    net: str
    num_parameters: int
    notes: str
    """How it was trained."""
    figures: tuple[Figure, ...]

    def to_json(self) -> dict[str, Any]:
        """Return the figures as plain data."""
        return asdict(self)


def share_of(count: int, num: int) -> Estimate:
    """Return a share with Wilson's interval."""
    return score_estimate((num - count, 0, 0, 0, count))


def percent(share: float) -> str:
    """Return a share in percent."""
    return f"{100 * share:.1f} %"


def interval(share: Estimate) -> str:
    """Return the ends of an interval in percent."""
    return f"{100 * share.low:.1f}-{100 * share.high:.1f} %"


COLUMNS = ("measured", "with", "share", "95 %", "of", "to compare", "")


def rows(figures: Sequence[Figure]) -> Iterator[tuple[str, ...]]:
    """Yield the cells of a table, without its head."""
    for f in figures:
        share, ends = percent(f.share.value), interval(f.share)
        yield f.what, f.player, share, ends, f"{f.num:,}", f.goal, f.note


def text_table(strength: Strength) -> str:
    """Return the figures as aligned text."""
    table = [COLUMNS, *rows(strength.figures)]
    widths = [max(map(len, column)) for column in zip(*table, strict=True)]
    lines = (
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True))
        for row in table
    )
    return "\n".join(line.rstrip() for line in lines)


def markdown(strengths: Sequence[Strength]) -> str:
    """Return all nets with their figures as a page."""
    return "\n\n".join(_section(strength) for strength in strengths)


def _section(strength: Strength) -> str:
    table = [COLUMNS, ("---",) * len(COLUMNS), *rows(strength.figures)]
    about = f"{strength.num_parameters:,} parameters."
    if strength.notes:
        about += f" {strength.notes}"
    lines = ("| " + " | ".join(row) + " |" for row in table)
    return "\n".join([f"## {strength.game}", "", about, "", *lines])
