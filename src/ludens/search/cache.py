"""The evaluation cache: what a network said of positions, by their 64-bit words.

A hash table [a power of two] without chains: a new position overwrites the one in its
slot. Length 0 means no cache.
"""

from typing import Any

import numpy as np

from ludens.loading.compilable import compilable
from ludens.loading.hashing import copy_words, same_words, slot_of
from ludens.search.tree import Array


def cache_entry(num_words: int, num_actions: int) -> np.dtype[Any]:
    """Return the record of an entry: key [W], logits [A] and value of a position."""
    fields = [
        ("key", np.uint64, num_words),
        ("logits", np.float32, num_actions),
        ("value", np.float32),
        ("used", np.int32),
    ]
    return np.dtype((np.record, np.dtype(fields, align=True)))


@compilable
def look_up(cache: Array, key: Array) -> int:
    """Return the slot that holds this very position, -1 if none does."""
    if len(cache) == 0:
        return -1
    slot = slot_of(key, len(cache))
    is_known = cache[slot].used != 0 and same_words(cache[slot].key, key)
    return slot if is_known else -1


@compilable
def store(cache: Array, key: Array, logits: Array, value: float) -> None:
    """Keep the evaluation of a position."""
    if len(cache) == 0:
        return
    entry = cache[slot_of(key, len(cache))]
    entry.used = 1
    entry.value = value
    copy_words(key, entry.key)
    for a in range(len(entry.logits)):  # a slice would bring its error messages along
        entry.logits[a] = logits[a]
