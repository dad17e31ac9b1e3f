"""`ludens match`: two agents against each other."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ludens.cli import options
from ludens.errors import UserError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ludens.arena.elo import Sprt
    from ludens.arena.match import Contest, MatchTally, Scores
    from ludens.arena.play import Played
    from ludens.cli.archive import Archive


def run(
    first: Annotated[
        str, typer.Argument(help="An agent, such as mcts:sims=1000.", metavar="A")
    ],
    second: Annotated[str, typer.Argument(help="The other agent.", metavar="B")],
    game: options.GameOption,
    games: Annotated[int, options.games("Games in all, an even number.")] = 100,
    seed: options.Seed = 0,
    openings: options.Openings = None,
    book: options.Book = None,
    max_plies: options.MaxPlies = 0,
    sprt: Annotated[
        str,
        typer.Option(help="Stop when one of the two is likely.", metavar="ELO0,ELO1"),
    ] = "",
    save: Annotated[
        Path | None, typer.Option(help="A folder for the games.", metavar="DIR")
    ] = None,
    kind: options.Format = "json",
    seconds: options.MoveSeconds = None,
    threads: options.PlayThreads = None,
    cluster: options.Cluster = "",
    workers: options.Workers = 0,
    json: options.Json = False,
) -> None:
    """Play a match in pairs of games with sides swapped: score, Elo and interval."""
    from ludens.agents import Limit
    from ludens.agents.compiling import prepare_agents
    from ludens.arena.match import Contest, MatchTally, Scores
    from ludens.cli.archive import Archive
    from ludens.cli.results import tell_match, tell_scores
    from ludens.cluster.matches import spreading
    from ludens.cluster.status import knock
    from ludens.loading.game import load_game

    test = _read_sprt(sprt)
    if cluster:
        knock(cluster)
    rules = load_game(game)
    begun = options.open_book(book, openings, rules, games // 2)
    prepare_agents(rules, (first, second))
    alone = rules.num_players == 1
    if alone and test is not None:
        raise UserError(f"{rules.name} is for one player: leave --sprt out")
    agents = (first, second)
    limit = Limit(seconds=seconds)
    tally: MatchTally | Scores = Scores(2) if alone else MatchTally()
    terms = (seed, openings, limit, threads, max_plies)
    with spreading(cluster, workers, rules, threads) as spread:
        contest = Contest(rules, agents, *terms, spread=spread, book=begun)
        archive = Archive(rules, save, games, kind) if save else None
        is_cut = _play(contest, tally, games, test, archive)
    if isinstance(tally, Scores):
        tell_scores(contest, tally, json)
    else:
        tell_match(contest, tally, test, json)
    if is_cut:
        raise typer.Exit(130)


def _read_sprt(text: str) -> "Sprt | None":
    """Read the two Elo differences to tell apart."""
    from ludens.arena.elo import Sprt

    if not text:
        return None
    try:
        elo0, elo1 = map(float, text.split(","))
    except ValueError:
        elo0 = elo1 = 0.0
    if not -2000 <= elo0 < elo1 <= 2000:
        raise UserError(
            f"--sprt cannot be {text!r}; write two Elo differences, such as 0,20"
        )
    return Sprt(elo0, elo1)


def _play(
    contest: "Contest",
    tally: "MatchTally | Scores",
    games: int,
    test: "Sprt | None",
    archive: "Archive | None",
) -> bool:
    """Play until the games are played or the test has decided; tell if interrupted."""
    from ludens.arena.match import MatchTally
    from ludens.cli.results import tell_forfeits
    from ludens.cli.screen import progress

    done = 0
    with progress(games) as show:
        try:
            for played in contest.play(games // 2):
                tally.add(played)
                tell_forfeits(played)
                done = played[-1].number
                show(done, str(tally))
                if archive is not None:
                    _keep(archive, contest.names, played)
                if isinstance(tally, MatchTally) and _is_decided(test, tally):
                    break
        except KeyboardInterrupt:
            if done == 0:
                raise
            return True
    return False


def _keep(
    archive: "Archive", agents: "Sequence[str]", games: "tuple[Played, ...]"
) -> None:
    """Write the games of one opening."""
    from ludens.formats.record import Record

    for played in games:
        names = tuple(agents[agent] for agent in played.seating)
        agreed: Any = int(played.result) if played.forfeit else None
        record = Record.of(played.state, names, agreed=agreed)
        archive.keep(played.number, record)


def _is_decided(test: "Sprt | None", tally: "MatchTally") -> bool:
    return test is not None and test.accepted(tally.pairs) is not None
