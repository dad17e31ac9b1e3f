"""Agents that look one move ahead, or two, without a tree."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ludens.agents import kernel as agents_kernel
from ludens.agents.agent import MANY, NO_LIMIT, Agent, Limit, move_generator
from ludens.agents.analysis import Analysis
from ludens.agents.simple import tell_scores
from ludens.errors import UserError
from ludens.loading.game import Game
from ludens.rng import key
from ludens.settings import setting, verify
from ludens.state import State

ROOM = 5
"""States that the kernel works with."""
Scores = dict[int, tuple[float, float]]
"""What each action gains, and how many moves it leaves open."""


@dataclass(frozen=True)
class Foresight:
    """How far ahead an agent looks."""

    refills: int = setting(16, "chance outcomes to average over", low=1)

    def __post_init__(self) -> None:
        verify(self)


class GreedyAgent(Agent):
    """Take what gains most at once, then what leaves the most moves open.

    In two-player games: win at once, else leave the opponent as few ways as possible to
    do so, then play what the game's heuristic thinks best. Where chance comes next, one
    outcome is sampled, the same for every move.
    """

    name = "greedy"
    capacity = MANY
    _look, _weigh = "look", "weigh"

    def __init__(self, game: Game, seed: int, samples: int = 1) -> None:
        super().__init__(seed)
        kernel = game.kernel(agents_kernel)
        look = self._weigh if has_heuristic(game) else self._look
        self._run: Any = getattr(kernel, look)
        self._samples = samples
        self._states = game.states(ROOM)
        self._actions = np.empty(game.num_actions, np.int32)
        self._gains, self._opens = np.empty((2, game.num_actions))

    def choose_many(
        self,
        states: Sequence[State],
        limit: Limit = NO_LIMIT,
        seeds: Sequence[int] | None = None,
    ) -> list[int]:
        """Return one of the best actions of each state, sampled."""
        return [
            self._choose(state, seed)
            for state, seed in zip(states, self.seeds_of(states, seeds), strict=True)
        ]

    def _choose(self, state: State, seed: int) -> int:
        scores = self._scores(state, seed)
        top = max(scores.values())
        best = [action for action, score in scores.items() if score == top]
        return best[int(move_generator(seed, state.num_plies).integers(len(best)))]

    def analyse(self, state: State, limit: Limit = NO_LIMIT) -> Analysis:
        """Return what each move gains."""
        scores = self._scores(state, self.seed)
        gains = {action: gain for action, (gain, _) in scores.items()}
        opens = {action: left for action, (_, left) in scores.items()}
        alike = dict.fromkeys(scores, 1 / len(scores))
        return tell_scores(self.name, state, gains, alike, ties=opens)

    def _scores(self, state: State, seed: int) -> Scores:
        self._states[0] = state.raw
        word = np.uint64(key(seed, "foresight", state.num_plies))
        count = self._run(
            self._states, self._samples, word, self._actions, self._gains, self._opens
        )
        # Sums of the same rewards in another order are the same gain.
        gains = self._gains[:count].round(9).tolist()
        found = zip(gains, self._opens[:count].tolist(), strict=True)
        return dict(zip(self._actions[:count].tolist(), found, strict=True))


class LookaheadAgent(GreedyAgent):
    """Add the best reply, on average over what chance may do first.

    In two-player games it is the opponent's, by the heuristic.
    """

    name = "lookahead"
    _look, _weigh = "look_twice", "weigh_twice"

    def __init__(self, game: Game, seed: int, foresight: Foresight) -> None:
        super().__init__(game, seed, foresight.refills)


def has_heuristic(game: Game) -> bool:
    """Tell whether two players have a heuristic to go by."""
    return game.num_players == 2 and game.defines("heuristic")


def can_look_ahead(game: Game) -> bool:
    """Tell whether there is something to look ahead to: rewards or a heuristic."""
    return game.num_players == 1 or has_heuristic(game)


def require_foresight(game: Game) -> None:
    """Refuse a game that lookahead cannot play."""
    if not can_look_ahead(game):
        raise UserError(
            f"{game.name} is for two players and defines no heuristic, which lookahead"
            " plays by"
        )
