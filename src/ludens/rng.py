"""All randomness: one law that derives it from a seed, and generators for kernels.

Whatever is random follows from a seed, a purpose and numbers by `key`. A purpose is a
short word that only one place in the package uses, so that no two streams can be the
same by accident. In kernels a generator is splitmix64 over a state of one 64-bit word.
"""

import hashlib
import math
import secrets

import numpy as np
from numpy.typing import NDArray

from ludens.loading.compilable import compilable

Rng = NDArray[np.uint64]
"""A generator for kernels: an array [1]; each game or thread has one of its own."""


def key(seed: int, purpose: str, *numbers: int) -> int:
    """Return the 64 bits that a seed has for a purpose and numbers, such as a ply."""
    text = ",".join((str(int(seed)), purpose, *(str(int(n)) for n in numbers)))
    digest = hashlib.blake2b(text.encode(), digest_size=8).digest()
    return int.from_bytes(digest, "little")


def sub_seed(seed: int, purpose: str, *numbers: int) -> int:
    """Return a key of 53 bits: a seed that a float and JSON hold exactly."""
    return key(seed, purpose, *numbers) >> 11


def uniform(seed: int, purpose: str, *numbers: int) -> float:
    """Return a key as a float in [0, 1)."""
    return sub_seed(seed, purpose, *numbers) * 2.0**-53


def kernel_rng(seed: int, purpose: str, *numbers: int) -> Rng:
    """Return a generator for kernels that starts at a key."""
    return np.array([key(seed, purpose, *numbers)], np.uint64)


def numpy_rng(seed: int, purpose: str, *numbers: int) -> np.random.Generator:
    """Return a NumPy generator that starts at a key."""
    return np.random.default_rng(key(seed, purpose, *numbers))


def new_seed() -> int:
    """Return a seed of 53 bits that nobody can foresee."""
    return secrets.randbits(53)


GOLDEN = np.uint64(0x9E3779B97F4A7C15)
"""2 ** 64 divided by the golden ratio."""


@compilable
def next_word(rng: Rng) -> np.uint64:
    """Return 64 random bits (Steele, Lea and Flood 2014)."""
    rng[0] += GOLDEN
    return mix(rng[0])


@compilable
def mix(word: np.uint64) -> np.uint64:
    """Return a word in which every bit depends on all bits of another."""
    word = (word ^ (word >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    word = (word ^ (word >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return word ^ (word >> np.uint64(31))


@compilable
def spread_fraction(key: np.uint64, turn: int) -> float:
    """Return the float in [0, 1) of a turn; those of successive turns lie far apart."""
    return float((key + np.uint64(turn) * GOLDEN) >> np.uint64(11)) * 2.0**-53


@compilable
def below(rng: Rng, count: int) -> int:
    """Return a random int in [0, count), count < 2**32."""
    return int(((next_word(rng) >> np.uint64(32)) * np.uint64(count)) >> np.uint64(32))


@compilable
def fraction(rng: Rng) -> float:
    """Return a random float in [0, 1)."""
    return float(next_word(rng) >> np.uint64(11)) * 2.0**-53


@compilable
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


@compilable
def normal(rng: Rng) -> float:
    """Return a standard normal number (Box and Muller 1958)."""
    radius = math.sqrt(-2.0 * math.log(1.0 - fraction(rng)))
    return radius * math.cos(2.0 * math.pi * fraction(rng))


@compilable
def gamma(rng: Rng, shape: float) -> float:
    """Return a number of the gamma distribution (Marsaglia and Tsang 2000)."""
    boost = 1.0
    if shape < 1.0:
        boost = (1.0 - fraction(rng)) ** (1.0 / shape)
        shape += 1.0
    d = shape - 1.0 / 3.0
    c = 1.0 / math.sqrt(9.0 * d)
    while True:
        x = normal(rng)
        v = (1.0 + c * x) ** 3
        if v > 0.0:
            u = 1.0 - fraction(rng)
            if math.log(u) < 0.5 * x * x + d - d * v + d * math.log(v):
                return boost * d * v


@compilable
def gumbel(rng: Rng) -> float:
    """Return a standard Gumbel number."""
    return -math.log(-math.log(1.0 - fraction(rng) * (1.0 - 2.0**-53)))
