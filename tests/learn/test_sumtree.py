"""The sum tree draws in proportion to priorities."""

import numpy as np
import pytest

from ludens.learn.sumtree import SumTree


@pytest.mark.parametrize("size", [1, 2, 5, 8, 1000])
def test_total_is_the_sum(size):
    priorities = np.random.default_rng(size).random(size)
    tree = SumTree(priorities)
    assert np.isclose(tree.total, priorities.sum())
    changed = np.arange(0, size, 2)
    priorities[changed] = 7.0
    tree[changed] = priorities[changed]
    assert np.isclose(tree.total, priorities.sum())
    assert np.array_equal(tree[np.arange(size)], priorities)


def test_frequencies_are_proportional():
    rng = np.random.default_rng(1)
    priorities = rng.random(50) + 0.01
    tree = SumTree(np.ones(50))
    tree[np.arange(50)] = priorities
    draws = np.concatenate([tree.draw(100, rng) for _ in range(1000)])
    counts = np.bincount(draws, minlength=50)
    expected = priorities / priorities.sum() * len(draws)
    chi_square = ((counts - expected) ** 2 / expected).sum()
    assert chi_square < 85.4  # 49 degrees of freedom, p = 0.001; strata only lower it


def test_nothing_without_priority_is_drawn():
    priorities = np.zeros(37)
    priorities[[3, 20]] = [1, 3]
    drawn = SumTree(priorities).draw(4000, np.random.default_rng(2))
    assert set(drawn.tolist()) == {3, 20}
    assert (drawn == 20).sum() == 3000


def test_each_part_of_the_total_gives_one():
    tree = SumTree(np.ones(64))
    drawn = tree.draw(64, np.random.default_rng(3))
    assert drawn.tolist() == list(range(64))
