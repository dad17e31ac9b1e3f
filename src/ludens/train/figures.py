"""An iteration of self-play in figures."""

from collections.abc import Sequence

import numpy as np

from ludens.selfplay.played import Played
from ludens.selfplay.worker import Crop


def figures_of(crop: Crop, num_players: int) -> dict[str, float]:
    """Return the metrics of what self-play brought in."""
    tally, seconds = crop.tally, crop.seconds
    plies = [len(game.kinds) for game in crop.games]
    return {
        "positions": tally.positions,
        "games": tally.games,
        "evals": tally.evals,
        "seconds_selfplay": seconds,
        "evals_per_s": tally.evals / seconds,
        "positions_per_s": tally.positions / seconds,
        "games_per_s": tally.games / seconds,
        "batch_mean": tally.evals / max(1, tally.batches),
        "plies_mean": float(np.mean(plies)) if plies else 0.0,
        "resigned": tally.resigned,
        "resign_control": tally.control,
        "resign_wrong": tally.control_wrong,
        **results_of(crop.games, num_players),
    }


def results_of(games: Sequence[Played], num_players: int) -> dict[str, float]:
    """Return how games ended: wins of the first player and draws, or scores."""
    if not games:
        return {}
    results = np.array([game.result for game in games])
    if num_players == 1:
        return {"played_score": float(results.mean())}
    wins, draws = float((results > 0).mean()), float((results == 0).mean())
    return {"first_wins": wins, "drawn": draws}
