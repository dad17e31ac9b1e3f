"""Who does what for one purpose, such as the self-play of an iteration."""

import time
from collections.abc import Mapping
from typing import Any

from ludens.store.workers import WorkerFigures


class Ledger:
    """What each worker has done, and how long it was there for it."""

    def __init__(self) -> None:
        self.num_twice = 0
        """Jobs that were given to a second worker as well."""
        self._rows: dict[str, WorkerFigures] = {}
        self._there_s: dict[str, float] = {}
        """How long the threads of each worker were there, in sum."""
        self._since_s: dict[str, float] = {}

    def enter(self, worker: str, threads: int) -> None:
        """Take note that a worker is there."""
        self._row(worker).threads = threads
        self._since_s.setdefault(worker, time.monotonic())

    def leave(self, worker: str) -> None:
        """Take note that a worker is gone, or that there is no more to do."""
        since_s = self._since_s.pop(worker, None)
        if since_s is not None:
            there_s = self._row(worker).threads * (time.monotonic() - since_s)
            self._there_s[worker] = self._there_s.get(worker, 0.0) + there_s

    def close(self) -> None:
        """Take note that there is no more to do for now."""
        for worker in list(self._since_s):
            self.leave(worker)

    def count(self, worker: str, brought: Mapping[str, Any]) -> None:
        """Count a job that a worker has done."""
        self._row(worker).add(brought)

    def figures(self) -> list[WorkerFigures]:
        """Return what each worker has done, in the order they came."""
        for worker, one in self._rows.items():
            one.waited_s = max(0.0, self._there_s.get(worker, 0.0) - one.busy_s)
        return list(self._rows.values())

    def _row(self, worker: str) -> WorkerFigures:
        return self._rows.setdefault(worker, WorkerFigures(worker))
