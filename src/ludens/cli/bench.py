"""`ludens bench`: measurements anybody can repeat."""

from typing import Annotated

import typer

app = typer.Typer(
    help="Measure speed on this machine.", no_args_is_help=True, rich_markup_mode=None
)


@app.callback()
def _bench() -> None:
    """Measure speed on this machine."""


@app.command("solver")
def solver(
    positions: Annotated[
        int, typer.Option(help="Positions at each stage of a game.", min=1)
    ] = 20,
    seconds: Annotated[
        float, typer.Option(help="Limit of time for a position.", min=0.01)
    ] = 10,
) -> None:
    """Measure the time to solve random positions, by how far the game has gone."""
    from ludens.bench.solver import main

    main(positions, seconds)


@app.command("rules")
def rules(
    games: Annotated[
        list[str] | None,
        typer.Argument(help="Games to measure; all if none is named.", metavar="GAME"),
    ] = None,
    rounds: Annotated[
        int, typer.Option(help="Rounds by turns; medians are shown.", min=1)
    ] = 5,
    seconds: Annotated[
        float, typer.Option(help="Time of an engine in a round.", min=0.01)
    ] = 0.5,
) -> None:
    """Measure random games a second on one core, next to the peers installed."""
    from ludens.bench.rules import main

    main(games, rounds, seconds)


@app.command("replay")
def replay(
    positions: Annotated[
        int, typer.Option(help="Positions in the window.", min=1)
    ] = 500_000,
    batch_size: Annotated[int, typer.Option(help="Samples of a batch.", min=1)] = 1024,
) -> None:
    """Measure the memory of a replay window and the samples a second it gives."""
    from ludens.bench.replay import main

    main(positions, batch_size)


@app.command("selfplay")
def selfplay(
    games: Annotated[
        list[str] | None,
        typer.Argument(help="Games to measure; four if none.", metavar="GAME"),
    ] = None,
    rounds: Annotated[
        int, typer.Option(help="Rounds by turns; medians are shown.", min=1)
    ] = 5,
    seconds: Annotated[
        float, typer.Option(help="Time of each in a round.", min=0.01)
    ] = 2.0,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
    preset: Annotated[
        str, typer.Option(help="Its nets, not our own.", metavar="small|laptop|gpu")
    ] = "",
) -> None:
    """Measure self-play next to the bare network and to plain Python."""
    from ludens.bench.selfplay import main

    main(games, rounds, seconds, as_json, preset)


@app.command("strength")
def strength(
    games: Annotated[
        list[str] | None,
        typer.Argument(help="Games; those whose nets ship if none.", metavar="GAME"),
    ] = None,
    net: Annotated[
        str, typer.Option(help="A file, RUN or RUN@ITERATION.", metavar="NET")
    ] = "",
    agent: Annotated[
        str, typer.Option(help="How it searches: net:c_puct=2.", metavar="TEXT")
    ] = "net",
    num_games: Annotated[
        int,
        typer.Option(
            "--games", help="Games; 0: 100, or 200 for scores.", metavar="N", min=0
        ),
    ] = 0,
    num_positions: Annotated[
        int,
        typer.Option("--positions", help="Most of one set.", metavar="N", min=1),
    ] = 1000,
    by_search: Annotated[
        bool,
        typer.Option("--search", help="Without nets: what more simulations bring."),
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
    as_markdown: Annotated[
        bool, typer.Option("--markdown", help="Print the tables of docs/strength.md.")
    ] = False,
) -> None:
    """Measure nets: wrong moves in solved positions, a match, or scores."""
    if by_search:
        from ludens.bench.search_strength import main as measure_search

        measure_search(num_games or 100, min(num_positions, 200))
        return
    from ludens.bench.strength import main, read_agent

    form = "json" if as_json else "markdown" if as_markdown else "text"
    main(games, net, read_agent(agent), num_positions, num_games, form)


@app.command("web")
def web(
    clicks: Annotated[int, typer.Option(help="Moves of each game.", min=1)] = 50,
    seconds: Annotated[
        float, typer.Option(help="Time of the analysis.", min=0.5)
    ] = 5.0,
) -> None:
    """Measure the page: its weight, clicks in a browser, what streaming costs."""
    from ludens.bench.web import main

    main(clicks, seconds)


@app.command("search")
def search(
    fingerprint: Annotated[
        bool,
        typer.Option("--fingerprint", help="Print what fixed searches come to."),
    ] = False,
    rounds: Annotated[
        int, typer.Option(help="Rounds by turns; medians are shown.", min=1)
    ] = 5,
    seconds: Annotated[
        float, typer.Option(help="Time of an engine in a round.", min=0.01)
    ] = 0.5,
) -> None:
    """Measure simulations a second, next to the peers installed, and growing trees."""
    if fingerprint:
        from ludens.bench.fingerprint import main as print_fingerprint

        print_fingerprint()
        return
    from ludens.bench.search import main

    main(rounds, seconds)


@app.command("honesty")
def honesty(
    game: Annotated[
        str, typer.Argument(help="A game for one with chance.", metavar="GAME")
    ] = "triangle",
    agent: Annotated[
        str, typer.Option(help="Who is tested.", metavar="WHO")
    ] = "mcts:sims=32",
    games: Annotated[
        int, typer.Option(help="Pairs of games.", metavar="N", min=2)
    ] = 500,
    seed: Annotated[
        int, typer.Option(help="Decides the games.", metavar="N", min=0)
    ] = 0,
    max_plies: Annotated[
        int,
        typer.Option(help="Cut longer games; 0: as the game is.", metavar="N", min=0),
    ] = 0,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Test whether an agent knows what chance will bring: exit code 1 if it does."""
    from ludens.bench.honesty import main

    if not main(game, agent, games, seed, max_plies, as_json):
        raise typer.Exit(1)


@app.command("ablation")
def ablation(
    arms: Annotated[
        list[str] | None,
        typer.Argument(help="Arms to train; all if none is named.", metavar="ARM"),
    ] = None,
    minutes: Annotated[
        float, typer.Option(help="Time that each learns.", min=0.001)
    ] = 10.0,
    games: Annotated[
        int, typer.Option(help="Games of each net then.", metavar="N", min=2)
    ] = 100,
    threads: Annotated[int, typer.Option(help="0: one a core.", min=0)] = 0,
) -> None:
    """Train triangle in several ways for the same time, and compare the scores."""
    from ludens.bench.ablation import main

    main(arms, minutes, games, threads)
