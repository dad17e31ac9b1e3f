"""The command `ludens` that also tells which phase of which iteration begins."""

import sys
from pathlib import Path
from typing import Any

from faults.sessions import run_command

MARK = "begins:"


class Telling:
    """A watcher that prints each phase once, before it tells another watcher."""

    def __init__(self, watcher: Any, num_done: int) -> None:
        self._watcher, self._num_done = watcher, num_done
        self._told = ""

    def __getattr__(self, name: str) -> Any:
        return getattr(self._watcher, name)

    def progress(self, phase: str, done: int, total: int, rates: str) -> None:
        """Print a phase that is new."""
        told = f"{MARK} {phase} {self._num_done + 1}"
        if told != self._told:
            self._told = told
            print(told, file=sys.stderr, flush=True)
        self._watcher.progress(phase, done, total, rates)

    def iteration(self, metrics: Any) -> None:
        """Count an iteration."""
        self._num_done = metrics["iteration"]
        self._watcher.iteration(metrics)


def run_told(arguments: list[str], output: Path, *more: Any) -> None:
    """Run the command in this process."""
    from ludens.training import loop

    begin = loop.Training.__init__

    def begin_told(self: Any, game: Any, config: Any, run: Any, *rest: Any) -> None:
        watcher, *others = rest
        telling = Telling(watcher, run.newest_iteration or 0)
        begin(self, game, config, run, telling, *others)

    loop.Training.__init__ = begin_told  # type: ignore[method-assign, assignment]
    run_command(arguments, output, *more)
