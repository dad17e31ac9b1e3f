"""An iteration of self-play in figures."""

from collections.abc import Sequence

import numpy as np

from ludens.selfplay.share import GameRecord, SharePlayed


def figures_of(
    played: SharePlayed, seconds: float, num_players: int
) -> dict[str, float]:
    """Return the metrics of an iteration of self-play that took so long."""
    tally = played.tally
    plies = [len(game.kinds) for game in played.games]
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
        "next_number": played.next_game,
        **results_of(played.games, num_players),
    }


def results_of(games: Sequence[GameRecord], num_players: int) -> dict[str, float]:
    """Return how games ended: wins of the first player and draws, or scores."""
    if not games:
        return {}
    results = np.array([game.result for game in games])
    if num_players == 1:
        return {"played_score": float(results.mean())}
    wins, draws = float((results > 0).mean()), float((results == 0).mean())
    return {"first_wins": wins, "drawn": draws}
