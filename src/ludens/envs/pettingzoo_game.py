"""Our games as environments of PettingZoo, in which the players act in turn."""

from typing import Any

import numpy as np
from gymnasium import spaces
from pettingzoo import AECEnv
from pettingzoo.utils.wrappers import OrderEnforcingWrapper

from ludens.envs.episode import METADATA, Episode, open_game, planes_space
from ludens.loading.options import OptionValue
from ludens.rng import new_seed, sub_seed


def env(game: str, render_mode: str | None = None, **options: OptionValue) -> Any:
    """Return a game as an environment that says so if it is used in a wrong order."""
    return OrderEnforcingWrapper(TurnsEnv(game, render_mode, **options))


class TurnsEnv(AECEnv):  # type: ignore[misc]
    """A game whose agents, player_0 and player_1, act when it is their turn.

    An observation is {"observation": [planes, rows, columns], "action_mask": [A]}, as
    the agent sees it who asks. An illegal action ends the game with -1 for its agent.
    """

    def __init__(
        self, game: str, render_mode: str | None = None, **options: OptionValue
    ) -> None:
        super().__init__()
        self.game = open_game(game, **options)
        self.metadata = METADATA | {"name": self.game.spec, "is_parallelizable": False}
        self.render_mode = render_mode
        count = range(self.game.num_players)
        self.possible_agents = [f"player_{number}" for number in count]
        self.action_spaces = {
            agent: spaces.Discrete(self.game.num_actions)
            for agent in self.possible_agents
        }
        self.observation_spaces = {
            agent: self._seen_space() for agent in self.possible_agents
        }
        self._seed, self._num_games = new_seed(), 0
        self._episode: Episode

    def _seen_space(self) -> spaces.Dict:
        mask = spaces.Box(0, 1, (self.game.num_actions,), np.int8)
        return spaces.Dict(observation=planes_space(self.game), action_mask=mask)

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        """Return the space of what an agent sees."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Space[Any]:
        """Return the space of what an agent may do."""
        return self.action_spaces[agent]

    def reset(
        self, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> None:
        """Begin a game; the option `setup` is a start in the game's words."""
        if seed is not None:
            self._seed, self._num_games = seed, 0
        word = sub_seed(self._seed, "reset", self._num_games)
        self._num_games += 1
        self._episode = Episode(self.game, word, (options or {}).get("setup", ""))
        self.agents = list(self.possible_agents)
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in self.agents}
        self.agent_selection = self.agents[max(0, self._episode.state.to_play)]
        self._show()

    def observe(self, agent: str) -> dict[str, Any]:
        """Return what an agent sees, and what is legal if it is its turn."""
        player = self.possible_agents.index(agent)
        episode = self._episode
        mask = episode.mask()
        if not episode.is_over and episode.state.to_play != player:
            mask[:] = 0
        return {"observation": episode.planes(player), "action_mask": mask}

    def step(self, action: Any) -> None:
        """Play an action of the agent whose turn it is."""
        agent = self.agent_selection
        if self.terminations[agent]:
            self._was_dead_step(action)
            return
        self._cumulative_rewards[agent] = 0.0
        rewards = self._episode.play(action)
        self.rewards = dict(zip(self.agents, rewards, strict=True))
        self._accumulate_rewards()
        if self._episode.is_over:
            self.terminations = dict.fromkeys(self.agents, True)
            self.agent_selection = self._next(agent)
        else:
            self.agent_selection = self.agents[self._episode.state.to_play]
        self._show()

    def _next(self, agent: str) -> str:
        return self.agents[(self.agents.index(agent) + 1) % len(self.agents)]

    def _show(self) -> None:
        if self.render_mode == "human":
            self.render()

    def render(self) -> str | None:
        """Return the board as text (ansi), or print it (human)."""
        return self._episode.render(self.render_mode)

    def close(self) -> None:
        """Let nothing go: there is nothing open."""

    def __str__(self) -> str:
        return str(self.game.spec)
