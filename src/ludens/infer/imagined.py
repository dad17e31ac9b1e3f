"""What a learned model says, read so that a search can use it."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ludens.nets.config import Sizes
from ludens.nets.heads import TURNS
from ludens.nets.weights import NetCard
from ludens.search.model import ModelSizes

LEAST_LEGAL = 0.05
"""Actions less likely to be legal than this are not tried."""
_LEAST_LOGIT = np.log(LEAST_LEGAL / (1 - LEAST_LEGAL))
_OVER = TURNS.index("over")


def model_sizes(card: NetCard) -> ModelSizes:
    """Return what the search must know of a learned model."""
    sizes, alternates = card.sizes, card.config.turns == "alternating"
    return ModelSizes(sizes.actions, sizes.players, sizes.outcomes, alternates)


def turns_of(shares: NDArray[np.float32], sizes: Sizes) -> NDArray[np.int8]:
    """Return the likeliest of `TURNS` [M]; over only if that is likelier than not.

    `shares` [M, 4] says how likely each is.
    """
    possible = [True, sizes.players == 2, sizes.outcomes > 0]
    likeliest = (shares[:, :_OVER] * possible).argmax(1)
    turns: NDArray[Any] = np.where(shares[:, _OVER] > 0.5, _OVER, likeliest)
    return turns.astype(np.int8)


def legal_of(logits: NDArray[np.float32]) -> NDArray[np.bool_]:
    """Return which actions are taken to be legal [M, A]; of each row at least one."""
    legal: NDArray[np.bool_] = logits > _LEAST_LOGIT
    empty = np.flatnonzero(~legal.any(1))
    legal[empty, logits[empty].argmax(1)] = True
    return legal
