"""What a run has come to, in a few words and numbers."""

from collections.abc import Iterator, Sequence
from typing import Any

from ludens.formats.words import duration, percent, plural, points
from ludens.loading.game import split_spec
from ludens.store.reading import Reading
from ludens.store.summary import Strength, Summary


def headline(run: Summary) -> Iterator[tuple[str, str]]:
    """Give the main facts of a run by their titles."""
    game, options = split_spec(run.game)
    yield "Game", game
    if options:
        yield "Options", options.replace(",", ", ")
    yield "Network", _net(run)
    yield "Time spent", duration(run.totals.seconds)
    yield "Iterations", f"{run.iteration or 0:,}"
    yield "Games", f"{run.totals.games:,}"
    yield "Positions", f"{run.totals.positions:,}"
    if run.seed:
        yield "Seed", run.seed
    if run.origin:
        yield "From", run.origin
    yield "Begun", run.created.replace("T", " ").replace("Z", " UTC")


def strength(run: Summary) -> str:
    """Say in sentences how strong the newest examined net is."""
    found = run.strength
    said = list(_sentences(found, run.settings.get("evaluate", {})))
    if not said:
        return "No net of this run has been examined yet."
    if found.elo is not None:
        low, high = found.elo_low, found.elo_high
        interval = "" if low is None else f", 95 % interval {low:+.0f} to {high:+.0f}"
        said.append(f"Elo {found.elo:+.0f}{interval}; {found.anchor} has 0.")
    return f"Examined at iteration {run.examined:,}. {' '.join(said)}"


def last_matches(run: Summary) -> list[Sequence[str]]:
    """Return the newest matches: opponent, wins, draws, losses and share of points."""
    rows: list[Sequence[str]] = []
    for _, opponent, wins, draws, losses in run.metrics.get("matches", []):
        games = wins + draws + losses
        share = percent((wins + draws / 2) / games) if games else "-"
        counts = (f"{count:,}" for count in (wins, draws, losses))
        rows.append((_opponent(opponent), *counts, share))
    return rows


def resignation(run: Reading) -> str:
    """Say how often games were given up, and how often wrongly; empty if never."""
    metrics = run.metrics()
    names = ("resigned", "resign_control", "resign_wrong")
    given_up, control, wrong = (
        sum(row.get(name) or 0 for row in metrics) for name in names
    )
    if given_up == control == 0:
        return ""
    share = f" ({percent(wrong / control)})" if control else ""
    return (
        f"{plural(given_up, 'game')} given up. In the control sample, which is played"
        f" to the end, {plural(control, 'game')} would have been given up;"
        f" {wrong:,} of these{share} turned out not to be lost."
    )


def _net(run: Summary) -> str:
    if run.newest_net is None:
        return "none yet"
    described = run.describe_net()
    return described[0] if described else f"unknown: {run.newest_net.name} is damaged"


def _sentences(found: Strength, settings: dict[str, Any]) -> Iterator[str]:
    """Give what is known of the newest net, one sentence for each kind of measure."""
    sims = (
        f" with {settings['sims']:,} simulations a move" if "sims" in settings else ""
    )
    mcts_sims = settings.get("mcts_sims")
    more = {"mcts": f" of {mcts_sims:,} simulations"} if mcts_sims else {}
    shares = [
        f"{percent(share)} against {_opponent(who)}{more.get(who, '')}"
        for who, share in found.shares.items()
    ]
    if shares:
        yield f"The net{sims} takes these shares of the points: {', '.join(shares)}."
    if found.scores is not None:
        mean, low, high = map(
            points, (found.scores.mean, found.scores.low, found.scores.high)
        )
        yield (
            f"The net{sims} scores {mean} points a game, in 8 of 10 games {low} to"
            f" {high}; {percent(found.share_cut)} of its games were cut for their"
            " length."
        )
    if found.best_search is not None and found.best_alone is not None:
        yield (
            f"It finds a best move in {percent(found.best_search)} of the solved"
            " positions, the network alone, without search, in"
            f" {percent(found.best_alone)}."
        )


def _opponent(name: str) -> str:
    return {"mcts": "rollout search", "random": "random play"}.get(name, name)
