"""How far a training is: its budget, its figures, and those who watch it."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from ludens.selfplay.share import FAST, FULL, GameRecord, SharePlayed, Tally
from ludens.settings import setting, verify
from ludens.store.moment import Moment

OF_EXAMS = ("examined", "matches")


@dataclass(frozen=True)
class BudgetConfig:
    """When a run has had enough; what is reached first ends it."""

    minutes: float = setting(0.0, "minutes in all sessions; 0: no limit")
    games: int = setting(0, "games in all; 0: no limit")
    positions: int = setting(0, "positions searched in all; 0: no limit")
    iterations: int = setting(0, "iterations in all; 0: no limit")
    steps: int = setting(0, "steps of the learner in all; 0: no limit")

    def __post_init__(self) -> None:
        verify(self)


@dataclass(frozen=True)
class Spent:
    """What a run has had so far."""

    minutes: float = 0.0
    games: int = 0
    positions: int = 0
    iterations: int = 0
    steps: int = 0
    """Of the learner, skipped ones included."""


def share_spent(budget: BudgetConfig, spent: Spent) -> float | None:
    """Return the share of the budget that is spent; None if there is no limit."""
    limits = {f.name: getattr(budget, f.name) for f in fields(budget)}
    shares = [getattr(spent, name) / most for name, most in limits.items() if most > 0]
    return max(shares) if shares else None


def steps_taken(metrics: Iterable[Mapping[str, Any]]) -> int:
    """Return the steps of the learner in some iterations."""
    return sum(int(one.get("steps", 0)) for one in metrics)


class Watcher(Protocol):
    """One who shows, prints or records how a training goes."""

    def say(self, line: str) -> None:
        """Tell something in a sentence."""

    def warn(self, line: str) -> None:
        """Tell something in a sentence that is not as it should be."""

    def progress(self, phase: str, done: int, total: int, rates: str) -> None:
        """Tell how far a phase of an iteration is."""

    def moment(self, moment: Moment) -> None:
        """Tell figures from within an iteration, every few seconds."""

    def iteration(self, metrics: Mapping[str, Any]) -> None:
        """Tell what an iteration that is now kept has brought."""


class Silent:
    """A watcher that does nothing; others override what they want to hear."""

    def say(self, line: str) -> None:
        """Ignore a sentence."""

    def warn(self, line: str) -> None:
        """Take a warning for a sentence like others."""
        self.say(line)

    def progress(self, phase: str, done: int, total: int, rates: str) -> None:
        """Ignore how far a phase is."""

    def moment(self, moment: Moment) -> None:
        """Ignore figures from within an iteration."""

    def iteration(self, metrics: Mapping[str, Any]) -> None:
        """Ignore an iteration."""


class History:
    """The metrics that training looks at again; all of them are in the run.

    Kept whole, they took 7 kB an iteration.
    """

    def __init__(self, metrics: Iterable[dict[str, Any]] = ()) -> None:
        self.newest: dict[str, Any] = {}
        self.exams: list[dict[str, Any]] = []
        """What each exam found, of which there are fewer than iterations."""
        self._steps = [0, 0]
        """Of the learner, until the last iteration but one and until the last."""
        for one in metrics:
            self.add(one)

    def add(self, metrics: dict[str, Any]) -> None:
        """Take up the metrics of an iteration."""
        self.newest = metrics
        self._steps = [self._steps[1], self._steps[1] + steps_taken([metrics])]
        if exam := {name: metrics[name] for name in OF_EXAMS if name in metrics}:
            self.exams.append(exam)

    def steps_until(self, iteration: int) -> int:
        """Return the learner's steps until the last iteration, or the one before."""
        return self._steps[bool(iteration >= self.newest.get("iteration", 0))]


def figures_of(
    played: SharePlayed, seconds: float, num_players: int
) -> dict[str, float]:
    """Return the metrics of an iteration of self-play that took so long."""
    tally = played.tally
    plies = [len(game.kinds) for game in played.games]
    return {
        **rates_of(tally, seconds),
        "seconds_selfplay": seconds,
        "plies_mean": float(np.mean(plies)) if plies else 0.0,
        "resigned": tally.resigned,
        "resign_control": tally.control,
        "resign_wrong": tally.control_wrong,
        "next_number": played.next_game,
        **thoughts_of(played.games),
        **results_of(played.games, num_players),
    }


def rates_of(tally: Tally, seconds: float) -> dict[str, float]:
    """Return what was counted in so many seconds, in all and a second."""
    return {
        "positions": tally.positions,
        "games": tally.games,
        "evals": tally.evals,
        "evals_per_s": tally.evals / seconds,
        "positions_per_s": tally.positions / seconds,
        "games_per_s": tally.games / seconds,
        "batch_mean": tally.evals / max(1, tally.batches),
        "batch_fill": tally.evals / max(1, tally.room),
        "search_depth": tally.depth / max(1, tally.sims),
    }


def thoughts_of(games: Sequence[GameRecord]) -> dict[str, float]:
    """Return how sure full searches were of their moves, and how many were fast."""
    kinds = np.concatenate([np.zeros(0, np.uint8), *(game.kinds for game in games)])
    if not kinds.any():
        return {}
    entropies = [_entropies(game.policies[game.kinds == FULL]) for game in games]
    found = {"fast_share": float(np.mean(kinds[kinds > 0] == FAST))}
    if (kinds == FULL).any():
        found["policy_entropy"] = float(np.concatenate(entropies).mean())
    return found


def _entropies(policies: NDArray[np.float16]) -> NDArray[np.float64]:
    """Return the entropies [P] of policies [P, A], in nats."""
    shares = policies.astype(np.float64)
    logs = np.log(shares, where=shares > 0, out=np.zeros_like(shares))
    entropies: NDArray[np.float64] = -(shares * logs).sum(1)
    return entropies


def results_of(games: Sequence[GameRecord], num_players: int) -> dict[str, float]:
    """Return how games ended: wins of the first player and draws, or scores."""
    if not games:
        return {}
    results = np.array([game.result for game in games])
    if num_players == 1:
        return {"played_score": float(results.mean())}
    wins, draws = float((results > 0).mean()), float((results == 0).mean())
    return {"first_wins": wins, "drawn": draws}
