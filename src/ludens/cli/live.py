"""A training on a terminal: the line of each iteration, and below them what is now."""

from collections.abc import Iterator, Mapping
from typing import Any, Self

from rich.console import Console, Group
from rich.live import Live
from rich.progress import BarColumn, Progress, TextColumn
from rich.text import Text

from ludens.cli.pace import Pace, clock
from ludens.cli.watching import Lines, evaluation

REFRESHES_PER_S = 4


class LiveLines(Lines):
    """Lines above a display that moves: the budget, the phase, the last evaluation."""

    def __init__(self, pace: Pace) -> None:
        super().__init__(pace)
        self._console = Console()
        self._bars = Progress(
            TextColumn("{task.description:<8}", markup=False),
            BarColumn(),
            TextColumn("{task.fields[words]}", markup=False),
            console=self._console,
        )
        self._budget = self._bars.add_task("budget", total=1.0, words="")
        self._phase = self._bars.add_task("start", total=None, words="")
        self._iteration = pace.spent.iterations
        self._figures = ""
        self._evaluation = ""
        self._live = Live(
            console=self._console,
            get_renderable=self._draw,
            refresh_per_second=REFRESHES_PER_S,
            transient=True,
        )

    def __enter__(self) -> Self:
        self._live.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Clear the display; the lines stay."""
        self._live.stop()

    def progress(self, phase: str, done: int, total: int, rates: str) -> None:
        """Show how far a phase is; one that cannot tell just moves."""
        words = f"{done:,} of {total:,}" if total > 1 else ""
        words = "   ".join(filter(None, [words, rates]))
        self._bars.update(
            self._phase,
            description=phase,
            completed=done,
            total=total if total > 1 else None,
            words=words,
        )

    def iteration(self, metrics: Mapping[str, Any]) -> None:
        """Print the line of an iteration and keep what it found."""
        super().iteration(metrics)
        self._iteration = metrics["iteration"]
        self._figures = "   ".join(_figures(metrics))
        found = "   ".join(evaluation(metrics))
        if found:
            self._evaluation = f"iteration {self._iteration}:   {found}"

    def _print(self, line: str) -> None:
        self._console.print(line, markup=False, highlight=False, soft_wrap=True)

    def _draw(self) -> Group:
        pace = self._pace
        spent, share, left_s = pace.spent, pace.share, pace.left_s
        words = [f"{clock(60 * spent.minutes)} spent"]
        if share is not None:
            words.insert(0, f"{100 * share:.0f} %")
        if left_s is not None:
            words.append(f"{clock(left_s)} left")
        self._bars.update(
            self._budget,
            completed=share or 0.0,
            total=None if share is None else 1.0,
            words="   ".join(words),
        )
        now = f"iteration {self._iteration + 1}   {spent.games:,} games"
        lines = [now, self._figures, self._evaluation]
        return Group(self._bars, *map(Text, filter(None, lines)))


def _figures(metrics: Mapping[str, Any]) -> Iterator[str]:
    """Give the speed and the loss of an iteration."""
    yield f"iteration {metrics['iteration']}:"
    if "games_per_s" in metrics:
        yield f"{metrics['games_per_s']:,.1f} games/s"
        yield f"{metrics['evals_per_s']:,.0f} evaluations/s"
    if "loss" in metrics:
        yield f"loss {metrics['loss']:.3f}"
