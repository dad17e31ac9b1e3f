"""Hash tables of states: their 64-bit words hashed, compared and copied."""

import numpy as np
from numpy.typing import NDArray

from ludens.loading.compilable import compilable

Words = NDArray[np.uint64]
"""[W] the 64-bit words of a state"""


@compilable
def hash_words(words: Words) -> np.uint64:
    """Return 64 well-mixed bits; whoever uses them as a key compares the words too."""
    mixed = np.uint64(0x9E3779B97F4A7C15)
    for i in range(len(words)):
        mixed = (mixed ^ words[i]) * np.uint64(0xBF58476D1CE4E5B9)
        mixed ^= mixed >> np.uint64(29)
    return mixed


@compilable
def slot_of(words: Words, size: int) -> int:
    """Return where to look for words in a table whose size is a power of two."""
    return int(np.int64(hash_words(words) & np.uint64(size - 1)))


@compilable
def same_words(one: Words, other: Words) -> bool:
    """Tell whether two states are the same position, word for word."""
    same = True
    for i in range(len(one)):
        same = same and one[i] == other[i]
    return same


@compilable
def copy_words(source: Words, target: Words) -> None:
    """Copy a key into a table."""
    for i in range(len(target)):  # a slice would bring its error messages along
        target[i] = source[i]
