"""A hash of the 64-bit words of a state."""

import numpy as np
from numpy.typing import NDArray

from ludens.loading.compilable import compilable


@compilable
def hash_words(words: NDArray[np.uint64]) -> np.uint64:
    """Return 64 well-mixed bits; whoever uses them as a key compares the words too."""
    mixed = np.uint64(0x9E3779B97F4A7C15)
    for i in range(len(words)):
        mixed = (mixed ^ words[i]) * np.uint64(0xBF58476D1CE4E5B9)
        mixed ^= mixed >> np.uint64(29)
    return mixed
