"""What a run has come to: facts, which terminal, report and page show each in its way.

`summarise` reads them once; `Strength` is what evaluations have found of a net;
`list_runs` sums up all runs.
"""

import time
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from ludens.errors import UserError
from ludens.files import is_plain
from ludens.formats.words import percent, points, printable
from ludens.nets.shapes import describe
from ludens.nets.weights import load_net, num_parameters
from ludens.store.finding import run_folders
from ludens.store.guard import FILE
from ludens.store.origin import origin_words
from ludens.store.reading import Reading, Totals
from ludens.store.run import Run
from ludens.store.workers import WorkerFigures

Metrics = Mapping[str, Any]


@dataclass(frozen=True)
class Spread:
    """How scores, or lengths, of games are distributed."""

    mean: float
    median: float
    low: float
    """One game of ten has less, ..."""
    high: float
    """... and one has more."""


@dataclass(frozen=True)
class Strength:
    """What evaluations found of a net; None: it was not measured."""

    elo: float | None
    elo_low: float | None
    elo_high: float | None
    shares: Mapping[str, float]
    """Of the points, by opponent."""
    best_alone: float | None
    """Share of solved positions in which the net alone finds a best move, ..."""
    best_search: float | None
    """... and with its search."""
    scores: Spread | None
    """Of a single-player game."""
    lengths: Spread | None
    share_cut: float
    """Of games that were cut for their length."""

    @property
    def anchor(self) -> str:
        """Who has 0 Elo: the stronger fixed opponent."""
        return "rollout search" if "mcts" in self.shares else "random play"

    def lines(self) -> Iterator[tuple[str, str]]:
        """Give what is known as titles with short words."""
        if self.elo is not None:
            low, high = self.elo_low, self.elo_high
            ends = "" if low is None else f" [{low:+.0f}, {high:+.0f}]"
            yield "Elo", f"{self.elo:+.0f}{ends}"
        shares = [f"{percent(x)} against {who}" for who, x in self.shares.items()]
        if shares:
            yield "score", ", ".join(shares)
        if self.best_alone is not None and self.best_search is not None:
            alone, search = percent(self.best_alone), percent(self.best_search)
            yield "best moves", f"{alone} alone, {search} with search"
        if self.scores is not None:
            yield "score", _spread_words(self.scores, points)
        if self.lengths is not None:
            words = _spread_words(self.lengths, lambda plies: f"{plies:,.0f}")
            yield "length", f"{words}, {percent(self.share_cut)} cut"


def strength_of(metrics: Metrics) -> Strength:
    """Return what metrics, of one iteration or the newest of each, say of a net."""
    return Strength(
        elo=metrics.get("elo"),
        elo_low=metrics.get("elo_low"),
        elo_high=metrics.get("elo_high"),
        shares=_shares(metrics),
        best_alone=metrics.get("truth_net"),
        best_search=metrics.get("truth_search"),
        scores=_spread(metrics, "score"),
        lengths=_spread(metrics, "length"),
        share_cut=metrics.get("length_cut") or 0.0,
    )


@dataclass(frozen=True)
class Summary:
    """A run at one moment."""

    name: str
    folder: Path
    game: str
    """With its options."""
    num_players: int
    seed: str
    created: str
    config: str
    """The settings as TOML."""
    iteration: int | None
    """The newest that was committed, ..."""
    ended_s: float | None
    """... and when it ended."""
    examined: int | None
    """The newest iteration whose net was evaluated."""
    totals: Totals
    results: tuple[int, int, int]
    """Games that player 0 won, drew and lost."""
    mean_score: float
    """Of the newest games, for a single-player game."""
    metrics: Metrics
    """The newest value of each: not all are of every iteration."""
    nets: Mapping[int, Path]
    """The files that are kept, by iteration."""
    workers: Sequence[WorkerFigures] = ()
    """Those of the newest iteration that a cluster played."""
    origin: str = ""
    """The net that it began with; empty: random weights."""

    @cached_property
    def settings(self) -> dict[str, Any]:
        """The settings by sections; none if their text is not TOML."""
        try:
            return tomllib.loads(self.config)
        except (ValueError, RecursionError):
            return {}

    @property
    def strength(self) -> Strength:
        """What evaluations found of the newest nets."""
        return strength_of(self.metrics)

    @property
    def newest_net(self) -> Path | None:
        """The file of the newest net that is kept."""
        return self.nets[max(self.nets)] if self.nets else None

    def describe_net(self) -> tuple[str, int] | None:
        """Return the newest net in words and its parameters; None if not whole."""
        if self.newest_net is None:
            return None
        try:
            net = load_net(self.newest_net)
        except UserError:
            return None
        return describe(net.card.config, net.card.sizes), num_parameters(net)


def summarise(run: Reading) -> Summary:
    """Read what a run has come to."""
    facts, rows = run.facts(), run.metrics()
    newest: dict[str, Any] = {}
    for row in rows:
        newest |= {name: value for name, value in row.items() if value is not None}
    return Summary(
        name=run.name,
        folder=run.folder,
        game=facts.get("game", ""),
        num_players=1 if facts.get("players") == "1" else 2,
        seed=facts.get("seed", ""),
        created=facts.get("created", ""),
        config=facts.get("config", ""),
        iteration=run.newest_iteration,
        ended_s=rows[-1]["began"] + rows[-1]["seconds"] if rows else None,
        examined=max((r["iteration"] for r in rows if _is_examined(r)), default=None),
        totals=run.totals(),
        results=run.results(),
        mean_score=run.newest_mean_result(),
        metrics=newest,
        nets=run.nets(),
        workers=run.workers(),
        origin=origin_words(facts),
    )


def _is_examined(row: Metrics) -> bool:
    return any(name in row for name in ("matches", "truth_net", "score_mean"))


def _shares(metrics: Metrics) -> dict[str, float]:
    """Return the shares of the points by opponent, those that are always met first."""
    prefix = "score_"
    others = (name.removeprefix(prefix) for name in metrics if name.startswith(prefix))
    found = (*("mcts", "random"), *(who for who in others if who not in _SPREAD))
    shares = {who: metrics.get(prefix + who) for who in dict.fromkeys(found)}
    return {who: share for who, share in shares.items() if share is not None}


_SPREAD = ("mean", "median", "p10", "p90")


def _spread(metrics: Metrics, name: str) -> Spread | None:
    if metrics.get(f"{name}_median") is None:
        return None
    return Spread(*(metrics[f"{name}_{m}"] for m in _SPREAD))


def _spread_words(spread: Spread, tell: Any) -> str:
    mean, median, low, high = map(
        tell, (spread.mean, spread.median, spread.low, spread.high)
    )
    return f"{mean}, median {median}, most games {low} to {high}"


@dataclass(frozen=True)
class Listed:
    """A run in short."""

    name: str
    path: Path
    age_s: float
    """Seconds since it was last written."""
    game: str = ""
    iteration: int | None = None
    games: int = 0
    positions: int = 0
    elo: float | None = None
    trouble: str = ""
    """Why it cannot be read, if so."""


def list_runs() -> list[Listed]:
    """Return what runs there are, the one written last first."""
    return sorted(map(_listed, run_folders()), key=lambda listed: listed.age_s)


def _listed(folder: Path) -> Listed:
    """Sum up a run; one that cannot be read hides no other."""
    age_s = _age_s(folder)
    try:
        with Run.open(folder) as run:
            found = summarise(run)
            return Listed(
                name=folder.name,
                path=folder,
                age_s=age_s,
                game=found.game,
                iteration=found.iteration,
                games=found.totals.games,
                positions=found.totals.positions,
                elo=found.strength.elo,
            )
    except Exception as error:  # whatever a stranger's run brings about
        return Listed(folder.name, folder, age_s, trouble=printable(str(error)))


def _age_s(folder: Path) -> float:
    with suppress(OSError):
        file = folder / FILE
        written_s = (file if is_plain(file) else folder).stat().st_mtime
        return max(0.0, time.time() - written_s)
    return 0.0
