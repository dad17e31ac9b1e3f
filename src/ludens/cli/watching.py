"""Who watches a training: lines for people, JSON for programs, the log of the run."""

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ludens.cli.pace import Pace, clock
from ludens.formats.strict import to_json
from ludens.formats.words import percent, points
from ludens.store.summary import strength_of
from ludens.train.events import Silent, Watcher

if TYPE_CHECKING:
    from ludens.store.run import Run

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

    def progress(self, phase: str, done: int, total: int, rates: str) -> None:
        """Tell how far a phase of an iteration is."""
        for watcher in self._watchers:
            watcher.progress(phase, done, total, rates)

    def iteration(self, metrics: Mapping[str, Any]) -> None:
        """Tell what an iteration has brought."""
        for watcher in self._watchers:
            watcher.iteration(metrics)


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

    def iteration(self, metrics: Mapping[str, Any]) -> None:
        """Log the line of an iteration."""
        self._run.log(row(metrics, self._pace))


class Lines(Silent):
    """Lines for people, one an iteration."""

    def __init__(self, pace: Pace) -> None:
        self._pace = pace
        self._has_header = False

    def say(self, line: str) -> None:
        """Print a sentence."""
        self._print(line)

    def iteration(self, metrics: Mapping[str, Any]) -> None:
        """Print the line of an iteration, the first below a header."""
        if not self._has_header:
            self._print(HEADER)
            self._has_header = True
        self._print(row(metrics, self._pace))

    def _print(self, line: str) -> None:
        print(line, flush=True)


class JsonLines(Silent):
    """A JSON object a line; its `event` says what it is about."""

    def say(self, line: str) -> None:
        """Print a sentence."""
        print_event("note", {"text": line})

    def iteration(self, metrics: Mapping[str, Any]) -> None:
        """Print the metrics of an iteration."""
        print_event("iteration", metrics)


def print_event(event: str, facts: Mapping[str, Any]) -> None:
    """Print a JSON object; what is not a finite number is null."""
    print(to_json({"event": event, **facts}), flush=True)
