"""How much stronger, and how sure: Elo, intervals and the sequential test.

The two games of a pair share an opening, so they are not independent; pairs are. All
here is computed from how many pairs gave which score (the "pentanomial").
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean, stdev

from ludens.agents.analysis import Z, wilson

Pairs = Sequence[int]
"""How many pairs of games gave 0, 1/4, 1/2, 3/4 and all of the points [5]."""
CONFIDENCE = 0.95
FEW = 100
"""Degrees of freedom up to which Student's distribution is summed exactly."""
SCORES = (0.0, 0.25, 0.5, 0.75, 1.0)


@dataclass(frozen=True)
class Estimate:
    """A number with its 95 % interval; ends may be infinite."""

    value: float
    low: float
    high: float


def elo_of(score: float) -> float:
    """Return the Elo difference at which this share of the points is expected."""
    if score in (0.0, 1.0):
        return math.inf if score else -math.inf
    return 400 * math.log10(score / (1 - score))


def score_of(elo: float) -> float:
    """Return the share of the points that an Elo difference leads to."""
    return 1 / (1 + 10 ** (-elo / 400))


def mean_score(pairs: Sequence[float]) -> float:
    """Return the share of the points; 1/2 if nothing was played."""
    points = sum(count * score for count, score in zip(pairs, SCORES, strict=True))
    return points / sum(pairs) if any(pairs) else 0.5


def pair_variance(pairs: Pairs) -> tuple[float, float]:
    """Return the variance of a pair's score, and the largest one with this mean.

    Half a pair won and half a pair lost are added to what was played (as Jeffreys'
    prior does), so that a handful of equal results does not look like certainty.
    """
    lost, *middle, won = pairs
    counts = (lost + 0.5, *middle, won + 0.5)
    mean = mean_score(counts)
    squares = sum(c * (s - mean) ** 2 for c, s in zip(counts, SCORES, strict=True))
    return squares / sum(counts), mean * (1 - mean)


def score_estimate(pairs: Pairs) -> Estimate:
    """Return the share of the points with Wilson's interval (1927).

    Wilson's is for results of 0 or 1; pairs vary less, as if there were more of them.
    """
    num_pairs, mean = sum(pairs), mean_score(pairs)
    if num_pairs == 0:
        return Estimate(mean, 0.0, 1.0)
    variance, largest = pair_variance(pairs)
    size = num_pairs * largest / variance
    low, high = wilson(mean, size)
    return Estimate(mean, low if mean > 0 else 0.0, high if mean < 1 else 1.0)


def elo_estimate(pairs: Pairs) -> Estimate:
    """Return the Elo difference with its interval."""
    score = score_estimate(pairs)
    return Estimate(elo_of(score.value), elo_of(score.low), elo_of(score.high))


@dataclass(frozen=True)
class Sprt:
    """Wald's sequential test of "elo0 or less" against "elo1 or more".

    The likelihood ratio is that of normally distributed pair scores (the GSPRT of Van
    den Bergh, "A practical introduction to the GSPRT", as used for Stockfish).
    """

    elo0: float
    elo1: float
    error: float = 0.05
    """The chance of accepting either hypothesis if the other one is true."""

    @property
    def bound(self) -> float:
        """The ratio at which elo1 is accepted; with a minus sign, elo0."""
        return math.log((1 - self.error) / self.error)

    def llr(self, pairs: Pairs) -> float:
        """Return log(likelihood of elo1 / likelihood of elo0)."""
        score0, score1 = score_of(self.elo0), score_of(self.elo1)
        lead = 2 * mean_score(pairs) - score0 - score1
        variance, _ = pair_variance(pairs)
        return sum(pairs) * (score1 - score0) * lead / (2 * variance)

    def accepted(self, pairs: Pairs) -> float | None:
        """Return which of elo0 and elo1 is accepted, None if it is open."""
        llr = self.llr(pairs)
        if abs(llr) < self.bound:
            return None
        return self.elo1 if llr > 0 else self.elo0


def mean_estimate(values: Sequence[float]) -> Estimate:
    """Return the mean of independent values with Student's interval."""
    mean = fmean(values)
    if len(values) == 1:
        return Estimate(mean, -math.inf, math.inf)
    margin = student(len(values) - 1) * stdev(values) / math.sqrt(len(values))
    return Estimate(mean, mean - margin, mean + margin)


def student(freedom: int) -> float:
    """Return Student's quantile for the interval.

    It is found by bisection; for many degrees of freedom a series in 1 / freedom is
    exact to eight digits (Abramowitz and Stegun 26.7.5).
    """
    if freedom > FEW:
        terms = (
            (Z**3 + Z) / 4,
            (5 * Z**5 + 16 * Z**3 + 3 * Z) / 96,
            (3 * Z**7 + 19 * Z**5 + 17 * Z**3 - 15 * Z) / 384,
        )
        return Z + sum(term * (1 / freedom) ** i for i, term in enumerate(terms, 1))
    low, high = 0.0, math.pi / 2
    while low < (angle := (low + high) / 2) < high:
        is_inside = _within(angle, freedom) < CONFIDENCE
        low, high = (angle, high) if is_inside else (low, angle)
    return math.sqrt(freedom) * math.tan(low)


def _within(angle: float, freedom: int) -> float:
    """Return how likely |t| < sqrt(freedom) * tan(angle) is (A&S 26.7.3 and 26.7.4)."""
    cos, is_odd = math.cos(angle), freedom % 2
    total, term = 0.0, cos if is_odd else 1.0
    for power in range(1 + is_odd, freedom, 2):
        total += term
        term *= power / (power + 1) * cos**2
    inside = math.sin(angle) * total
    return 2 / math.pi * (angle + inside) if is_odd else inside
