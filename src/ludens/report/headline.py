"""What a run has come to, in a few words and numbers."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ludens.errors import UserError
from ludens.nets.shapes import describe
from ludens.nets.weights import load_net
from ludens.report.curves import anchor
from ludens.store.reading import Reading
from ludens.words import POINTS, duration, plural

Settings = Mapping[str, Any]
"""The config of a run as TOML gives it."""


def headline(run: Reading) -> Iterator[tuple[str, str]]:
    """Give the main facts of a run by their titles."""
    facts, totals = run.facts(), run.totals()
    game, _, options = facts.get("game", "").partition(":")
    yield "Game", game
    if options:
        yield "Options", options.replace(",", ", ")
    yield "Network", _net(run)
    yield "Time spent", duration(totals.seconds)
    yield "Iterations", f"{run.newest_iteration or 0:,}"
    yield "Games", f"{totals.games:,}"
    yield "Positions", f"{totals.positions:,}"
    if facts.get("seed"):
        yield "Seed", facts["seed"]
    yield "Begun", facts.get("created", "").replace("T", " ").replace("Z", " UTC")


def strength(run: Reading, settings: Settings) -> str:
    """Say in sentences how strong the newest examined net is."""
    newest = run.newest_metrics()
    said = list(_sentences(newest, settings.get("evaluate", {})))
    if not said:
        return "No net of this run has been examined yet."
    if newest.get("elo") is not None:
        low, high = newest.get("elo_low"), newest.get("elo_high")
        interval = "" if low is None else f", 95 % interval {low:+.0f} to {high:+.0f}"
        said.append(f"Elo {newest['elo']:+.0f}{interval}; {anchor([newest])} has 0.")
    examined = max(row["iteration"] for row in run.metrics() if _is_examined(row))
    return f"Examined at iteration {examined:,}. {' '.join(said)}"


def last_matches(run: Reading) -> list[Sequence[Any]]:
    """Return the newest matches: opponent, wins, draws, losses and share of points."""
    rows: list[Sequence[Any]] = []
    for _, opponent, wins, draws, losses in run.newest_metrics().get("matches", []):
        points, games = wins + draws / 2, wins + draws + losses
        share = f"{100 * points / games:.1f} %" if games else "-"
        rows.append((_opponent(opponent), wins, draws, losses, share))
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
    share = f" ({100 * wrong / control:.1f} %)" if control else ""
    return (
        f"{plural(given_up, 'game')} given up. In the control sample, which is played"
        f" to the end, {plural(control, 'game')} would have been given up;"
        f" {wrong:,} of these{share} turned out not to be lost."
    )


def _net(run: Reading) -> str:
    nets = run.nets()
    if not nets:
        return "none yet"
    try:
        card = load_net(nets[max(nets)]).card
    except UserError:
        return f"unknown: {nets[max(nets)].name} cannot be read"
    return describe(card.config, card.sizes)


def _is_examined(row: Mapping[str, Any]) -> bool:
    return any(name in row for name in ("matches", "truth_net", "score_mean"))


def _sentences(newest: Mapping[str, Any], wish: Mapping[str, Any]) -> Iterator[str]:
    """Give what is known of the newest net, one sentence for each kind of measure."""
    sims = f" with {wish['sims']:,} simulations a move" if "sims" in wish else ""
    scores = {
        "score_random": "against random play",
        "score_mcts": "against rollout search" + _of(wish.get("mcts_sims")),
    }
    points = [
        f"{100 * newest[key]:.1f} % {words}"
        for key, words in scores.items()
        if newest.get(key) is not None
    ]
    if points:
        yield f"The net{sims} takes these shares of the points: {', '.join(points)}."
    if newest.get("score_mean") is not None:
        yield _scores(newest, sims)
    if newest.get("truth_search") is not None:
        yield (
            f"It finds a best move in {100 * newest['truth_search']:.1f} % of the"
            " solved positions, the network alone, without search, in"
            f" {100 * newest['truth_net']:.1f} %."
        )


def _scores(newest: Mapping[str, Any], sims: str) -> str:
    mean, low, high = (
        f"{POINTS * newest[f'score_{mark}']:,.0f}" for mark in ("mean", "p10", "p90")
    )
    cut = 100 * newest.get("length_cut", 0.0)
    return (
        f"The net{sims} scores {mean} points a game, in 8 of 10 games {low} to {high};"
        f" {cut:.1f} % of its games were cut for their length."
    )


def _of(sims: int | None) -> str:
    return f" of {sims:,} simulations" if sims else ""


def _opponent(name: str) -> str:
    return {"mcts": "rollout search", "random": "random play"}.get(name, name)
