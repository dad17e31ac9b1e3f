"""Our games as environments of Gymnasium: a puzzle, or a game against an agent."""

from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from ludens.agents import agent_maker
from ludens.agents.agent import Agent
from ludens.envs.episode import METADATA, Episode, open_game, planes_space
from ludens.errors import UserError
from ludens.game import Planes
from ludens.loading.options import OptionValue

Info = dict[str, Any]


class GameEnv(gymnasium.Env[Planes, np.int64]):
    """One player of a game; in a two-player game an agent plays the other.

    The observation is what our player sees [planes, rows, columns]. The reward is that
    of the rules, or 1, 0 or -1 for a game that is won, drawn or lost. An illegal action
    loses: `info["action_mask"]` has the legal ones.
    """

    metadata: dict[str, Any] = METADATA

    def __init__(
        self,
        game: str,
        opponent: str | None = None,
        player: int | None = None,
        render_mode: str | None = None,
        **options: OptionValue,
    ) -> None:
        """Open a game with its options; `player` None: a random one each time."""
        self.game = open_game(game, **options)
        self.render_mode = render_mode
        self.observation_space = planes_space(self.game)
        self.action_space = spaces.Discrete(self.game.num_actions)
        players = self.game.num_players
        if players == 1 and opponent is not None:
            raise UserError(f"{self.game.spec} has one player, so no opponent")
        if player is not None and player not in range(players):
            raise UserError(f"{self.game.spec} has no player {player}")
        self._make = agent_maker(opponent or "random", self.game)
        self._seat = 0 if players == 1 else player
        self._player = 0
        self._agent: Agent | None = None
        self._episode: Episode

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Planes, Info]:
        """Begin a game; the option `setup` is a start in the game's words."""
        super().reset(seed=seed)
        word = int(self.np_random.integers(2**53))
        self._player = int(self.np_random.integers(2))
        if self._seat is not None:
            self._player = self._seat
        if self.game.num_players == 2:
            self._agent = self._make(word)
        self._episode = Episode(self.game, word, (options or {}).get("setup", ""))
        self._reply(0.0)
        return self._look()

    def step(self, action: Any) -> tuple[Planes, float, bool, bool, Info]:
        """Play an action, and let the opponent reply."""
        reward = self._reply(self._episode.play(action)[self._player])
        seen, info = self._look()
        return seen, reward, self._episode.is_over, False, info

    def _reply(self, reward: float) -> float:
        """Let the opponent move while it is to; return our reward until then."""
        episode, agent = self._episode, self._agent
        while not episode.is_over and episode.state.to_play != self._player:
            assert agent is not None
            action = agent.choose(episode.state.snapshot())
            reward += episode.play(action)[self._player]
        return float(reward)

    def _look(self) -> tuple[Planes, Info]:
        if self.render_mode == "human":
            self.render()
        episode = self._episode
        return episode.planes(self._player), {"action_mask": episode.mask()}

    def action_masks(self) -> NDArray[np.bool_]:
        """Return whether each action is legal, as MaskablePPO asks for it."""
        return self._episode.mask().astype(np.bool_)

    def render(self) -> Any:
        """Return the board as text (ansi), or print it (human)."""
        return self._episode.render(self.render_mode)
