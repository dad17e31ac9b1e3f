"""Who watches a training: lines for people, JSON for programs, the log of the run."""

import gc
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any, Self

from rich.console import Console, Group
from rich.live import Live
from rich.progress import BarColumn, Progress, TextColumn
from rich.text import Text

from ludens.cli.pace import Pace, clock
from ludens.formats.strict import to_json
from ludens.formats.words import percent, points
from ludens.log import is_said, say
from ludens.store.moment import Moment
from ludens.store.summary import strength_of
from ludens.store.workers import words
from ludens.training.progress import Silent, Watcher

if TYPE_CHECKING:
    from ludens.store.run import Run

REFRESHES_PER_S = 4
HEADER = " iter     time     games  games/s   evals/s    loss     left"


def row(metrics: Mapping[str, Any], pace: Pace) -> str:
    """Return the line of an iteration, below HEADER."""
    spent = pace.spent
    loss = metrics.get("loss")
    figures = (
        f"{metrics['iteration']:>5} {clock(60 * spent.minutes):>8} {spent.games:>9,}"
        f" {metrics.get('games_per_s', 0):>8.1f} {metrics.get('evals_per_s', 0):>9,.0f}"
        f" {'-' if loss is None else f'{loss:.3f}':>7} {clock(pace.left_s):>8}"
    )
    return "  ".join([figures, *_publishing(metrics), *evaluation(metrics)]).rstrip()


def _publishing(metrics: Mapping[str, Any]) -> Iterator[str]:
    if played_by := words(metrics):
        yield played_by
    if "played_score" in metrics:
        yield f"mean score {points(metrics['played_score'])}"
    if "gate_score" in metrics:
        verdict = "passed" if metrics["published"] else "failed"
        yield f"gate {verdict} with {percent(metrics['gate_score'])}"
    elif metrics.get("published") is False:
        yield "net not published"
    if metrics.get("skipped"):
        yield f"{metrics['skipped']:.0f} steps skipped"


def evaluation(metrics: Mapping[str, Any]) -> Iterator[str]:
    """Give what an evaluation found, if there was one."""
    return (f"{title} {words}" for title, words in strength_of(metrics).lines())


class Several:
    """Several watchers, told one after the other."""

    def __init__(self, watchers: Sequence[Watcher]) -> None:
        self._watchers = watchers

    def say(self, line: str) -> None:
        """Tell something in a sentence."""
        for watcher in self._watchers:
            watcher.say(line)

    def warn(self, line: str) -> None:
        """Tell something that is not as it should be."""
        for watcher in self._watchers:
            watcher.warn(line)

    def progress(self, phase: str, done: int, total: int, rates: str) -> None:
        """Tell how far a phase of an iteration is."""
        for watcher in self._watchers:
            watcher.progress(phase, done, total, rates)

    def moment(self, moment: Moment) -> None:
        """Tell figures from within an iteration."""
        for watcher in self._watchers:
            watcher.moment(moment)

    def iteration(self, metrics: Mapping[str, Any]) -> None:
        """Tell what an iteration has brought."""
        for watcher in self._watchers:
            watcher.iteration(metrics)


class Tidying(Silent):
    """Gives back what Python keeps in store, so that memory does not grow with time.

    Up to 2,000 freed tuples of each length stay until all objects are looked at, which
    is rare where there are a million: 1 MB after 200 iterations. Those that the first
    iteration leaves are here to stay and left out; the others take a millisecond. The
    cache of attributes holds names that C code has made up to ask for them.
    """

    _is_warm = False

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        gc.unfreeze()

    def iteration(self, metrics: Mapping[str, Any]) -> None:
        """Look at all objects that are new since the first iteration."""
        gc.collect()
        since_3_13 = getattr(sys, "_clear_internal_caches", None)
        forget_attributes = since_3_13 or sys._clear_type_cache
        forget_attributes()
        if not self._is_warm:
            gc.freeze()
        self._is_warm = True


class Counting(Silent):
    """Keeps count of the budget; it has to be told first."""

    def __init__(self, pace: Pace) -> None:
        self._pace = pace

    def iteration(self, metrics: Mapping[str, Any]) -> None:
        """Count an iteration."""
        self._pace.add(metrics)


class Log(Silent):
    """The log file of the run."""

    def __init__(self, run: "Run", pace: Pace) -> None:
        self._run = run
        self._pace = pace

    def say(self, line: str) -> None:
        """Log a sentence."""
        self._run.log(line)

    def warn(self, line: str) -> None:
        """Log a warning."""
        self._run.log(line, "warning")

    def moment(self, moment: Moment) -> None:
        """Log how an iteration stands, if somebody looks for a fault."""
        if is_said("debug"):
            self._run.log(moment.words(), "debug")

    def iteration(self, metrics: Mapping[str, Any]) -> None:
        """Log the line of an iteration."""
        self._run.log(row(metrics, self._pace))


class Warnings(Silent):
    """Lines for people who want to hear only of what is not as it should be."""

    def warn(self, line: str) -> None:
        """Print a warning."""
        say(line, "warning")


class Lines(Silent):
    """Lines for people, one an iteration."""

    def __init__(self, pace: Pace) -> None:
        self._pace = pace
        self._has_header = False

    def say(self, line: str) -> None:
        """Print a sentence."""
        self._print(line)

    def moment(self, moment: Moment) -> None:
        """Print how an iteration stands, if somebody looks for a fault."""
        if is_said("debug"):
            self._print(moment.words())

    def iteration(self, metrics: Mapping[str, Any]) -> None:
        """Print the line of an iteration, the first below a header."""
        if not self._has_header:
            self._print(HEADER)
            self._has_header = True
        self._print(row(metrics, self._pace))

    def _print(self, line: str) -> None:
        print(line, flush=True)


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
        self._shown = ""
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
        """Show how far a phase is; one of unknown length just moves.

        A new phase is drawn at once: it may be over before the next refresh.
        """
        words = f"{done:,} of {total:,}" if total > 1 else ""
        words = "   ".join(filter(None, [words, rates]))
        self._bars.update(
            self._phase,
            description=phase,
            completed=done,
            total=total if total > 1 else None,
            words=words,
        )
        if phase != self._shown:
            self._shown = phase
            self._live.refresh()

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


class JsonLines(Silent):
    """A JSON object a line; its `event` says what it is about."""

    def say(self, line: str) -> None:
        """Print a sentence."""
        print_event("note", {"text": line})

    def warn(self, line: str) -> None:
        """Print a warning."""
        print_event("note", {"text": line, "level": "warning"})

    def moment(self, moment: Moment) -> None:
        """Print figures from within an iteration."""
        print_event("moment", asdict(moment))

    def iteration(self, metrics: Mapping[str, Any]) -> None:
        """Print the metrics of an iteration."""
        print_event("iteration", metrics)


def print_event(event: str, facts: Mapping[str, Any]) -> None:
    """Print a JSON object; what is not a finite number is null."""
    print(to_json({"event": event, **facts}), flush=True)
