"""Bradley-Terry ratings, against hand formulas and simulated tournaments."""

import numpy as np
import pytest

from ludens.arena.elo import Z, elo_of, score_of
from ludens.arena.ratings import ELO, rate

STRENGTHS = np.array([-250.0, -100.0, 0.0, 120.0, 230.0])


def tournament(strengths, games: int, generator) -> np.ndarray:
    """Return the points of a round robin in which a third of the games is drawn."""
    n = len(strengths)
    points = np.zeros((n, n))
    for i in range(n):
        for j in range(i):
            mean = score_of(float(strengths[i] - strengths[j]))
            drawn = min(1 / 3, mean, 1 - mean)
            chances = [mean - drawn / 2, drawn, 1 - mean - drawn / 2]
            won, half, _ = generator.multinomial(games, chances)
            points[i, j] = won + half / 2
            points[j, i] = games - points[i, j]
    return points


def test_two_agents_differ_by_the_elo_of_their_score():
    ratings = rate(np.array([[0.0, 7500.0], [2500.0, 0.0]]))
    assert ratings.elo[0] - ratings.elo[1] == pytest.approx(elo_of(0.75), abs=0.1)


def test_interval_of_two_equal_agents_by_hand():
    # n games tell n / 4 about the difference; a rating is half the difference.
    n = 10_000
    ratings = rate(np.array([[0.0, n / 2], [n / 2, 0.0]]))
    assert ratings.elo == pytest.approx([0, 0])
    assert ratings.margin == pytest.approx([Z * ELO / np.sqrt(n)] * 2, rel=1e-3)
    assert ratings.margin_between(0, 1) == pytest.approx(2 * ratings.margin[0])
    assert ratings.margin_between(1, 1) == 0.0


def test_known_strengths_are_found_again():
    points = tournament(STRENGTHS, 20_000, np.random.default_rng(1))
    assert rate(points).elo == pytest.approx(STRENGTHS, abs=5)


def test_intervals_cover_the_truth():
    generator = np.random.default_rng(2)
    covered = np.zeros(len(STRENGTHS))
    for _ in range(200):
        ratings = rate(tournament(STRENGTHS, 60, generator))
        covered += np.abs(ratings.elo - STRENGTHS) <= ratings.margin
    # Draws vary less than the model assumes, so it is rather more than 95 %.
    assert (covered / 200 >= 0.92).all()


def test_ratings_exist_for_those_who_never_lost_or_never_met():
    points = np.array([[0.0, 50, 0, 0], [0, 0, 0, 0], [0, 0, 0, 9], [0, 0, 1, 0]])
    ratings = rate(points)
    assert np.isfinite(ratings.elo).all()
    assert np.isfinite(ratings.margin).all()
    assert ratings.elo[0] > ratings.elo[1] + 400
    assert ratings.elo[2] > ratings.elo[3]
    assert ratings.elo.sum() == pytest.approx(0)


def test_extreme_results_converge():
    n = 6
    points = np.triu(np.full((n, n), 1e6), 1)
    elo = rate(points).elo
    assert np.isfinite(elo).all()
    assert (np.diff(elo) < -400).all()


def test_order_of_the_agents_does_not_matter():
    points = tournament(STRENGTHS, 50, np.random.default_rng(4))
    order = [3, 1, 4, 0, 2]
    shuffled = rate(points[np.ix_(order, order)])
    assert shuffled.elo == pytest.approx(rate(points).elo[order])
    assert shuffled.margin == pytest.approx(rate(points).margin[order])
