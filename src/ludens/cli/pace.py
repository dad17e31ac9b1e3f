"""How much of its budget a run has used, and how long the rest will take."""

import time
from collections.abc import Mapping
from dataclasses import fields, replace
from typing import Any

from ludens.formats.words import plural
from ludens.training.progress import BudgetConfig, Spent, share_spent, steps_taken


class Pace:
    """The budget of a run, as a session spends it."""

    def __init__(self, budget: BudgetConfig, before: Spent) -> None:
        self.budget = budget
        self._before = before
        self._kept = before
        self._began_s = time.monotonic()

    def add(self, metrics: Mapping[str, Any]) -> None:
        """Count an iteration that is kept."""
        self._kept = Spent(
            games=self._kept.games + metrics.get("games", 0),
            positions=self._kept.positions + metrics.get("positions", 0),
            iterations=metrics["iteration"],
            steps=self._kept.steps + steps_taken([metrics]),
        )

    @property
    def spent(self) -> Spent:
        """What the run has used up to this moment."""
        minutes = self._before.minutes + self._session_s / 60
        return replace(self._kept, minutes=minutes)

    @property
    def share(self) -> float | None:
        """The share of the budget that is spent; None if there is no limit."""
        share = share_spent(self.budget, self.spent)
        return None if share is None else min(1.0, share)

    @property
    def left_s(self) -> float | None:
        """The seconds left at this pace; None if that is unknown."""
        spent, guesses = self.spent, []
        for limit in fields(self.budget):
            most, now = getattr(self.budget, limit.name), getattr(spent, limit.name)
            gained = now - getattr(self._before, limit.name)
            if most > 0 and gained > 0:
                guesses.append(max(0.0, most - now) * self._session_s / gained)
        return min(guesses, default=None)

    @property
    def _session_s(self) -> float:
        return time.monotonic() - self._began_s


def budget_words(budget: BudgetConfig) -> str:
    """Say what ends a run."""
    limits = [
        plural(budget.games, "game") if budget.games else "",
        plural(budget.positions, "position") if budget.positions else "",
        plural(budget.iterations, "iteration") if budget.iterations else "",
        plural(budget.steps, "step") if budget.steps else "",
    ]
    minutes = f"{budget.minutes:g} min" if budget.minutes else ""
    return " or ".join(filter(None, [minutes, *limits])) or "none, until it is stopped"


def clock(seconds: float | None) -> str:
    """Return a time as 3:07 or 1:05:59; nothing for an unknown one."""
    if seconds is None:
        return ""
    minutes, rest_s = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02d}:{rest_s:02d}" if hours else f"{minutes}:{rest_s:02d}"
