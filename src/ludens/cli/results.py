"""What a match or a tournament came to, in words or as JSON."""

from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from ludens.cli.screen import print_json, print_table
from ludens.cli.streams import complain
from ludens.formats.words import percent, plural, points

if TYPE_CHECKING:
    from ludens.arena.elo import Estimate, Sprt
    from ludens.arena.match import Contest, MatchTally, Scores
    from ludens.arena.play import Played

_MOSTLY = 0.9
"""Below this share of distinct games, a warning is printed."""
_PERCENTILES = (10, 50, 90)


def tell_match(
    contest: "Contest", tally: "MatchTally", test: "Sprt | None", as_json: bool
) -> None:
    """Print the result of a match between two agents."""
    if as_json:
        print_json(_match_facts(contest, tally, test))
        return
    from ludens.arena.elo import elo_estimate, score_estimate

    first, second = contest.names
    print(f"{contest.game.spec}: {first} against {second}")
    print(_how(contest, tally))
    score = score_estimate(tally.pairs)
    between = f"[{100 * score.low:.1f}, {100 * score.high:.1f}]"
    print(f"{tally}: score {percent(score.value)} {between}")
    print(f"Elo {_interval(elo_estimate(tally.pairs))}, with a confidence of 95 %")
    if test is not None:
        print(_verdict(test, tally.pairs))
    if tally.num_distinct < _MOSTLY * tally.num_games:
        print("Repeated games tell nothing new: the interval is too narrow.")


def tell_forfeits(games: "Sequence[Played]") -> None:
    """Print for each game that a player has lost by a fault, what it was."""
    for played in games:
        if played.forfeit:
            complain(f"{played.forfeit}; it has lost this game")


def _how(contest: "Contest", tally: "MatchTally") -> str:
    """Say what was played."""
    plies, pages = contest.opening_plies, len(contest.book)
    openings = f"openings of {plural(plies, 'random move')}, " if plies else ""
    openings += f"{plural(pages, 'opening')} of a book, " if pages else ""
    return (
        f"{plural(tally.num_games, 'game')} in pairs with sides swapped,"
        f" {tally.num_distinct:,} distinct; {openings}seed {contest.seed}"
    )


def _verdict(test: "Sprt", pairs: Sequence[int]) -> str:
    """Say what the sequential test has found."""
    accepted = test.accepted(pairs)
    if accepted is None:
        found = "open"
    elif accepted == test.elo1:
        found = f"{test.elo1:+g} or more accepted"
    else:
        found = f"{test.elo0:+g} or less accepted"
    llr = f"log-likelihood ratio {test.llr(pairs):+.2f} of ±{test.bound:.2f}"
    return f"SPRT {test.elo0:+g} against {test.elo1:+g}: {found} ({llr})"


def _match_facts(
    contest: "Contest", tally: "MatchTally", test: "Sprt | None"
) -> dict[str, Any]:
    from ludens.arena.elo import elo_estimate, score_estimate

    facts = {
        **_terms(contest),
        "games": tally.num_games,
        "distinct": tally.num_distinct,
        "wins": tally.wins,
        "draws": tally.draws,
        "losses": tally.losses,
        "pairs": tally.pairs,
        "mean_plies": tally.plies / max(1, tally.num_games),
        "score": asdict(score_estimate(tally.pairs)),
        "elo": asdict(elo_estimate(tally.pairs)),
    }
    if test is not None:
        facts["sprt"] = {
            "elo0": test.elo0,
            "elo1": test.elo1,
            "llr": test.llr(tally.pairs),
            "bound": test.bound,
            "accepted": test.accepted(tally.pairs),
        }
    return facts


def tell_scores(contest: "Contest", scores: "Scores", as_json: bool) -> None:
    """Print how each agent scored in a single-player game, and the first one's lead."""
    if as_json:
        print_json(_score_facts(contest, scores))
        return
    print(
        f"{contest.game.spec}: {plural(scores.num_rounds, 'game')} an agent,"
        f" all with the same dice; seed {contest.seed}"
    )
    if scores.num_rounds:
        _print_scores(contest, scores)


def _print_scores(contest: "Contest", scores: "Scores") -> None:
    from ludens.arena.elo import mean_estimate

    rows = [["agent", "mean", "95 %", "10th", "median", "90th", "moves", "cut"]]
    for agent, facts in enumerate(_score_facts(contest, scores)["scores"]):
        mean = mean_estimate(scores.scores[agent])
        spread = [points(facts[f"percentile_{p}"]) for p in _PERCENTILES]
        lengths = f"{facts['mean_plies']:,.1f}", percent(facts["share_cut"])
        named = [facts["agent"], points(mean.value), _range(mean)]
        rows.append([*named, *spread, *lengths])
    print_table(rows)
    for other in range(1, len(contest.names)):
        gain = mean_estimate(scores.gains(0, other))
        print(
            f"{contest.names[0]} less {contest.names[other]}:"
            f" {points(gain.value, '+')} {_range(gain, '+')}, by games of equal dice"
        )


def _score_facts(contest: "Contest", scores: "Scores") -> dict[str, Any]:
    import numpy as np

    from ludens.arena.elo import mean_estimate

    told, gains = [], []
    for agent, name in enumerate(contest.names if scores.num_rounds else ()):
        marks = np.percentile(scores.scores[agent], _PERCENTILES)
        spread = zip((f"percentile_{p}" for p in _PERCENTILES), marks, strict=True)
        mean = asdict(mean_estimate(scores.scores[agent]))
        plies = float(np.mean(scores.plies[agent]))
        told.append({"agent": name, "mean": mean, "mean_plies": plies})
        told[-1]["share_cut"] = scores.num_cut[agent] / scores.num_rounds
        told[-1] |= {key: float(mark) for key, mark in spread}
        if agent > 0:
            gain = asdict(mean_estimate(scores.gains(0, agent)))
            gains.append({"over": name, "mean": gain})
    games = scores.num_rounds * len(contest.names)
    return {**_terms(contest), "games": games, "scores": told, "gains": gains}


def _terms(contest: "Contest") -> dict[str, Any]:
    return {
        "game": contest.game.spec,
        "agents": list(contest.names),
        "seed": contest.seed,
        "openings": contest.opening_plies,
        **({"book": len(contest.book)} if contest.book else {}),
    }


def _interval(elo: "Estimate") -> str:
    return f"{elo.value:+.0f} [{elo.low:+.0f}, {elo.high:+.0f}]"


def _range(estimate: "Estimate", sign: str = "") -> str:
    return f"[{points(estimate.low, sign)}, {points(estimate.high, sign)}]"
