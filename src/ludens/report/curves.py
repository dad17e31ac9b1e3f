"""Which curves a report has: from the metrics of the iterations."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ludens.formats.words import POINTS, plural
from ludens.pictures.curves import Line, Plot
from ludens.store.summary import strength_of

Metrics = Sequence[Mapping[str, Any]]


@dataclass(frozen=True)
class Curves:
    """What a plot shows: metrics by name, with their labels, in a unit."""

    title: str
    unit: str
    names: Mapping[str, str]
    scale: float = 1.0
    band: tuple[str, str] = ("", "")
    """Metrics that bound a band around the first curve."""
    band_name: str = ""


STRENGTH = (
    Curves(
        "Score",
        "points a game",
        {"score_mean": "mean", "score_median": "median"},
        scale=POINTS,
        band=("score_p10", "score_p90"),
        band_name="band: 10 % to 90 % of the games",
    ),
    Curves(
        "Length",
        "moves a game",
        {"length_mean": "mean", "length_median": "median"},
        band=("length_p10", "length_p90"),
        band_name="band: 10 % to 90 % of the games",
    ),
    Curves("Games cut for their length", "%", {"length_cut": "share"}, scale=100),
    Curves(
        "Best moves in solved positions",
        "% of the positions",
        {"truth_net": "network alone", "truth_search": "with search"},
        scale=100,
    ),
    Curves(
        "Value given away in solved positions",
        "a position; a win turned into a loss is 2",
        {"lost_net": "network alone", "lost_search": "with search"},
    ),
    Curves("Gate", "% against the net before", {"gate_score": "new net"}, scale=100),
)
SELFPLAY = (
    Curves(
        "How games ended",
        "% of the games",
        {"first_wins": "first player won", "drawn": "drawn"},
        scale=100,
    ),
    Curves("Score while learning", "points a game", {"played_score": "mean"}, POINTS),
    Curves("Length of games", "moves a game", {"plies_mean": "mean"}),
    Curves("Depth of search", "steps from root to leaf", {"search_depth": "mean"}),
    Curves("Fast searches", "% of the moves", {"fast_share": "fast"}, scale=100),
)
LEARNING = (
    Curves(
        "Policies",
        "nats",
        {
            "policy_entropy": "entropy, search",
            "net_entropy": "entropy, network",
            "kl": "divergence of network from search",
        },
    ),
    Curves("Error of values", "mean distance from target", {"value_error": "network"}),
    Curves("Learning rate", "rate of the last step", {"lr": "learning rate"}),
    Curves("Gradients", "norm before clipping", {"grad_norm": "mean"}),
    Curves("Weights", "norm", {"weight_norm": "all weights"}),
    Curves("Positions to learn from", "positions", {"window": "replay window"}),
    Curves(
        "Ages of samples",
        "nets ago",
        {"sample_age": "mean", "sample_age_max": "oldest"},
    ),
    Curves(
        "Samples",
        "%",
        {
            "merged_share": "positions that repeat others",
            "clipped_share": "targets clipped",
        },
        scale=100,
    ),
    Curves(
        "Importance", "exponent of prioritised sampling", {"importance": "exponent"}
    ),
)
SPEED = (
    Curves("Network", "evaluations a second", {"evals_per_s": "self-play"}),
    Curves(
        "Batches",
        "%",
        {"batch_fill": "how full, self-play", "ready_share": "ready in time, learning"},
        scale=100,
    ),
    Curves("Self-play", "positions a second", {"positions_per_s": "self-play"}),
    Curves("Learning", "samples a second", {"samples_per_s": "learner"}),
    Curves(
        "Time of an iteration",
        "seconds",
        {
            "seconds_selfplay": "self-play",
            "seconds_learn": "learning",
            "seconds_evaluate": "evaluation",
        },
    ),
    Curves(
        "Cluster",
        "seconds of workers' threads",
        {"cluster_busy_s": "playing", "cluster_waited_s": "waiting"},
    ),
    Curves(
        "Shares",
        "an iteration",
        {"cluster_twice": "given twice", "cluster_shares_here": "played here"},
    ),
)
MODEL = {
    "value_error": ("Error of values, by steps imagined", "mean distance", 1.0),
    "reward_error": ("Error of rewards, by steps imagined", "mean distance", 1.0),
    "turn_accuracy": ("Whose turn it is, by steps imagined", "% right", 100.0),
    "legality_accuracy": ("Legal moves, by steps imagined", "% right", 100.0),
    "illegal_mass": ("Policy on illegal moves, by steps imagined", "%", 100.0),
}
"""What is said of a learned model at each depth: title, unit and scale."""


def model_curves(metrics: Metrics) -> tuple[Curves, ...]:
    """Return the plots of how far a learned model is from the truth, by depth."""
    known = {name for row in metrics for name in row}
    found = []
    for metric, (title, unit, scale) in MODEL.items():
        depths = sorted(
            int(depth)
            for name in known
            if (depth := name.removeprefix(f"{metric}_")).isdecimal()
        )
        words = {f"{metric}_{depth}": plural(depth, "step") for depth in depths}
        found.append(Curves(title, unit, words, scale))
    return tuple(found)


def elo_curves(anchor: str) -> Curves:
    """Return the plot of Elo, which is relative to whoever has 0."""
    return Curves(
        "Elo",
        f"Elo ({anchor} has 0)",
        {"elo": "net with search"},
        band=("elo_low", "elo_high"),
        band_name="band: 95 % interval",
    )


def points_curves(metrics: Metrics) -> Curves:
    """Return the plot of points against opponents that stay the same."""
    known = {name: x for row in metrics for name, x in row.items() if x is not None}
    called = {"mcts": "rollout search"}
    shares = strength_of(known).shares
    words = {f"score_{who}": f"against {called.get(who, who)}" for who in shares}
    return Curves("Points against fixed opponents", "% of the points", words, 100)


def loss_curves(metrics: Metrics) -> tuple[Curves, ...]:
    """Return the plot of all losses that there are, and those of other figures."""
    names = sorted({name for row in metrics for name in row if _is_loss(name)})
    words = {name: name[5:].replace("_", " ") or "total" for name in names}
    return (Curves("Loss", "loss", words), *LEARNING)


def plots_of(wanted: Sequence[Curves], metrics: Metrics) -> list[Plot]:
    """Return the plots for which there are numbers."""
    found = [(curves, _lines(curves, metrics)) for curves in wanted]
    return [Plot(c.title, c.unit, lines) for c, lines in found if lines]


def _is_loss(name: str) -> bool:
    return name == "loss" or name.startswith("loss_")


def _lines(curves: Curves, metrics: Metrics) -> tuple[Line, ...]:
    lines: list[Line] = []
    for key, name in curves.names.items():
        points = _points(metrics, (key,), curves.scale)
        if points and not lines and all(curves.band):
            band = _points(metrics, curves.band, curves.scale)
            lines.append(Line(name, points, band, curves.band_name))
        elif points:
            lines.append(Line(name, points))
    return tuple(lines)


def _points(metrics: Metrics, keys: Sequence[str], scale: float) -> tuple[Any, ...]:
    """Return (iteration, value, ...) of iterations that have all these metrics."""
    return tuple(
        (row["iteration"], *(scale * row[key] for key in keys))
        for row in metrics
        if all(row.get(key) is not None for key in keys)
    )
