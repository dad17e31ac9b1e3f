"""Priorities in a tree of sums, to draw in proportion to them."""

import numpy as np
from numpy.typing import NDArray

Indices = NDArray[np.int64]


class SumTree:
    """Priorities as leaves of a binary tree whose nodes hold the sums below them."""

    def __init__(self, priorities: NDArray[np.float64]) -> None:
        self.size = len(priorities)
        self._first_leaf = 1 << max(0, self.size - 1).bit_length()
        self._sums = np.zeros(2 * self._first_leaf)
        self._sums[self._first_leaf :][: self.size] = priorities
        level = self._first_leaf // 2
        while level >= 1:
            below = self._sums[2 * level : 4 * level]
            self._sums[level : 2 * level] = below[::2] + below[1::2]
            level //= 2

    @property
    def total(self) -> float:
        """The sum of all priorities."""
        return float(self._sums[1])

    def __getitem__(self, indices: Indices) -> NDArray[np.float64]:
        return self._sums[self._first_leaf + indices]

    def __setitem__(self, indices: Indices, priorities: NDArray[np.float64]) -> None:
        nodes = self._first_leaf + indices
        self._sums[nodes] = priorities
        while len(nodes) and nodes[0] > 1:
            nodes = np.unique(nodes // 2)
            self._sums[nodes] = self._sums[2 * nodes] + self._sums[2 * nodes + 1]

    def draw(self, count: int, rng: np.random.Generator) -> Indices:
        """Return indices [count], one from each of `count` equal parts of the total."""
        points = (np.arange(count) + rng.random(count)) * (self.total / count)
        nodes = np.ones(count, np.int64)
        while nodes[0] < self._first_leaf:
            nodes *= 2
            left = self._sums[nodes]
            goes_right = points >= left
            points -= np.where(goes_right, left, 0.0)
            nodes += goes_right
        # Rounding may lead one step beyond the last leaf.
        return np.minimum(nodes - self._first_leaf, self.size - 1)
