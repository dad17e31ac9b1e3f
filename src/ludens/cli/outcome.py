"""What a training came to: wrong moves where all are known, else the last figures."""

from collections.abc import Iterator
from dataclasses import fields
from typing import TYPE_CHECKING, Any

from ludens.cli.pace import Pace
from ludens.cli.watching import evaluation
from ludens.errors import command
from ludens.formats.words import duration, plural
from ludens.store.summary import summarise

if TYPE_CHECKING:
    from ludens.loading.game import Game
    from ludens.store.run import Run
    from ludens.training.config import Config
    from ludens.training.evaluate import Place

SIMS = 64
"""Of the net whose moves are compared with the truth."""
MOST_POSITIONS = 10_000
"""A game with more is not gone through to its last position."""
Facts = dict[str, Any]


def outcome(game: "Game", run: "Run", config: "Config", place: "Place") -> Facts:
    """Return what the newest net of a run is worth."""
    found = summarise(run)
    metrics, totals = found.metrics, found.totals
    known = ("loss", "elo", "truth_", "lost_", "score_", "length_")
    facts = {"run": run.name, "iteration": run.newest_iteration or 0}
    facts |= {"games": totals.games, "positions": totals.positions}
    facts |= {"seconds": round(totals.seconds, 1)}
    facts |= {"mcts_sims": config.evaluate.mcts_sims}
    facts |= {name: v for name, v in metrics.items() if name.startswith(known)}
    return facts | _wrong_moves(game, run, config, place)


def _wrong_moves(game: "Game", run: "Run", config: "Config", place: "Place") -> Facts:
    """Count the wrong moves in all positions, if the game is small enough for that."""
    from ludens.errors import UserError
    from ludens.solver.graded import all_positions
    from ludens.training.evaluate import Examiner, play_config

    last = run.last()
    net = None if last is None else last.net
    has_chance = game.plain.MAX_OUTCOMES > 0
    if net is None or game.num_players != 2 or has_chance or game.environment:
        return {}
    try:
        truth = all_positions(game, MOST_POSITIONS)
    except UserError:  # too many, or beyond the solver
        return {}
    search = play_config(game, config.search, SIMS)
    examiner = Examiner(game, config.evaluate, search, truth, config.seed, place)
    alone, searching = examiner.grade(net, truth)
    return {
        "reachable_positions": len(truth),
        "wrong_moves": searching.num_wrong,
        "wrong_moves_alone": alone.num_wrong,
    }


def outcome_lines(facts: Facts) -> Iterator[str]:
    """Say in lines what a net is worth."""
    counts = [plural(facts[f"{noun}s"], noun) for noun in ("game", "position")]
    time = duration(facts["seconds"])
    yield f"{', '.join([plural(facts['iteration'], 'iteration'), *counts])} in {time}"
    if "wrong_moves" in facts:
        wrong, total = facts["wrong_moves"], facts["reachable_positions"]
        yield (
            f"{plural(wrong, 'wrong move')} with {SIMS} simulations, "
            f"{facts['wrong_moves_alone']:,} by the net alone, "
            f"in all {total:,} positions that can come up"
        )
    for words in evaluation(facts):
        zero = f" (0: mcts with {plural(facts['mcts_sims'], 'simulation')})"
        yield words + (zero if words.startswith("Elo") and facts["mcts_sims"] else "")


def more_command(game: "Game", run: str, pace: Pace) -> str:
    """Return the command that goes on with a run beyond its budget."""
    words = ["train", game.spec, *(["--run", run] if run else [])]
    spent = pace.spent
    for limit in fields(pace.budget):
        most = getattr(pace.budget, limit.name)
        if 0 < most <= getattr(spent, limit.name):
            words += [f"--{limit.name}", f"{2 * most:.12g}"]
            break
    return command(*words)
