"""What workers have done and what it took, in numbers."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ludens.formats.words import plural

HERE = "here"
"""The name of the training's own machine among the workers."""


@dataclass
class WorkerFigures:
    """What a worker has done in an iteration."""

    worker: str
    threads: int = 0
    shares: int = 0
    games: int = 0
    positions: int = 0
    evals: int = 0
    seconds: float = 0.0
    """That its threads were busy, in sum."""
    cpu_seconds: float = 0.0
    rss_bytes: int = 0

    def add(self, brought: Mapping[str, Any]) -> None:
        """Count a job."""
        self.shares += 1
        for name in ("games", "positions", "evals", "seconds", "cpu_seconds"):
            setattr(self, name, getattr(self, name) + brought.get(name, 0))
        self.rss_bytes = int(brought.get("rss_bytes", self.rss_bytes))


def sum_up(figures: Sequence[WorkerFigures], seconds: float) -> dict[str, float]:
    """Return what workers did in an iteration that took so long, in sums."""
    others = [one for one in figures if one.worker != HERE]
    busy_s = sum(one.seconds for one in others)
    waited_s = sum(one.threads * seconds - one.seconds for one in others)
    return {
        "cluster_workers": len(others),
        "cluster_threads": sum(one.threads for one in others),
        "cluster_shares": sum(one.shares for one in others),
        "cluster_shares_here": sum(one.shares for one in figures if one not in others),
        "cluster_busy_s": busy_s,
        "cluster_waited_s": max(0.0, waited_s),
        "cluster_cpu_s": sum(one.cpu_seconds for one in others),
        "cluster_rss_mb": sum(one.rss_bytes for one in others) / 1e6,
    }


def words(metrics: Mapping[str, Any]) -> str:
    """Say in short what a cluster did in an iteration; "" if there was none."""
    if "cluster_workers" not in metrics:
        return ""
    busy_s, waited_s = metrics["cluster_busy_s"], metrics["cluster_waited_s"]
    share = busy_s / (busy_s + waited_s) if busy_s else 0.0
    return f"{plural(int(metrics['cluster_workers']), 'worker')}, {share:.0%} busy"
