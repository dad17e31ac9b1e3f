"""Self-play in environments: episodes, which are kept as they were seen."""

from dataclasses import replace
from typing import Any

import numpy as np

from ludens.loading.environments.environment import Episode
from ludens.loading.game import Game
from ludens.rng import uniform
from ludens.selfplay.active import ActiveGame
from ludens.selfplay.share import GameRecord, Trace


class NotTheSame(Exception):
    """An environment did not do again what it has done before."""


class ActiveEpisode(ActiveGame):
    """An episode in progress: the environment moves where rules would."""

    def __init__(
        self, game: Game, number: int, seed: int, states: Any, slot: int
    ) -> None:
        assert game.environment is not None
        self._episode = Episode(game.environment, states[slot : slot + 1])
        super().__init__(game, number, seed, states, slot)

    @classmethod
    def resume(
        cls, game: Game, played: GameRecord, states: Any, slot: int
    ) -> "ActiveGame":
        """Go on with an episode; NotTheSame if the environment does something else."""
        active = super().resume(game, played, states, slot)
        trace = active.record(played.net, "cut").trace
        assert trace is not None
        assert played.trace is not None
        if not trace.is_like(played.trace):
            raise NotTheSame
        return active

    @property
    def is_cut(self) -> bool:  # type: ignore[override]
        """Whether the time of the environment is up."""
        return self._episode.is_cut

    def _retrace(self, history: Any) -> None:
        self._seen: list[Any] = []
        self._rewards: list[float] = []
        self.score, self.history, self.movers = 0.0, history.tolist(), []
        self._episode.begin(self.seed)
        self._look()
        for action in self.history:
            if self._read_to_play() < 0 or self.is_cut:
                raise NotTheSame
            self.movers.append(self._read_to_play())
            self.score += self.step(action)
        self.to_play = self._read_to_play()

    def step(self, action: int) -> float:
        """Take an action; return its reward."""
        if not self._states[self._slot]["legal"][action]:
            raise NotTheSame
        self._rewards.append(self._episode.step(action))
        self._look()
        return self._rewards[-1]

    def _step_at_random(self) -> tuple[int, float]:
        legal = np.flatnonzero(self._states[self._slot]["legal"])
        share = uniform(self.seed, "venture", self.num_plies)
        action = int(legal[int(share * len(legal))])
        return action, self.step(action)

    def _look(self) -> None:
        """Keep the state that the environment is in."""
        self._seen.append(self._states[self._slot].copy())

    def record(self, net: int, ending: str) -> GameRecord:
        """Write the episode down, with what was seen."""
        seen = self._seen
        trace = Trace(
            np.array([state["observation"] for state in seen], np.float32),
            np.array([state["legal"] for state in seen]).astype(np.bool_),
            np.array([state["to_play"] for state in seen], np.int8),
            np.array(self._rewards, np.float32),
        )
        return replace(super().record(net, ending), trace=trace)

    def close(self) -> None:
        """Let the environment go."""
        self._episode.close()
