"""How long to train: by time, games, positions or iterations, over all sessions."""

from dataclasses import dataclass, fields

from ludens.settings import setting, verify


@dataclass(frozen=True)
class BudgetConfig:
    """When a run has had enough; what is reached first ends it."""

    minutes: float = setting(0.0, "minutes in all sessions; 0: no limit")
    games: int = setting(0, "games in all; 0: no limit")
    positions: int = setting(0, "positions searched in all; 0: no limit")
    iterations: int = setting(0, "iterations in all; 0: no limit")

    def __post_init__(self) -> None:
        verify(self)


@dataclass(frozen=True)
class Spent:
    """What a run has had so far."""

    minutes: float = 0.0
    games: int = 0
    positions: int = 0
    iterations: int = 0


def share_spent(budget: BudgetConfig, spent: Spent) -> float | None:
    """Return the share of the budget that is spent; None if there is no limit."""
    limits = {f.name: getattr(budget, f.name) for f in fields(budget)}
    shares = [getattr(spent, name) / most for name, most in limits.items() if most > 0]
    return max(shares) if shares else None
