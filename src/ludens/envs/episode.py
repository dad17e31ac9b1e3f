"""A game being played, as environments show it: planes, masks, rewards and an end."""

from typing import Any

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from ludens.envs.seen import planes_of
from ludens.errors import IllegalAction
from ludens.game import Planes
from ludens.loading.game import Game, load_game
from ludens.loading.options import OptionValue

ILLEGAL = -1.0
"""The reward of an illegal action, which ends the game, as in pgx."""
METADATA = {"render_modes": ["ansi", "human"], "render_fps": 1}


def open_game(spec: str, **options: OptionValue) -> Game:
    """Load a game that is to be an environment."""
    game = load_game(spec, options=options)
    game.require_rules("an environment")
    return game


def planes_space(game: Game) -> Any:
    """Return the space of observations [planes, rows, columns]."""
    low, high = game.plain.BOUNDS
    return spaces.Box(low, high, game.observation_shape, np.float32)


class Episode:
    """One game from its start to its end; the seed decides what chance does."""

    def __init__(self, game: Game, seed: int, setup: str = "") -> None:
        self.state = game.new(seed, setup)
        self.is_over = self.state.is_over

    def play(self, action: int) -> list[float]:
        """Play an action, which may be illegal; return the reward of each player.

        After the end nothing changes.
        """
        state, rewards = self.state, [0.0] * self.state.game.num_players
        if self.is_over:
            return rewards
        mover = state.to_play
        try:
            rewards[0] = state.apply(int(action))
        except IllegalAction:
            self.is_over, rewards[mover] = True, ILLEGAL
            return rewards
        self.is_over = state.is_over
        if self.is_over and len(rewards) == 2:
            result = state.result or 0.0
            rewards = [result, -result]
        return rewards

    def planes(self, player: int) -> Planes:
        """Return what a player sees, whose turn it need not be."""
        return planes_of(self.state, player)

    def mask(self) -> NDArray[np.int8]:
        """Return 1 for each legal action; after the end for all, as samplers need."""
        if self.is_over:
            return np.ones(self.state.game.num_actions, np.int8)
        return self.state.legal_mask().astype(np.int8)

    def render(self, mode: str | None) -> str | None:
        """Return the board as text, or print it if a person looks on."""
        if mode == "human":
            print(self.state, end="\n\n", flush=True)
        return str(self.state) if mode == "ansi" else None
