"""What workers have done and what it took, in numbers."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

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
