"""A game of self-play: what was played, and what each search thought of it."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

ENDINGS = ("played", "resigned", "cut")


@dataclass(frozen=True)
class Played:
    """One game with its P actions, of the A there are; positions come by replaying."""

    number: int
    """Unique in the run."""
    seed: int
    net: int
    """The version (iteration) of the net that finished it."""
    history: NDArray[np.int32]
    """Actions and chance outcomes in order."""
    kinds: NDArray[np.uint8]
    """[P] 0: not searched (random opening), 1: fast search (value only), 2: full."""
    policies: NDArray[np.float16]
    """[P, A] improved policy or shares of visits, zeros where kind is 0."""
    values: NDArray[np.float32]
    """[P] value of the root for the player to move, 0 where kind is 0."""
    result: float
    """For player 0; in a game for one the score."""
    is_over: bool
    """False if resigned or cut at the limit of moves."""
    ending: str
    """One of ENDINGS."""
