"""Positions that were played are searched again, with another net."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ludens.loading.game import Game
from ludens.search.config import SearchConfig
from ludens.search.model import Evaluator
from ludens.search.search import Search


@dataclass(frozen=True)
class Thoughts:
    """What a search thinks of N positions."""

    policies: NDArray[np.float16]
    """[N, A]."""
    values: NDArray[np.float32]
    """[N]."""


def search_positions(
    game: Game,
    config: SearchConfig,
    evaluator: Evaluator,
    states: Any,
    seeds: Sequence[int],
    num_trees: int,
    threads: int = 1,
    should_stop: Callable[[], bool] = lambda: False,
) -> Thoughts | None:
    """Search positions [N], so many at a time; None if somebody wants to stop.

    What is found out about a position depends on its seed and on no other position.
    """
    search = Search(game, config, num_trees, threads, evaluator)
    policies = np.empty((len(states), game.num_actions), np.float16)
    values = np.empty(len(states), np.float32)
    for first in range(0, len(states), num_trees):
        if should_stop():
            return None
        rows = np.arange(first, first + num_trees).clip(max=len(states) - 1)
        search.reset(states[rows], [seeds[row] for row in rows])
        roots, count = search.run(), min(num_trees, len(states) - first)
        policies[first : first + count] = roots.policy[:count]
        values[first : first + count] = roots.values[:count]
    return Thoughts(policies, values)


def join_thoughts(parts: Sequence[Thoughts]) -> Thoughts:
    """Return what parts of the positions, one after the other, are thought of."""
    return Thoughts(
        np.concatenate([part.policies for part in parts]),
        np.concatenate([part.values for part in parts]),
    )
