"""A game of PettingZoo: two players take 1 or 2 of 5; who takes the last wins."""

from typing import Any

import numpy as np
from gymnasium import spaces
from pettingzoo import AECEnv


class TakeAway(AECEnv[str, Any, Any]):
    metadata = {"name": "take_away"}  # noqa: RUF012
    possible_agents = ["one", "two"]  # noqa: RUF012

    def observation_space(self, agent: str) -> Any:
        seen, mask = spaces.Box(0, 5, (1,), np.int8), spaces.Box(0, 1, (2,), np.int8)
        return spaces.Dict({"observation": seen, "action_mask": mask})

    def action_space(self, agent: str) -> Any:
        return spaces.Discrete(2)

    def reset(self, seed: int | None = None, options: Any = None) -> None:
        self.agents, self._left = list(self.possible_agents), 5
        self.agent_selection = "one"
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)

    def observe(self, agent: str) -> Any:
        mask = np.array([self._left >= 1, self._left >= 2], np.int8)
        seen = np.array([self._left], np.int8)
        return {"observation": seen, "action_mask": mask}

    def step(self, action: int) -> None:
        mover = self.agent_selection
        other = "two" if mover == "one" else "one"
        self._left -= 1 + action
        if self._left == 0:
            self.rewards = {mover: 1.0, other: -1.0}
            self.terminations = dict.fromkeys(self.agents, True)
        self.agent_selection = other

    def close(self) -> None:
        pass
