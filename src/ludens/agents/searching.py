"""Agents that search a tree, with random games or a network at its leaves."""

import math
import time
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ludens.agents.analysis import Analysis, analyse_search
from ludens.agents.simple import dice
from ludens.loading.game import Game
from ludens.search.config import SearchConfig
from ludens.search.search import Evaluator, Roots, Search
from ludens.settings import setting, verify
from ludens.state import State


@dataclass(frozen=True)
class Warmth:
    """How far an agent leaves its move to luck."""

    temperature: float = setting(0.0, "temperature of the move; 0: the best move")
    temperature_plies: int = setting(1000, "plies after which the temperature is 0")

    def __post_init__(self) -> None:
        verify(self)

    def pick(
        self, best: int, policy: NDArray[np.float64], seed: int, state: State
    ) -> int:
        """Return the best action, or one by lot while the temperature is on."""
        if self.temperature == 0 or state.num_plies >= self.temperature_plies:
            return best
        return pick_warm(policy, self.temperature, dice(seed, state))


@dataclass(frozen=True)
class Manner(Warmth):
    """How an agent that searches plays, beside the settings of its search."""

    seconds: float = setting(0.0, "time limit per move; 0: none")


class SearchAgent:
    """Search the tree; the part that a game goes on into is kept for the next move."""

    def __init__(
        self,
        game: Game,
        config: SearchConfig,
        seed: int,
        manner: Manner,
        evaluator: Evaluator | None = None,
    ) -> None:
        self.seed = seed
        self.search = Search(game, config, evaluator=evaluator, is_lazy=True)
        self._manner = manner
        self._name = "mcts" if evaluator is None else "net"
        self._is_planted = False

    def choose(self, state: State) -> int:
        """Return the best action, or one by lot while the temperature is on."""
        return self.pick(self._run(state), state)

    def pick(self, roots: Roots, state: State) -> int:
        """Return the action to play by what was found."""
        best = int(roots.chosen[0])
        return self._manner.pick(best, roots.policy[0], self.seed, state)

    def analyse(self, state: State) -> Analysis:
        """Tell what the search found."""
        return self.tell(self._run(state), state)

    def tell(
        self, roots: Roots, state: State, num_lines: int | None = None
    ) -> Analysis:
        """Tell what was found, with so many main lines; None: all."""
        return analyse_search(self._name, self.search, roots, state, num_lines)

    def think(self, state: State, slice_s: float) -> Iterator[Roots]:
        """Search by and by: give what is known after each slice of time."""
        self._plant(state)
        end_s = time.perf_counter() + (self._manner.seconds or math.inf)
        sims, left_s = -1, slice_s
        while left_s > 0:
            roots = self.search.run(seconds=min(slice_s, left_s))
            yield roots
            if roots.sims[0] in (sims, self.search.config.sims):
                return  # proven or full, or all done
            sims, left_s = int(roots.sims[0]), end_s - time.perf_counter()

    def _run(self, state: State) -> Roots:
        self._plant(state)
        return self.search.run(seconds=self._manner.seconds or None)

    def _plant(self, state: State) -> None:
        """Begin at a state, with what an earlier search knows of it.

        What is not compiled yet is so here, before there is a clock.
        """
        self.search.compile()
        if self._is_planted:
            self.search.reuse(0, state.raw)
            return
        seed = np.random.SeedSequence(self.seed).generate_state(1, np.uint64)
        self.search.begin(state._array, [int(seed[0])])
        self._is_planted = True


def pick_warm(
    policy: NDArray[np.float64], temperature: float, generator: np.random.Generator
) -> int:
    """Return an action drawn with probability policy ** (1 / temperature)."""
    weights = np.where(policy > 0, policy, 0.0) / policy.max()
    weights = weights ** (1.0 / temperature)
    return int(generator.choice(len(policy), p=weights / weights.sum()))
