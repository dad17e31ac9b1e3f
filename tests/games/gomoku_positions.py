"""Positions of gomoku with many stones."""

import random
from typing import Any

from ludens import Game, State


def crowded(game: Game, rng: random.Random, pairs: int) -> State:
    """Return a position with stones at random points in which nobody has won."""
    while True:
        state = game.new()
        cells = rng.sample(range(game.num_actions), 2 * pairs)
        state.raw.board[cells[:pairs]], state.raw.board[cells[pairs:]] = 1, -1
        state.raw.ply, state.raw.to_play = 2 * pairs, rng.randint(0, 1)
        wins: Any = game.plain
        if not any(wins.wins(state.raw.board, c, state.raw.board[c]) for c in cells):
            return state
