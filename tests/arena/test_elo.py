"""Elo, intervals and the sequential test, against hand formulas and simulation."""

import math

import numpy as np
import pytest

from ludens.arena.elo import (
    SCORES,
    Sprt,
    Z,
    elo_estimate,
    elo_of,
    mean_estimate,
    mean_score,
    pair_variance,
    score_estimate,
    score_of,
    student,
)


def simulate(chances: list[float], num_pairs: int, matches: int) -> list[list[int]]:
    """Draw the pair scores of many matches."""
    drawn = np.random.default_rng(7).multinomial(num_pairs, chances, matches)
    return [[int(count) for count in pairs] for pairs in drawn]


@pytest.mark.parametrize(
    ("score", "elo"),
    [(0.5, 0.0), (0.75, 190.848), (0.25, -190.848), (10 / 11, 400.0), (0.64, 99.951)],
)
def test_elo_of_known_scores(score, elo):
    assert elo_of(score) == pytest.approx(elo, abs=1e-3)
    assert score_of(elo) == pytest.approx(score, abs=1e-5)


def test_elo_of_all_or_nothing_is_infinite():
    assert (elo_of(1.0), elo_of(0.0)) == (math.inf, -math.inf)


def test_variance_of_pairs_by_hand():
    # One pair split, one won, and the half pairs: 0 (1/2), 1/2 (1), 1 (3/2); mean 2/3.
    variance, largest = pair_variance([0, 0, 1, 0, 1])
    assert variance == pytest.approx((4 / 18 + 1 / 36 + 3 / 18) / 3)
    assert largest == pytest.approx(2 / 9)


def test_interval_of_many_games_is_the_plain_one():
    pairs = [1000, 2000, 3500, 2500, 1000]
    mean = mean_score(pairs)
    squares = sum(n * (s - mean) ** 2 for n, s in zip(pairs, SCORES, strict=True))
    margin = 1.959964 * math.sqrt(squares) / 10_000
    found = score_estimate(pairs)
    assert found.value == mean == pytest.approx(0.5125)
    assert found.low == pytest.approx(mean - margin, abs=1e-5)
    assert found.high == pytest.approx(mean + margin, abs=1e-5)


def test_interval_counts_pairs_not_games():
    # All pairs split: side decides, and the agents are equal almost for sure.
    split = score_estimate([0, 0, 100, 0, 0])
    mixed = score_estimate([25, 0, 50, 0, 25])
    assert split.high - split.low < (mixed.high - mixed.low) / 5


def test_all_won_has_wilsons_lower_bound_and_no_upper_one():
    score, elo = score_estimate([0, 0, 0, 0, 20]), elo_estimate([0, 0, 0, 0, 20])
    assert score.low == pytest.approx(20 / (20 + Z**2))
    assert score.high == 1.0
    assert (elo.value, elo.high) == (math.inf, math.inf)
    assert elo.low == pytest.approx(elo_of(20 / (20 + Z**2)))


def test_one_pair_is_far_from_certain():
    assert elo_estimate([0, 0, 1, 0, 0]).low < -200
    assert elo_estimate([0, 0, 0, 0, 0]).low == -math.inf


@pytest.mark.parametrize("pairs", [[3, 4, 9, 2, 1], [0, 0, 0, 0, 5], [0, 1, 0, 0, 0]])
def test_the_other_side_sees_the_mirror_image(pairs):
    ours, theirs = elo_estimate(pairs), elo_estimate(pairs[::-1])
    assert ours.value == pytest.approx(-theirs.value)
    assert (ours.low, ours.high) == pytest.approx((-theirs.high, -theirs.low))


@pytest.mark.parametrize(
    "chances",
    [
        [0.1, 0.2, 0.4, 0.2, 0.1],
        [0.25, 0, 0.5, 0, 0.25],
        [0.02, 0.03, 0.2, 0.25, 0.5],
        [0, 0.01, 0.05, 0.14, 0.8],
    ],
)
@pytest.mark.parametrize("num_pairs", [20, 100])
def test_interval_covers_the_truth_in_95_of_100_matches(chances, num_pairs):
    truth = elo_of(float(np.dot(chances, SCORES)))
    found = [elo_estimate(pairs) for pairs in simulate(chances, num_pairs, 500)]
    covered = sum(e.low <= truth <= e.high for e in found)
    assert 0.90 <= covered / 500 <= 0.99


def test_likelihood_ratio_by_hand():
    # n = 2, mean 3/4, variance 5/36 (above); scores to tell apart: 1/2 and 3/4.
    test = Sprt(0.0, elo_of(0.75))
    expected = 2 * (1 / 4) * (3 / 2 - 1 / 2 - 3 / 4) / (2 * 5 / 36)
    assert test.llr([0, 0, 1, 0, 1]) == pytest.approx(expected) == pytest.approx(0.45)
    assert test.accepted([0, 0, 1, 0, 1]) is None
    assert test.bound == pytest.approx(math.log(19))


def test_elo0_of_zero_can_be_accepted():
    assert Sprt(0, 50).accepted([40, 10, 10, 10, 10]) == 0.0
    assert Sprt(0, 50).accepted([10, 10, 10, 10, 40]) == 50


def test_sequential_test_starts_open():
    assert Sprt(0, 50).llr([0, 0, 0, 0, 0]) == 0
    assert Sprt(0, 50).accepted([0, 0, 0, 0, 1]) is None


@pytest.mark.parametrize("truth", [0, 100])
def test_sequential_test_is_rarely_wrong(truth):
    test, mean = Sprt(0, 100), score_of(truth)
    # Each half is won by the better one with some luck: (1-m)^2, 2m(1-m), m^2.
    chances = [(1 - mean) ** 2, 0, 2 * mean * (1 - mean), 0, mean**2]
    generator = np.random.default_rng(3)
    wrong = 0
    for _ in range(200):
        pairs, verdict = [0] * 5, None
        while verdict is None:
            pairs[int(generator.choice(5, p=chances))] += 1
            verdict = test.accepted(pairs)
        wrong += verdict != truth
    assert wrong / 200 < 0.1


@pytest.mark.parametrize(
    ("freedom", "quantile"),
    [
        (1, 12.7062),
        (2, 4.3027),
        (3, 3.1824),
        (4, 2.7764),
        (9, 2.2622),
        (29, 2.0452),
        (60, 2.0003),
        (120, 1.9799),
        (10**6, 1.9600),
    ],
)
def test_students_quantile_is_that_of_the_tables(freedom, quantile):
    assert student(freedom) == pytest.approx(quantile, abs=5e-5)


def test_mean_by_hand():
    found = mean_estimate([1.0, 2.0, 3.0, 4.0])
    margin = 3.182 * math.sqrt(5 / 3) / 2
    assert found.value == 2.5
    assert found.high - 2.5 == pytest.approx(margin, rel=0.015)
    assert 2.5 - found.low == pytest.approx(found.high - 2.5)
    assert mean_estimate([1.0]).high == math.inf
