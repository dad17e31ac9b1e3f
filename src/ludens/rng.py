"""Random numbers for kernels: splitmix64 over a state of one 64-bit word."""

import numpy as np
from numba.extending import register_jitable
from numpy.typing import NDArray

Rng = NDArray[np.uint64]
"""The generator: an array [1]; give each game or thread one of its own."""


@register_jitable
def next_word(rng: Rng) -> np.uint64:
    """Return 64 random bits (Steele, Lea and Flood 2014)."""
    rng[0] += np.uint64(0x9E3779B97F4A7C15)
    word: np.uint64 = rng[0]
    word = (word ^ (word >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    word = (word ^ (word >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return word ^ (word >> np.uint64(31))


@register_jitable
def below(rng: Rng, count: int) -> int:
    """Return a random int in [0, count), count < 2**32."""
    return int(((next_word(rng) >> np.uint64(32)) * np.uint64(count)) >> np.uint64(32))


@register_jitable
def fraction(rng: Rng) -> float:
    """Return a random float in [0, 1)."""
    return float(next_word(rng) >> np.uint64(11)) * 2.0**-53


@register_jitable
def pick(rng: Rng, probabilities: NDArray[np.float64], count: int) -> int:
    """Return an index drawn with these probabilities, never one of probability 0."""
    left = fraction(rng)
    chosen = 0
    for i in range(count):
        if probabilities[i] > 0.0:
            chosen = i
            left -= probabilities[i]
            if left < 0.0:
                break
    return chosen
