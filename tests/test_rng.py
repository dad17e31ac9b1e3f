"""Random numbers for kernels: their ranges and moments."""

import math
from collections.abc import Callable

import numpy as np
import pytest
from numpy.typing import NDArray

from ludens.rng import Rng, below, fraction, gamma, gumbel, next_word, normal, pick

COUNT = 20_000


def drawn(draw: Callable[[Rng], float], count: int = COUNT) -> NDArray[np.float64]:
    """Return many numbers of one generator."""
    rng = np.array([2026], np.uint64)
    with np.errstate(over="ignore"):
        return np.array([draw(rng) for _ in range(count)])


def test_words_are_those_of_splitmix64() -> None:
    """The first words for seed 1234567, from Vigna's reference program."""
    rng = np.array([1234567], np.uint64)
    with np.errstate(over="ignore"):
        words = [int(next_word(rng)) for _ in range(3)]
    assert words == [6457827717110365317, 3203168211198807973, 9817491932198370423]


def test_fractions_are_even() -> None:
    numbers = drawn(fraction)
    assert numbers.min() >= 0
    assert numbers.max() < 1
    assert numbers.mean() == pytest.approx(0.5, abs=0.01)
    assert numbers.var() == pytest.approx(1 / 12, rel=0.03)


def test_below_is_even() -> None:
    counts = np.bincount(drawn(lambda rng: below(rng, 7)).astype(int))
    assert counts == pytest.approx([COUNT / 7] * 7, rel=0.06)


def test_pick_follows_the_probabilities_and_never_takes_what_cannot_be() -> None:
    chances = np.array([0.0, 0.5, 0.2, 0.0, 0.3, 0.0])
    counts = np.bincount(drawn(lambda rng: pick(rng, chances, 6)).astype(int))
    assert counts / COUNT == pytest.approx([0, 0.5, 0.2, 0, 0.3], abs=0.012)


def test_normal_numbers_have_their_moments() -> None:
    numbers = drawn(normal)
    assert numbers.mean() == pytest.approx(0, abs=0.03)
    assert numbers.var() == pytest.approx(1, rel=0.04)
    assert (numbers**4).mean() == pytest.approx(3, rel=0.1)


@pytest.mark.parametrize("shape", [0.05, 0.3, 1.0, 4.5])
def test_gamma_numbers_have_their_moments(shape: float) -> None:
    numbers = drawn(lambda rng: gamma(rng, shape))
    assert numbers.min() >= 0
    assert numbers.mean() == pytest.approx(shape, rel=0.1)
    assert numbers.var() == pytest.approx(shape, rel=0.15)


def test_gumbel_numbers_have_their_moments() -> None:
    numbers = drawn(gumbel)
    assert np.isfinite(numbers).all()
    assert numbers.mean() == pytest.approx(0.5772, abs=0.03)
    assert numbers.var() == pytest.approx(math.pi**2 / 6, rel=0.05)
    assert np.median(numbers) == pytest.approx(-math.log(math.log(2)), abs=0.03)
