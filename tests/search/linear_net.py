"""A tiny fixed "network" for connect four, the same numbers in every library.

Weights are whole numbers from a linear congruential generator, outputs are whole
numbers over a power of two: exact in float32 already, so that nothing depends on how a
library rounds.
"""

import numpy as np
from numpy.typing import NDArray

from ludens.search.model import Evaluation

NUM_INPUTS = 2 * 6 * 7  # own discs, opponent's discs; rows from the top
NUM_ACTIONS = 7
LOGIT_UNIT, VALUE_UNIT = 2048, 4096


def weights() -> NDArray[np.int64]:
    """Return [8, 84] whole numbers: 7 rows for logits, 1 for the value.

    They are random in [-1000, 1000], but discs in the upper half of a column speak
    against the column, so that searches seldom fill one.
    """
    word, numbers = 2026, []
    for _ in range((NUM_ACTIONS + 1) * NUM_INPUTS):
        word = (1_103_515_245 * word + 12_345) % 2**31
        numbers.append((word >> 8) % 2001 - 1000)
    table = np.array(numbers).reshape(NUM_ACTIONS + 1, 2, 6, 7)
    for column in range(NUM_ACTIONS):
        table[column, :, :3, column] -= 8000
    return table.reshape(NUM_ACTIONS + 1, NUM_INPUTS)


def evaluate(planes: NDArray[np.float32]) -> Evaluation:
    """Return logits [M, 7] and values [M] in (-1, 1) of planes [M, 2, 6, 7]."""
    sums = planes.reshape(len(planes), NUM_INPUTS).astype(np.int64) @ weights().T
    values = np.clip(sums[:, 7], 1 - VALUE_UNIT, VALUE_UNIT - 1) / VALUE_UNIT
    logits = sums[:, :NUM_ACTIONS] / LOGIT_UNIT
    return Evaluation(logits.astype(np.float32), values.astype(np.float32))
