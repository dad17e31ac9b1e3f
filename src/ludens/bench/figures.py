"""What is measured of a net, and how it is shown."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any, ClassVar, Protocol

from ludens.arena.elo import Estimate, score_estimate
from ludens.formats.tables import markdown_table
from ludens.formats.words import percent, points


class Measured(Protocol):
    """One row of a table."""

    COLUMNS: ClassVar[tuple[str, ...]]

    def cells(self) -> tuple[str, ...]:
        """Return the row."""

    def headline(self) -> str:
        """Say in a line what was measured."""


@dataclass(frozen=True)
class Figure:
    """A share of positions or points, with its 95 % interval."""

    COLUMNS: ClassVar[tuple[str, ...]] = (
        "measured",
        "with",
        "share",
        "95 %",
        "of",
        "to compare",
        "",
    )
    what: str
    player: str
    """The net alone, or with so many simulations."""
    share: Estimate
    num: int
    """Positions or games."""
    goal: str = ""
    """What there is to compare with."""
    note: str = ""

    def cells(self) -> tuple[str, ...]:
        """Return the row."""
        share, ends = percent(self.share.value), interval(self.share)
        num = f"{self.num:,}"
        return self.what, self.player, share, ends, num, self.goal, self.note

    def headline(self) -> str:
        """Say in a line what was measured."""
        return f"{self.what}, {self.player}: {self.share.value:.2%}"


@dataclass(frozen=True)
class ScoreFigure:
    """The scores of one player in a single-player game, with the same dice for all."""

    COLUMNS: ClassVar[tuple[str, ...]] = (
        "player", "mean score", "95 %", "10th", "median", "90th", "moves", "cut",
        "games", "behind the net",
    )  # fmt: skip
    player: str
    mean: Estimate
    low: float
    """Of ten games, one scores less, ..."""
    median: float
    high: float
    """... and one more."""
    mean_plies: float
    share_cut: float
    num: int
    behind: Estimate | None
    """How much more the net with its search scores, game by game."""

    def cells(self) -> tuple[str, ...]:
        """Return the row."""
        mean = points(self.mean.value)
        ends = f"[{points(self.mean.low)}, {points(self.mean.high)}]"
        spread = (points(score) for score in (self.low, self.median, self.high))
        lengths = f"{self.mean_plies:,.0f}", percent(self.share_cut)
        behind = "" if self.behind is None else _with_ends(self.behind)
        return self.player, mean, ends, *spread, *lengths, f"{self.num:,}", behind

    def headline(self) -> str:
        """Say in a line what was measured."""
        return f"mean score, {self.player}: {points(self.mean.value)}"


@dataclass(frozen=True)
class Strength:
    """A net and all that was measured of it."""

    game: str
    net: str
    num_parameters: int
    notes: str
    """How it was trained."""
    figures: tuple[Measured, ...]
    method: str = "alphazero"

    @property
    def title(self) -> str:
        """The game, and that its net has a learned model if it has."""
        return f"{self.game}, MuZero" if self.method == "muzero" else self.game

    def to_json(self) -> dict[str, Any]:
        """Return the figures as plain data."""
        return asdict(self)


def share_of(count: int, num: int) -> Estimate:
    """Return a share with Wilson's interval."""
    return score_estimate((num - count, 0, 0, 0, count))


def interval(share: Estimate) -> str:
    """Return the ends of an interval in percent."""
    return f"{100 * share.low:.1f}-{100 * share.high:.1f} %"


def _with_ends(gain: Estimate) -> str:
    low, high = points(gain.low), points(gain.high)
    return f"{points(gain.value)} [{low}, {high}]"


def table(strength: Strength) -> list[tuple[str, ...]]:
    """Return the figures as rows under a header."""
    columns = strength.figures[0].COLUMNS
    return [columns, *(figure.cells() for figure in strength.figures)]


def markdown(strengths: Sequence[Strength]) -> str:
    """Return all nets with their figures as a page."""
    return "\n\n".join(_section(strength) for strength in strengths)


def _section(strength: Strength) -> str:
    about = f"{strength.num_parameters:,} parameters."
    if strength.notes:
        about += f" {strength.notes}"
    return f"## {strength.title}\n\n{about}\n\n{markdown_table(table(strength))}"
