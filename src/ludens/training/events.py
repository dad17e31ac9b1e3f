"""What a training tells those who watch it."""

from collections.abc import Mapping
from typing import Any, Protocol


class Watcher(Protocol):
    """One who shows, prints or records how a training goes."""

    def say(self, line: str) -> None:
        """Tell something in a sentence."""

    def progress(self, phase: str, done: int, total: int, rates: str) -> None:
        """Tell how far a phase of an iteration is."""

    def iteration(self, metrics: Mapping[str, Any]) -> None:
        """Tell what an iteration that is now kept has brought."""


class Silent:
    """A watcher that does nothing; others override what they want to hear."""

    def say(self, line: str) -> None:
        """Ignore a sentence."""

    def progress(self, phase: str, done: int, total: int, rates: str) -> None:
        """Ignore how far a phase is."""

    def iteration(self, metrics: Mapping[str, Any]) -> None:
        """Ignore an iteration."""
