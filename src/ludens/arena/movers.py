"""Those who choose moves for many games at once."""

from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from ludens.agents.agent import move_generator
from ludens.game import CHANCE
from ludens.loading.game import Game
from ludens.rng import key
from ludens.search.config import SearchConfig
from ludens.search.model import Evaluator
from ludens.search.search import Roots, Search

Numbers = NDArray[np.int64]
SLOTS = 64
"""Games that one search holds; more are searched one batch after the other."""


class Mover(Protocol):
    """One who chooses moves for many states of different games together."""

    def choose_many(self, states: Any, plies: Numbers, seeds: Numbers) -> Numbers:
        """Return a legal action for each state [n].

        A seed belongs to a game, the number of plies to the state in it.
        """


class RandomMover:
    """Pick any legal move, the one that a random agent of this seed picks."""

    def __init__(self, game: Game) -> None:
        self.game = game

    def choose_many(self, states: Any, plies: Numbers, seeds: Numbers) -> Numbers:
        """Return a legal action for each state, each as likely as the others."""
        chosen = np.empty(len(states), np.int64)
        actions = np.empty(self.game.num_actions, np.int32)
        for i, (ply, seed) in enumerate(zip(plies, seeds, strict=True)):
            count = self.game.rules.legal(states[i], actions)
            chosen[i] = actions[int(move_generator(seed, ply).integers(count))]
        return chosen


class PolicyMover:
    """Play what a network likes best, without a search."""

    def __init__(self, game: Game, evaluator: Evaluator) -> None:
        self.game = game
        self.evaluator = evaluator

    def choose_many(self, states: Any, plies: Numbers, seeds: Numbers) -> Numbers:
        """Return the likeliest legal action of each state."""
        game = self.game
        planes = np.zeros((len(states), *game.observation_shape), np.float32)
        for i in range(len(states)):
            game.rules.observe(states[i], planes[i])
        logits = self.evaluator(planes).logits
        liked = np.where(legal_mask(game, states), logits, -np.inf)
        chosen: Numbers = np.argmax(liked, axis=1)
        return chosen


class SearchMover:
    """Search all states at once; trees are planted anew for each move."""

    def __init__(
        self,
        game: Game,
        config: SearchConfig,
        evaluator: Evaluator | None = None,
        threads: int = 1,
        slots: int = SLOTS,
    ) -> None:
        self.slots = slots
        self.search = Search(game, config, slots, threads, evaluator)

    def choose_many(self, states: Any, plies: Numbers, seeds: Numbers) -> Numbers:
        """Return the action that a search chooses for each state."""
        pairs = zip(seeds, plies, strict=True)
        words = np.array([key(s, "ply", ply) for s, ply in pairs], np.uint64)
        chosen = np.empty(len(states), np.int64)
        for first in range(0, len(states), self.slots):
            batch = slice(first, first + self.slots)
            places, roots = self._run(states[batch], words[batch])
            chosen[batch] = roots.chosen[places]
        return chosen

    def _run(self, states: Any, words: NDArray[np.uint64]) -> tuple[Numbers, Roots]:
        """Search up to as many states as there are slots; tell where each one is.

        They are spread over the slots, so that all threads have some. In the others it
        is chance's turn: nothing is searched there.
        """
        places = np.arange(len(states)) * self.slots // len(states)
        roots = self.search.game.states(self.slots)
        roots["to_play"] = CHANCE
        roots[places] = states
        seeds = np.zeros(self.slots, np.uint64)
        seeds[places] = words
        self.search.reset(roots, seeds.tolist())
        return places, self.search.run()


def legal_mask(game: Game, states: Any) -> NDArray[np.bool_]:
    """Tell which actions are legal in each state [n, A]."""
    mask = np.zeros((len(states), game.num_actions), np.bool_)
    actions = np.empty(game.num_actions, np.int32)
    for i in range(len(states)):
        count = game.rules.legal(states[i], actions)
        mask[i, actions[:count]] = True
    return mask
