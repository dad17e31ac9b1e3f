"""The record of a self-play game: its moves, and what each search thought of them."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

ENDINGS = ("played", "resigned", "cut")
NOT_SEARCHED, FAST, FULL = 0, 1, 2
"""Kinds of moves: random opening, fast search (teaches a value only), full search."""


@dataclass(frozen=True)
class GameRecord:
    """One game with its P actions, of the A there are; positions come by replaying."""

    number: int
    """Unique in the run."""
    seed: int
    net: int
    """The version (iteration) of the net that finished it."""
    history: NDArray[np.int32]
    """Actions and chance outcomes in order."""
    kinds: NDArray[np.uint8]
    """[P] NOT_SEARCHED, FAST or FULL"""
    policies: NDArray[np.float16]
    """[P, A] improved policy or shares of visits, zeros where not searched"""
    values: NDArray[np.float32]
    """[P] value of the root for the player to move, 0 where not searched"""
    result: float
    """For player 0; in a single-player game the score."""
    is_over: bool
    """False if resigned or cut at the limit of moves."""
    ending: str
    """One of ENDINGS."""

    @property
    def num_positions(self) -> int:
        """How many positions were searched."""
        return int(np.count_nonzero(self.kinds))
