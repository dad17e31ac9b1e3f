"""What the workers of a cluster did in an iteration: a row for each, and sums."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import astuple, dataclass, fields
from typing import Any

from ludens.formats.words import plural, printable

HERE = "here"
"""The name of the training's own machine among the workers."""
MOST_WORKERS = 2**16
"""Rows that an iteration may have."""
MOST_SHOWN = 16
"""Of a thousand workers people read the first few."""
MAX_NAME = 100
HEADER = ("worker", "threads", "shares", "evaluations/s", "busy", "memory")


@dataclass
class WorkerFigures:
    """What a worker has done in an iteration."""

    worker: str
    threads: int = 0
    shares: int = 0
    games: int = 0
    positions: int = 0
    evals: int = 0
    busy_s: float = 0.0
    """Of its threads, in sum."""
    waited_s: float = 0.0
    """That its threads had nothing to do, in sum."""
    cpu_s: float = 0.0
    rss_bytes: int = 0

    def add(self, brought: Mapping[str, Any]) -> None:
        """Count a job."""
        self.shares += 1
        for name in ("games", "positions", "evals"):
            setattr(self, name, getattr(self, name) + int(brought.get(name, 0)))
        self.busy_s += float(brought.get("seconds", 0.0))
        self.cpu_s += float(brought.get("cpu_seconds", 0.0))
        self.rss_bytes = int(brought.get("rss_bytes", self.rss_bytes))

    @property
    def share_busy(self) -> float:
        """The share of its time in which it played."""
        return _share(self.busy_s, self.waited_s)

    @property
    def evals_per_s(self) -> float:
        """Its speed while it was there, waiting included."""
        seconds = (self.busy_s + self.waited_s) / max(1, self.threads)
        return self.evals / seconds if seconds else 0.0

    def cells(self) -> tuple[str, ...]:
        """Return what stands below HEADER."""
        if self.worker == HERE:  # whose time goes to learning, too
            return (HERE, "-", f"{self.shares:,}", "-", "-", "-")
        return (
            *(printable(self.worker), f"{self.threads:,}", f"{self.shares:,}"),
            *(f"{self.evals_per_s:,.0f}", f"{self.share_busy:.0%}"),
            f"{self.rss_bytes / 1e6:,.0f} MB",
        )


COLUMNS = f"number, iteration, {', '.join(f.name for f in fields(WorkerFigures))}"
_TYPES = (str, *[int] * 5, *[float] * 3, int)


def rows_of(iteration: int, workers: Iterable[WorkerFigures]) -> list[tuple[Any, ...]]:
    """Return the values of COLUMNS for the workers of an iteration."""
    first = iteration * MOST_WORKERS
    return [
        (first + place, iteration, one.worker[:MAX_NAME], *astuple(one)[1:])
        for place, one in enumerate(list(workers)[:MOST_WORKERS])
    ]


def figures_of(row: Sequence[Any]) -> WorkerFigures:
    """Return the figures of a row of COLUMNS; ValueError if they are none."""
    values = row[2:]
    if tuple(map(type, values)) != _TYPES or len(values[0]) > MAX_NAME:
        raise ValueError("its parts are not of their types")
    if not all(0 <= x < 2**63 and math.isfinite(x) for x in values[1:]):
        raise ValueError("it has figures that cannot be")
    return WorkerFigures(*values)


def sum_up(workers: Sequence[WorkerFigures], num_twice: int) -> dict[str, float]:
    """Return what workers did in an iteration in sums, as metrics."""
    others = [one for one in workers if one.worker != HERE]
    return {
        "cluster_workers": len(others),
        "cluster_threads": sum(one.threads for one in others),
        "cluster_shares": sum(one.shares for one in others),
        "cluster_shares_here": sum(one.shares for one in workers if one not in others),
        "cluster_twice": num_twice,
        "cluster_busy_s": sum(one.busy_s for one in others),
        "cluster_waited_s": sum(one.waited_s for one in others),
        "cluster_cpu_s": sum(one.cpu_s for one in others),
        "cluster_rss_mb": sum(one.rss_bytes for one in others) / 1e6,
    }


def words(metrics: Mapping[str, Any]) -> str:
    """Say in short what a cluster did in an iteration; "" if there was none."""
    if metrics.get("cluster_workers") is None:
        return ""
    busy_s, waited_s, twice, here = (
        metrics.get(f"cluster_{name}") or 0
        for name in ("busy_s", "waited_s", "twice", "shares_here")
    )
    parts = [plural(int(metrics["cluster_workers"]), "worker")]
    parts.append(f"{_share(busy_s, waited_s):.0%} busy")
    parts += [f"{plural(int(twice), 'share')} twice"] if twice else []
    parts += [f"{plural(int(here), 'share')} here"] if here else []
    return ", ".join(parts)


def shown(workers: Sequence[WorkerFigures]) -> list[tuple[str, ...]]:
    """Return a table of workers under HEADER, of many the first; empty if none."""
    if not workers:
        return []
    rows = [HEADER, *(one.cells() for one in workers[:MOST_SHOWN])]
    left = len(workers) - MOST_SHOWN
    return rows if left <= 0 else [*rows, (f"and {left:,} more", *[""] * 5)]


def _share(busy_s: float, waited_s: float) -> float:
    return busy_s / (busy_s + waited_s) if busy_s > 0 else 0.0
