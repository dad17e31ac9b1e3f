"""What a net scores in a single-player game, next to players without a net."""

from collections.abc import Iterator

import numpy as np

from ludens.arena.elo import mean_estimate
from ludens.arena.match import Contest, Scores
from ludens.bench.exams import ALONE, Candidate, sims_name
from ludens.bench.figures import ScoreFigure

BASELINES = ("random", "greedy", "lookahead", "mcts:sims=1000,rollouts=1")
SIMS = 64


def examine_scores(candidate: Candidate) -> Iterator[ScoreFigure]:
    """Let the net and players without one play with the same dice."""
    game, rounds = candidate.game, candidate.num_games
    searching = Contest(game, [candidate.searching(SIMS)]).scores(rounds)
    yield _figure(sims_name(candidate.config(SIMS)), searching)
    yield _figure(ALONE, Contest(game, [candidate.alone]).scores(rounds), searching)
    for agent in BASELINES:
        yield _figure(agent, Contest(game, [agent]).scores(rounds), searching)


def _figure(player: str, scores: Scores, best: Scores | None = None) -> ScoreFigure:
    (own,), (plies,) = scores.scores, scores.plies
    behind = None
    if best is not None:
        gains = [more - less for more, less in zip(best.scores[0], own, strict=True)]
        behind = mean_estimate(gains)
    low, median, high = map(float, np.percentile(own, [10, 50, 90]))
    mean, cut = mean_estimate(own), scores.num_cut[0] / len(own)
    moves = float(np.mean(plies))
    return ScoreFigure(player, mean, low, median, high, moves, cut, len(own), behind)
