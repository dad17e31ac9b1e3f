"""Ratings of several agents from all their games (Bradley and Terry 1952)."""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ludens.agents.analysis import Z

ELO = 400 / math.log(10)
"""Elo points for a difference of 1 in the logarithm of the strength."""
PRIOR_GAMES = 1.0
"""Draws that each agent has against one of rating 0, so that a rating always exists."""
MAX_STEPS = 1000
TOLERANCE = 1e-8


@dataclass(frozen=True)
class Ratings:
    """Elo of each agent, 0 on the average, and half its 95 % interval [N]."""

    elo: NDArray[np.float64]
    margin: NDArray[np.float64]
    covariance: NDArray[np.float64]
    """Of the ratings [N, N]: they come from the same games."""

    def margin_between(self, one: int, other: int) -> float:
        """Return half the 95 % interval of the difference of two ratings."""
        sides = np.zeros(len(self.elo))
        sides[one] += 1
        sides[other] -= 1
        variance = float(sides @ self.covariance @ sides)
        return Z * math.sqrt(max(0.0, variance))


def rate(points: NDArray[np.float64]) -> Ratings:
    """Rate agents from the points each has made against each other one [N, N].

    A draw is half a point for both. The most likely strengths are found by Newton's
    method; the curvature of the likelihood there gives the intervals.
    """
    games = points + points.T
    strengths = np.zeros(len(points))
    for _ in range(MAX_STEPS):
        gradient, curvature = _slopes(strengths, points, games)
        step = np.linalg.solve(curvature, gradient)
        longest = np.abs(step).max()
        strengths += step / max(1.0, longest)  # further away, the parabola misleads
        if longest < TOLERANCE:
            break
    centring = np.eye(len(points)) - 1 / len(points)
    covariance = ELO**2 * (centring @ np.linalg.inv(curvature) @ centring)
    margin = Z * np.sqrt(np.diag(covariance))
    return Ratings(ELO * (centring @ strengths), margin, covariance)


def _slopes(
    strengths: NDArray[np.float64],
    points: NDArray[np.float64],
    games: NDArray[np.float64],
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the gradient of the log-likelihood [N] and minus its Hessian [N, N]."""
    expected = _logistic(strengths[:, None] - strengths[None, :])
    prior = _logistic(strengths)
    gradient = (points - games * expected).sum(1) + PRIOR_GAMES * (0.5 - prior)
    weights = games * expected * (1 - expected)
    own = weights.sum(1) + PRIOR_GAMES * prior * (1 - prior)
    return gradient, np.diag(own) - weights


def _logistic(x: NDArray[np.float64]) -> NDArray[np.float64]:
    half: NDArray[np.float64] = np.tanh(x / 2)
    return (1 + half) / 2
