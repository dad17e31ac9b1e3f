"""One game of self-play while it is played."""

from typing import Any

import numpy as np

from ludens.game import CHANCE, OVER
from ludens.loading import Game
from ludens.rng import Rng, new_rng, seed_from
from ludens.selfplay.played import Played

KERNEL = "ludens.kernels.selfplay"
DICE, MOVE, OPENING, LENGTH, PLAN = range(5)
"""What a random number is for: each has a generator of its own at each step."""
OPENED, FAST, FULL = 0, 1, 2
"""Kinds of actions: random opening, quick search, full search."""


class Ongoing:
    """A game in progress; all that is random in it follows from its seed."""

    def __init__(self, game: Game, number: int, seed: int) -> None:
        self.game = game
        self.number = number
        self.seed = seed
        self._kernel = game.kernel(KERNEL)
        self._outcomes = np.empty(64, np.int32)
        self.restart()

    @classmethod
    def resume(cls, game: Game, played: Played) -> "Ongoing":
        """Go on with a game that an iteration left unfinished."""
        ongoing = cls(game, played.number, played.seed)
        movers = np.zeros(len(played.history), np.int8)
        score, plies = ongoing._kernel.retrace(
            ongoing._states, played.history.astype(np.int32), movers
        )
        ongoing.history = [int(entry) for entry in played.history]
        ongoing.score = score
        ongoing.movers = [int(mover) for mover in movers[:plies]]
        ongoing.kinds = [int(kind) for kind in played.kinds]
        ongoing.policies = list(played.policies)
        ongoing.values = [float(value) for value in played.values]
        return ongoing

    def restart(self) -> None:
        """Go back to the start, where chance has had its turn."""
        self._states = self.game.states(2)  # the second stays empty, for `retrace`
        self.history: list[int] = []
        self.movers: list[int] = []
        self.kinds: list[int] = []
        self.policies: list[Any] = []
        self.values: list[float] = []
        self.score = 0.0
        self.game.rules.start(self.state)
        self._roll()

    @property
    def state(self) -> Any:
        """The record of the state."""
        return self._states[0]

    @property
    def num_plies(self) -> int:
        """How many actions were played."""
        return len(self.kinds)

    @property
    def is_over(self) -> bool:
        """Whether the game has ended."""
        return bool(self.state.to_play == OVER)

    def rng(self, purpose: int) -> Rng:
        """Return the generator for one purpose at this step."""
        return new_rng(self.seed, len(self.history), purpose)

    def fraction(self, purpose: int) -> float:
        """Return a number in [0, 1) for one purpose at this step."""
        return seed_from(self.seed, len(self.history), purpose) / 2**64

    def opinions(self, player: int) -> list[float]:
        """Return what the searches of a player thought of the game, in order."""
        searched = zip(self.values, self.movers, self.kinds, strict=True)
        return [value for value, mover, kind in searched if kind and mover == player]

    def play(self, action: int, kind: int, policy: Any, value: float) -> None:
        """Play an action, then let chance have its turn."""
        self.movers.append(int(self.state.to_play))
        self.kinds.append(kind)
        self.policies.append(policy)
        self.values.append(value)
        self.score += self._kernel.step(self.state, action)
        self.history.append(action)
        self._roll()

    def open(self, num_plies: int) -> None:
        """Play random moves; none if the game would end in them."""
        nothing = np.zeros(self.game.num_actions, np.float16)
        for _ in range(num_plies):
            action = self._kernel.pick_random(self.state, self.rng(OPENING))
            self.play(int(action), OPENED, nothing, 0.0)
            if self.is_over:
                self.restart()
                return

    def record(self, net: int, ending: str) -> Played:
        """Write the game down."""
        return Played(
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

    def _result(self, ending: str) -> float:
        if self.game.num_players == 1:
            return self.score
        if ending == "resigned":
            return 1.0 if self.state.to_play == 1 else -1.0
        return float(self.game.rules.result(self.state)) if self.is_over else 0.0

    def _roll(self) -> None:
        while self.state.to_play == CHANCE:
            rng = self.rng(DICE)
            reward, count = self._kernel.roll(self.state, rng, self._outcomes)
            self.score += reward
            self.history += [int(outcome) for outcome in self._outcomes[:count]]
