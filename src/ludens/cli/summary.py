"""A run of training in short."""

import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ludens.cli.figures import spreads
from ludens.cli.screen import POINTS, duration, plural
from ludens.commands import play_command

if TYPE_CHECKING:
    from ludens.store.run import Run

_LOSSES = {"loss_policy": "policy", "loss_value": "value"}
_SCORES = {
    "score_random": "against random",
    "score_mcts": "against mcts",
    "truth_net": "best moves by the net alone",
    "truth_search": "best moves with search",
}


def tell_run(run: "Run") -> None:
    """Print what a run is of, how far it is and how strong its nets are."""
    for title, words in _lines(run):
        print(f"{title:<12}{words}")


def _lines(run: "Run") -> Iterator[tuple[str, str]]:
    facts, metrics = run.facts(), run.newest_metrics()
    yield "run", f"{run.name} ({run.folder})"
    game, _, options = facts.get("game", "").partition(":")
    yield "game", game
    if options:
        yield "options", options.replace(",", ", ")
    yield "seed", facts.get("seed", "")
    yield from _progress(run, metrics)
    yield from _strength(metrics)
    nets = run.nets()
    if nets:
        newest = max(nets)
        yield "nets", f"{nets[newest]} (the newest of {len(nets)} kept)"
        if not game.endswith(".py") or Path(game).is_file():  # seen from here
            players = int(facts.get("players", 2))
            yield "play", play_command(facts["game"], players, str(nets[newest]))


def _progress(run: "Run", metrics: dict[str, Any]) -> Iterator[tuple[str, str]]:
    totals, newest = run.totals(), run.newest_iteration
    if newest is not None:
        end_s = metrics["began"] + metrics["seconds"]
        age = duration(max(0, time.time() - end_s))
        yield "progress", f"iteration {newest:,}, {age} ago"
    yield "games", f"{totals.games:,} with {plural(totals.positions, 'position')}"
    if totals.games:
        yield "results", _results(run)
    yield "time", duration(totals.seconds)
    if "evals_per_s" in metrics:
        yield "speed", f"{metrics['evals_per_s']:,.0f} evaluations/s"


def _results(run: "Run") -> str:
    if run.facts().get("players") == "1":
        return (
            f"mean score {POINTS * run.newest_mean_result():,.0f} of the newest games"
        )
    wins, draws, losses = run.results()
    return f"player 0 won {wins:,}, drew {draws:,}, lost {losses:,}"


def _strength(metrics: dict[str, Any]) -> Iterator[tuple[str, str]]:
    if "loss" in metrics:
        parts = [f"{w} {metrics[k]:.3f}" for k, w in _LOSSES.items() if k in metrics]
        more = f" ({', '.join(parts)})" if parts else ""
        yield "loss", f"{metrics['loss']:.3f}{more}"
    if "elo" in metrics:
        words = f"{metrics['elo']:+.0f}"
        if "elo_low" in metrics and "elo_high" in metrics:
            words += f" [{metrics['elo_low']:+.0f}, {metrics['elo_high']:+.0f}]"
        yield "Elo", words
    for key, words in _SCORES.items():
        if key in metrics:
            yield "score", f"{100 * metrics[key]:.1f} % {words}"
    for spread in spreads(metrics):
        title, _, words = spread.partition(" ")
        yield title, words
