"""The figures of an iteration of training as people read them."""

from collections.abc import Iterator, Mapping
from typing import Any

from ludens.cli.pace import Pace
from ludens.words import POINTS

HEADER = " iter     time     games  games/s   evals/s    loss     left"


def clock(seconds: float | None) -> str:
    """Return a time as 3:07 or 1:05:59; nothing for one that nobody knows."""
    if seconds is None:
        return ""
    minutes, rest_s = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02d}:{rest_s:02d}" if hours else f"{minutes}:{rest_s:02d}"


def row(metrics: Mapping[str, Any], pace: Pace) -> str:
    """Return the line of an iteration, below HEADER."""
    spent = pace.spent
    loss = metrics.get("loss")
    figures = (
        f"{metrics['iteration']:>5} {clock(60 * spent.minutes):>8} {spent.games:>9,}"
        f" {metrics.get('games_per_s', 0):>8.1f} {metrics.get('evals_per_s', 0):>9,.0f}"
        f" {'-' if loss is None else f'{loss:.3f}':>7} {clock(pace.left_s):>8}"
    )
    return "  ".join([figures, *remarks(metrics)]).rstrip()


def remarks(metrics: Mapping[str, Any]) -> list[str]:
    """Return what there is to say of an iteration beyond its figures."""
    return [*_publishing(metrics), *evaluation(metrics)]


def _publishing(metrics: Mapping[str, Any]) -> Iterator[str]:
    if "played_score" in metrics:
        yield f"mean score {_points(metrics['played_score'])}"
    if "gate_score" in metrics:
        verdict = "passed" if metrics["published"] else "failed"
        yield f"gate {verdict} with {_percent(metrics['gate_score'])}"
    elif metrics.get("published") is False:
        yield "net not published"
    if metrics.get("skipped"):
        yield f"{metrics['skipped']:.0f} steps skipped"


def evaluation(metrics: Mapping[str, Any]) -> Iterator[str]:
    """Give what an evaluation found, if there was one."""
    if "elo" in metrics:
        low, high = metrics["elo_low"], metrics["elo_high"]
        yield f"Elo {metrics['elo']:+.0f} [{low:+.0f}, {high:+.0f}]"
    scores = [
        f"{_percent(metrics[f'score_{name}'])} against {name}"
        for name in ("mcts", "random")
        if f"score_{name}" in metrics
    ]
    if scores:
        yield "score " + ", ".join(scores)
    if "truth_net" in metrics:
        alone, search = metrics["truth_net"], metrics["truth_search"]
        yield f"best moves {_percent(alone)} alone, {_percent(search)} with search"
    yield from spreads(metrics)


def spreads(metrics: Mapping[str, Any]) -> Iterator[str]:
    """Give the scores and the lengths of games for one; most are 8 of 10."""
    if "score_mean" in metrics:
        yield f"score {_spread(metrics, 'score', POINTS)}"
    if "length_median" in metrics:
        cut = _percent(metrics["length_cut"])
        yield f"length {_spread(metrics, 'length')}, {cut} cut"


def _spread(metrics: Mapping[str, Any], name: str, scale: float = 1) -> str:
    mean, median, low, high = (
        f"{scale * metrics[f'{name}_{mark}']:,.0f}"
        for mark in ("mean", "median", "p10", "p90")
    )
    return f"{mean}, median {median}, most games {low} to {high}"


def _percent(share: float) -> str:
    return f"{100 * share:.1f} %"


def _points(score: float) -> str:
    return f"{POINTS * score:,.0f}"
