"""Anything that picks a move."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from ludens.errors import UserError, nearest
from ludens.loading import Game
from ludens.state import State


class Agent(Protocol):
    """One who picks a move, from a state that does not know the coming dice."""

    def choose(self, state: State) -> int:
        """Return the action to play; raise UserError if there is no telling."""


@dataclass(frozen=True)
class RandomAgent:
    """Pick any legal move; the seed and the length of the history decide which."""

    seed: int

    def choose(self, state: State) -> int:
        """Return a legal action, each as likely as the others."""
        legal = state.legal_actions()
        # The last number keeps this apart from the dice, drawn by (seed, k).
        generator = np.random.default_rng((self.seed, len(state.history), 1))
        return legal[int(generator.integers(len(legal)))]


class SolverAgent:
    """Play perfectly: win as soon as possible, lose as late as possible."""

    def __init__(self, game: Game, seconds: float | None = None) -> None:
        from ludens.solver import Solver

        self._solver = Solver(game)
        self._seconds = seconds

    def choose(self, state: State) -> int:
        """Return the first of the best actions."""
        return self._solver.solve(state, self._seconds).best[0]

    def advise(self, state: State) -> str:
        """Return all best moves with their value, in words."""
        solution = self._solver.solve(state, self._seconds)
        names = ", ".join(map(state.action_name, solution.best))
        return f"{names}: {solution.value}"


AGENTS: dict[str, Callable[[Game, int, float | None], Agent]] = {
    "random": lambda game, seed, seconds: RandomAgent(seed),
    "solver": lambda game, seed, seconds: SolverAgent(game, seconds),
}
"""How each agent is made: for a game, with a seed and the seconds it has for a move."""


def make_agent(name: str, game: Game, seed: int, seconds: float | None = None) -> Agent:
    """Return the agent of this name."""
    if name not in AGENTS:
        raise UserError(f"there is no agent {name!r}{nearest(name, AGENTS)}")
    return AGENTS[name](game, seed, seconds)
