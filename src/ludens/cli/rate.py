"""`ludens rate`: several agents, each against each."""

from itertools import combinations
from typing import TYPE_CHECKING, Annotated

import typer

from ludens.cli import options
from ludens.errors import UserError

if TYPE_CHECKING:
    from ludens.arena.match import Contest, MatchTally
    from ludens.arena.ratings import Ratings

Results = dict[tuple[int, int], "MatchTally"]
"""What each two agents came to, by their numbers, for the first of them."""


def run(
    agents: Annotated[
        list[str],
        typer.Argument(help="Two agents or more.", metavar="AGENT"),
    ],
    game: options.GameOption,
    games: Annotated[int, options.games("Games of each two, an even number.")] = 40,
    seed: options.Seed = 0,
    openings: options.Openings = None,
    book: options.Book = None,
    max_plies: options.MaxPlies = 0,
    seconds: options.MoveSeconds = None,
    threads: options.PlayThreads = None,
    cluster: options.Cluster = "",
    workers: options.Workers = 0,
    matrix: Annotated[
        bool, typer.Option("--matrix", help="Print each against each as well.")
    ] = False,
    json: options.Json = False,
) -> None:
    """Play a round robin and print a table of ratings with intervals."""
    from ludens.agents import Limit
    from ludens.agents.compiling import prepare_agents
    from ludens.arena.match import Contest
    from ludens.cluster.matches import spreading
    from ludens.cluster.status import knock
    from ludens.loading.game import load_game

    if len(agents) < 2:
        raise UserError("name two agents or more to compare")
    if cluster:
        knock(cluster)
    rules = load_game(game)
    begun = options.open_book(book, openings, rules, games // 2)
    prepare_agents(rules, agents)
    terms = (seed, openings, Limit(seconds=seconds), threads, max_plies)
    with spreading(cluster, workers, rules, threads) as spread:
        if rules.num_players == 1:
            _score(
                Contest(rules, agents, *terms, spread=spread, book=begun), games, json
            )
            return
        contests = {
            (i, j): Contest(
                rules, (agents[i], agents[j]), *terms, spread=spread, book=begun
            )
            for i, j in combinations(range(len(agents)), 2)
        }
        results = _play(contests, games)
    _tell(rules.spec, agents, results, matrix, json)


def _play(contests: "dict[tuple[int, int], Contest]", games: int) -> Results:
    """Play every contest, one after the other."""
    from ludens.arena.match import MatchTally
    from ludens.cli.results import tell_forfeits
    from ludens.cli.screen import progress

    results: Results = {}
    with progress(games * len(contests)) as show:
        for number, (two, contest) in enumerate(contests.items()):
            tally = results[two] = MatchTally()
            for pair in contest.play(games // 2):
                tally.add(pair)
                tell_forfeits(pair)
                done = number * games + tally.num_games
                show(done, f"{' against '.join(contest.names)}: {tally}")
    return results


def _score(contest: "Contest", games: int, as_json: bool) -> None:
    """Compare agents in a single-player game by their scores with the same dice."""
    from ludens.arena.match import Scores
    from ludens.cli.results import tell_scores
    from ludens.cli.screen import progress

    scores = Scores(len(contest.agents))
    with progress(games // 2 * len(contest.agents)) as show:
        for played in contest.play(games // 2):
            scores.add(played)
            show(played[-1].number, "")
    tell_scores(contest, scores, as_json)


def _tell(
    game: str, agents: list[str], results: Results, matrix: bool, as_json: bool
) -> None:
    """Print the ratings, best first."""
    import numpy as np

    from ludens.arena.ratings import rate
    from ludens.cli.screen import print_json, print_table

    points = np.zeros((len(agents), len(agents)))
    for (i, j), tally in results.items():
        points[i, j] = tally.wins + tally.draws / 2
        points[j, i] = tally.losses + tally.draws / 2
    ratings = rate(points)
    order = [int(i) for i in np.argsort(-ratings.elo, kind="stable")]
    if as_json:
        print_json(_facts(game, agents, results, ratings, order))
        return
    rows = [["agent", "Elo", "95 %", "games", "score", "won", "drawn", "lost"]]
    for i in order:
        won, drawn, lost = _totals(results, i)
        played = won + drawn + lost
        score = f"{100 * (won + drawn / 2) / played:.1f} %"
        elo, margin = f"{ratings.elo[i]:+.0f}", f"±{ratings.margin[i]:.0f}"
        counts = map(str, (won, drawn, lost))
        rows.append([agents[i], elo, margin, str(played), score, *counts])
    print(f"{game}: Bradley-Terry ratings, 0 on the average")
    print_table(rows)
    if matrix:
        print("\nwon-drawn-lost against")
        print_table(_matrix(agents, results, order))


def _against(results: Results, i: int, j: int) -> tuple[int, int, int]:
    """Return the wins, draws and losses of one agent against another."""
    if (i, j) in results:
        tally = results[i, j]
        return tally.wins, tally.draws, tally.losses
    lost, drawn, won = _against(results, j, i)
    return won, drawn, lost


def _totals(results: Results, agent: int) -> tuple[int, int, int]:
    others = {i for two in results for i in two} - {agent}
    counts = [_against(results, agent, other) for other in others]
    won, drawn, lost = map(sum, zip(*counts, strict=True))
    return won, drawn, lost


def _matrix(agents: list[str], results: Results, order: list[int]) -> list[list[str]]:
    rows = [["", *(agents[j] for j in order)]]
    for i in order:
        cells = [
            "-".join(map(str, _against(results, i, j))) if i != j else "" for j in order
        ]
        rows.append([agents[i], *cells])
    return rows


def _facts(
    game: str,
    agents: list[str],
    results: Results,
    ratings: "Ratings",
    order: list[int],
) -> dict[str, object]:
    """Return all there is to tell, ready for JSON."""
    table = [
        {
            "agent": agents[i],
            "elo": float(ratings.elo[i]),
            "margin": float(ratings.margin[i]),
            **dict(zip(("wins", "draws", "losses"), _totals(results, i), strict=True)),
        }
        for i in order
    ]
    matches = [
        {
            "agents": [agents[i], agents[j]],
            "wins": tally.wins,
            "draws": tally.draws,
            "losses": tally.losses,
            "distinct": tally.num_distinct,
        }
        for (i, j), tally in results.items()
    ]
    return {"game": game, "ratings": table, "matches": matches}
