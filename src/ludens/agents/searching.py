"""Agents that search a tree, with random games or a network at its leaves."""

import math
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from ludens.agents.agent import (
    NO_LIMIT,
    SLICE_S,
    Agent,
    Limit,
    Thought,
    move_generator,
)
from ludens.agents.analysis import Analysis, analyse_search
from ludens.game import CHANCE
from ludens.loading.game import Game
from ludens.search.config import SearchConfig
from ludens.search.model import Evaluator
from ludens.search.search import Roots, Search
from ludens.settings import setting, verify
from ludens.state import State

MEMORY_TOGETHER = 256 * 2**20
"""Bytes for the trees of the games that an agent is asked about together."""


@dataclass(frozen=True)
class Temperature:
    """When moves are sampled, and how boldly."""

    temperature: float = setting(0.0, "temperature of the move; 0: the best move")
    temperature_plies: int = setting(1000, "plies after which the temperature is 0")

    def __post_init__(self) -> None:
        verify(self)

    def pick(
        self, best: int, policy: NDArray[np.float64], seed: int, state: State
    ) -> int:
        """Return the best action, or a sampled one while the temperature is above 0."""
        if self.temperature == 0 or state.num_plies >= self.temperature_plies:
            return best
        return sample_action(
            policy, self.temperature, move_generator(seed, state.num_plies)
        )


@dataclass(frozen=True)
class PlaySettings(Temperature):
    """How an agent that searches plays, beside the settings of its search."""

    seconds: float = setting(0.0, "time limit per move; 0: none")


class SearchAgent(Agent):
    """Search the tree; the part that a game goes on into is kept for the next move."""

    def __init__(
        self,
        game: Game,
        config: SearchConfig,
        seed: int,
        settings: PlaySettings,
        evaluator: Evaluator | None = None,
        num_games: int = 1,
    ) -> None:
        super().__init__(seed, Limit(config.sims, settings.seconds or None))
        self.name = "mcts" if evaluator is None else "net"
        self.is_batched = evaluator is not None
        self._settings = settings
        self._num_games = num_games
        self._search = Search(game, config, num_games, 1, evaluator, is_lazy=True)
        self._slots: dict[int, int] = {}
        """The tree of each game by its seed; the one not used for longest is first."""
        self._is_restricted = False

    @property
    def search(self) -> Search:
        """The search, with the tree of the last position."""
        return self._search

    @property
    def capacity(self) -> int:
        """As many games as there is memory for; one at a time if there is a clock."""
        if self.default.seconds is not None:
            return 1
        return max(1, MEMORY_TOGETHER // self._search.tree_bytes)

    def compile(self) -> None:
        """Compile the search."""
        self._search.compile()

    def choose_many(
        self,
        states: Sequence[State],
        limit: Limit = NO_LIMIT,
        seeds: Sequence[int] | None = None,
    ) -> list[int]:
        """Return the best actions, or sampled ones while the temperature is above 0."""
        limit = limit.over(self.default)
        games = list(zip(states, self.seeds_of(states, seeds), strict=True))
        size = self._num_games
        return [
            action
            for first in range(0, len(games), size)
            for action in self._choose_part(games[first : first + size], limit)
        ]

    def outlook(self, seed: int) -> float | None:
        """Return the value of the root, for the player who moved there."""
        slot = self._slots.get(seed)
        return None if slot is None else float(self._search.read_roots().values[slot])

    def analyse(self, state: State, limit: Limit = NO_LIMIT) -> Analysis:
        """Return what the search found."""
        limit = limit.over(self.default)
        [slot] = self._settle([(state, self.seed)], limit)
        return self._tell(self._search.run(limit.sims, limit.seconds), slot, state)

    def think(
        self, state: State, limit: Limit = NO_LIMIT, slice_s: float = SLICE_S
    ) -> Iterator[Thought]:
        """Yield what the search knows after each slice of time."""
        limit = limit.over(self.default)
        [slot] = self._settle([(state, self.seed)], limit)
        end_s = time.perf_counter() + (limit.seconds or math.inf)
        sims, left_s = -1, slice_s
        while left_s > 0:
            roots = self._search.run(limit.sims, min(slice_s, left_s))
            yield self._thought(roots, slot, state)
            if roots.sims[slot] in (sims, limit.sims):
                return  # proven or full, or all done
            sims, left_s = int(roots.sims[slot]), end_s - time.perf_counter()

    def _thought(self, roots: Roots, slot: int, state: State) -> Thought:
        return Thought(
            self._pick(roots, slot, state, self.seed),
            lambda num_lines: self._tell(roots, slot, state, num_lines),
        )

    def _tell(
        self, roots: Roots, slot: int, state: State, num_lines: int | None = None
    ) -> Analysis:
        assert slot == 0
        return analyse_search(self.name, self._search, roots, state, num_lines)

    def _choose_part(
        self, games: Sequence[tuple[State, int]], limit: Limit
    ) -> Iterator[int]:
        slots = self._settle(games, limit)
        roots = self._search.run(limit.sims, limit.seconds)
        for slot, (state, seed) in zip(slots, games, strict=True):
            yield self._pick(roots, slot, state, seed)

    def _pick(self, roots: Roots, slot: int, state: State, seed: int) -> int:
        best = int(roots.chosen[slot])
        return self._settings.pick(best, roots.policy[slot], seed, state)

    def _settle(self, games: Sequence[tuple[State, int]], limit: Limit) -> list[int]:
        """Return the slots of games, whose trees begin at their states.

        What an earlier search knows of a state is kept. What is not compiled yet is so
        here, before there is a clock.
        """
        self._search.compile()
        if (limit.sims or 0) > self._search.config.sims:
            self._make_room(limit.sims or 0)
        if self._is_restricted or limit.moves is not None:
            self._slots.clear()
        if not self._slots:
            self._clear()
        new = [game for game in games if game[1] not in self._slots]
        for state, seed in games:
            if seed in self._slots:
                self._slots[seed] = self._slots.pop(seed)
                self._search.reuse(self._slots[seed], state.raw)
        for _, seed in new:
            self._slots[seed] = self._free_slot()
        if new:
            self._plant([self._slots[seed] for _, seed in new], new)
        self._is_restricted = limit.moves is not None
        if limit.moves is not None:
            for state, seed in games:
                num_legal = len(state.legal_actions())
                self._search.restrict(self._slots[seed], limit.moves, num_legal)
        return [self._slots[seed] for _, seed in games]

    def _free_slot(self) -> int:
        if len(self._slots) < self._num_games:
            return len(self._slots)
        return self._slots.pop(next(iter(self._slots)))

    def _plant(self, slots: list[int], games: Sequence[tuple[State, int]]) -> None:
        """Begin new trees."""
        states = self._search.game.states(len(games))
        for i, (state, _) in enumerate(games):
            states[i] = state.raw
        seeds = [seed for _, seed in games]
        self._search.reset(states, seeds, np.array(slots))

    def _make_room(self, sims: int) -> None:
        """Begin anew with trees for more simulations than the settings say."""
        search = self._search
        config = replace(search.config, sims=sims)
        self._search = Search(search.game, config, self._num_games, 1, search.evaluator)
        self._slots.clear()

    def _clear(self) -> None:
        """Let chance be to move in all trees: nothing is searched there."""
        states = self._search.game.states(self._num_games)
        states["to_play"] = CHANCE
        self._search.reset(states, [0] * self._num_games)


def sample_action(
    policy: NDArray[np.float64], temperature: float, generator: np.random.Generator
) -> int:
    """Return an action sampled with probability policy ** (1 / temperature)."""
    weights = np.where(policy > 0, policy, 0.0) / policy.max()
    weights = weights ** (1.0 / temperature)
    return int(generator.choice(len(policy), p=weights / weights.sum()))
