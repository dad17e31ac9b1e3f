"""A self-play game in progress, and when a player resigns it."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from ludens.game import CHANCE, OVER
from ludens.loading.game import Game
from ludens.rng import kernel_rng, uniform
from ludens.selfplay import kernel as selfplay_kernel
from ludens.selfplay.config import SelfplayConfig
from ludens.selfplay.share import NOT_SEARCHED, GameRecord

MOST_OUTCOMES = 64
"""Outcomes of chance that are drawn with one generator."""


class ActiveGame:
    """A game in progress; all that is random in it follows from its seed.

    Its state is one of an array, so that a kernel can move many games at once.
    """

    is_cut = False
    """Whether it cannot go on, though it is not over."""

    def __init__(
        self, game: Game, number: int, seed: int, states: Any, slot: int
    ) -> None:
        self.game = game
        self.number = number
        self.seed = seed
        self._states = states
        self._slot = slot
        self._kernel = game.kernel(selfplay_kernel)
        self.restart()

    @classmethod
    def resume(
        cls, game: Game, played: GameRecord, states: Any, slot: int
    ) -> "ActiveGame":
        """Go on with a game that an iteration left unfinished."""
        active = cls(game, played.number, played.seed, states, slot)
        active._retrace(played.history.astype(np.int32))
        active.kinds = played.kinds.tolist()
        active.policies = list(played.policies)
        active.values = played.values.tolist()
        return active

    def restart(self) -> None:
        """Go back to the start, where chance has had its turn."""
        self.kinds: list[int] = []
        self.policies: list[Any] = []
        self.values: list[float] = []
        self._retrace(np.empty(0, np.int32))
        self._roll()

    def _retrace(self, history: Any) -> None:
        """Set the state to the one that a history leads to."""
        movers, blank = np.empty(len(history), np.int8), self.game.states(1)
        score, plies = self._kernel.retrace(
            self._states, self._slot, blank, history, movers
        )
        self.score: float = score
        self.history: list[int] = history.tolist()
        self.movers: list[int] = movers[:plies].tolist()
        self.to_play = self._read_to_play()

    @property
    def num_plies(self) -> int:
        """How many actions were played."""
        return len(self.kinds)

    @property
    def is_over(self) -> bool:
        """Whether the game has ended."""
        return self.to_play == OVER

    def opinions(self, player: int) -> list[float]:
        """Return what the searches of a player thought of the game, in order."""
        searched = zip(self.values, self.movers, self.kinds, strict=True)
        return [value for value, mover, kind in searched if kind and mover == player]

    def note(self, action: int, reward: float, to_play: int) -> None:
        """Note an action that was played and who is next; chance has its turn."""
        self.movers.append(self.to_play)
        self.history.append(action)
        self.score += reward
        self.to_play = to_play
        if to_play == CHANCE:
            self._roll()

    def note_search(self, kind: int, policy: Any, value: float) -> None:
        """Note what was thought of the action that is played next."""
        self.kinds.append(kind)
        self.policies.append(policy)
        self.values.append(value)

    def open(self, num_plies: int) -> None:
        """Play random moves; none if the game would end in them."""
        nothing = np.zeros(self.game.num_actions, np.float16)
        for _ in range(num_plies):
            action, reward = self._step_at_random()
            self.note_search(NOT_SEARCHED, nothing, 0.0)
            self.note(action, reward, self._read_to_play())
            if self.is_over or self.is_cut:
                self.restart()
                return

    def _step_at_random(self) -> tuple[int, float]:
        """Play any legal action; return it and its reward."""
        rng = kernel_rng(self.seed, "random", self.num_plies)
        action, reward = self._kernel.step_at_random(self._states, self._slot, rng)
        return int(action), float(reward)

    def record(self, net: int, ending: str) -> GameRecord:
        """Write the game down."""
        return GameRecord(
            number=self.number,
            seed=self.seed,
            net=net,
            history=np.array(self.history, np.int32),
            kinds=np.array(self.kinds, np.uint8),
            policies=np.array(self.policies, np.float16).reshape(
                -1, self.game.num_actions
            ),
            values=np.array(self.values, np.float32),
            result=self._result(ending),
            is_over=self.is_over,
            ending=ending,
        )

    def close(self) -> None:
        """Let go what is held for the game: rules hold nothing."""

    def _result(self, ending: str) -> float:
        if self.game.num_players == 1:
            return self.score
        if ending == "resigned":
            return 1.0 if self.to_play == 1 else -1.0
        if not self.is_over:
            return 0.0
        return float(self.game.rules.result(self._states[self._slot]))

    def _read_to_play(self) -> int:
        return int(self._states[self._slot].to_play)

    def _roll(self) -> None:
        outcomes = np.empty(MOST_OUTCOMES, np.int32)
        while self.to_play == CHANCE:
            rng = kernel_rng(self.seed, "chance", len(self.history))
            reward, count = self._kernel.roll(self._states, self._slot, rng, outcomes)
            self.score += reward
            self.history += outcomes[:count].tolist()
            self.to_play = self._read_to_play()


@dataclass(frozen=True)
class Resigning:
    """When a player resigns; a control sample shows whether that is right."""

    config: SelfplayConfig
    num_players: int

    @property
    def is_on(self) -> bool:
        """Whether games may be resigned at all."""
        return self.config.resign_below > 0 and self.num_players == 2

    def is_control(self, active: ActiveGame) -> bool:
        """Tell whether a game is one of those that show if giving up is right."""
        return uniform(active.seed, "control") < self.config.resign_control

    def resigns(self, active: ActiveGame) -> bool:
        """Tell whether the player to move resigns."""
        if not self.is_on or self.is_control(active):
            return False
        return self._is_hopeless(active.opinions(active.to_play))

    def would_have_resigned(self, active: ActiveGame) -> list[int]:
        """Return the players who would have resigned a game of the control sample."""
        if not self.is_on or not self.is_control(active):
            return []
        return [player for player in (0, 1) if self._ever(active.opinions(player))]

    def _ever(self, opinions: list[float]) -> bool:
        ends = range(1, len(opinions) + 1)
        return any(self._is_hopeless(opinions[:end]) for end in ends)

    def _is_hopeless(self, opinions: list[float]) -> bool:
        """Tell whether the newest values of a player are all below the limit."""
        config = self.config
        last = opinions[-config.resign_plies :]
        return len(last) == config.resign_plies and max(last) < -config.resign_below
