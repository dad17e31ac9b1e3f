"""`ludens match`: two agents against each other."""

from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ludens.cli import options
from ludens.errors import UserError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ludens.arena.elo import Sprt
    from ludens.arena.match import Contest, MatchTally, Scores
    from ludens.arena.play import Onlooker, Played
    from ludens.cli.archive import Archive
    from ludens.cli.onlookers import Gallery

BOARDS = 4
"""Threads that play while somebody looks on, at least, unless their number is given."""


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
    watch: Annotated[
        bool, typer.Option("--watch", help="Look on: several boards side by side.")
    ] = False,
    pace: Annotated[
        float | None,
        typer.Option(
            help="With --watch: least time for a move.", metavar="S", min=0, max=60
        ),
    ] = None,
    trees: options.Trees = None,
    json: options.Json = False,
) -> None:
    """Play a match in pairs of games with sides swapped: score, Elo and interval."""
    from ludens.agents import Limit
    from ludens.agents.compiling import prepare_agents
    from ludens.arena.match import Contest, MatchTally, Scores
    from ludens.cli.archive import Archive
    from ludens.cli.onlookers import Gallery
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
    if cluster and (watch or trees):
        raise UserError("--watch and --trees are for games that are played here")
    with spreading(cluster, workers, rules, threads) as spread:
        contest = Contest(rules, agents, *terms, spread=spread, book=begun)
        gallery = Gallery(pace, games) if watch and not json else None
        contest = _look_on(contest, gallery, trees)
        archive = Archive(rules, save, games, kind) if save else None
        is_cut = _play(contest, tally, games, test, archive, gallery)
    if isinstance(tally, Scores):
        tell_scores(contest, tally, json)
    else:
        tell_match(contest, tally, test, json)
    if is_cut:
        raise typer.Exit(130)


def _look_on(
    contest: "Contest", gallery: "Gallery | None", trees: Path | None
) -> "Contest":
    """Return a contest that is looked at.

    Trees need agents of their own for each game. Boards are few and change slowly, so
    that there may be more threads than cores.
    """
    from ludens.cli.onlookers import Together, Trees
    from ludens.cores import num_cores

    onlookers: list[Onlooker] = [gallery] if gallery is not None else []
    if trees is not None:
        if not any(player.make(0).search for player in contest.players):
            raise UserError("neither agent grows a tree; use mcts or net")
        onlookers.append(Trees(trees))
    if not onlookers:
        return contest
    threads = contest.threads or max(num_cores(), BOARDS if gallery else 0)
    at_once = 1 if trees is not None else 2
    look_on = Together(onlookers)
    return replace(contest, onlooker=look_on, threads=threads, at_once=at_once)


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
    gallery: "Gallery | None" = None,
) -> bool:
    """Play until the games are played or the test has decided; tell if interrupted."""
    from ludens.arena.match import MatchTally
    from ludens.cli.results import tell_forfeits
    from ludens.cli.screen import progress

    done = 0
    with ExitStack() as screen:
        if gallery is not None:
            screen.callback(gallery.open(contest).close)
            show = None
        else:
            show = screen.enter_context(progress(games))
        try:
            for played in contest.play(games // 2):
                tally.add(played)
                tell_forfeits(played)
                done = played[-1].number
                if show is not None:
                    show(done, str(tally))
                elif gallery is not None:
                    gallery.tell(played, str(tally))
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
