"""`ludens bench`: measurements anybody can repeat."""

from typing import Annotated

import typer

from ludens.cli import options

app = typer.Typer(
    help="Measure strength and speed on this machine.",
    no_args_is_help=True,
    rich_markup_mode=None,
)


@app.callback()
def _bench() -> None:
    """Measure strength and speed on this machine."""


@app.command("speed")
def speed(
    game: options.Game = "connect_four",
    seconds: Annotated[float, options.seconds("Time of each part.")] = 5.0,
    as_json: options.Json = False,
) -> None:
    """Measure the rules, the search and self-play of a game on this machine."""
    from dataclasses import asdict

    from ludens.bench.speed import measure, report
    from ludens.formats.strict import to_json
    from ludens.loading.game import load_game

    found = measure(load_game(game), seconds)
    print(to_json(asdict(found)) if as_json else report(found))


@app.command("fingerprint")
def fingerprint() -> None:
    """Print a fingerprint of fixed searches: it changes when the search does."""
    from ludens.bench.fingerprint import main

    main()


@app.command("strength")
def strength(
    games: options.Games = None,
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
    external: Annotated[
        str,
        typer.Option(help="Play against it: engine:cmd=./pbrain-foo.", metavar="WHO"),
    ] = "",
    as_json: options.Json = False,
    as_markdown: Annotated[
        bool, typer.Option("--markdown", help="Print the tables of docs/strength.md.")
    ] = False,
) -> None:
    """Measure nets: wrong moves in solved positions, a match, or scores."""
    from ludens.bench.strength import main, read_agent

    form = "json" if as_json else "markdown" if as_markdown else "text"
    how = read_agent(agent)
    main(games, net, how, num_positions, num_games, form, external)


@app.command("honesty")
def honesty(
    game: Annotated[
        str, typer.Argument(help="A single-player game with chance.", metavar="GAME")
    ] = "triangle",
    agent: Annotated[
        str, typer.Option(help="The agent to test.", metavar="WHO")
    ] = "mcts:sims=32",
    games: Annotated[int, options.count("Pairs of games.", 2)] = 500,
    seed: options.Seed = 0,
    max_plies: options.MaxPlies = 0,
    as_json: options.Json = False,
) -> None:
    """Test whether an agent knows what chance will bring; exit code 1 if it does."""
    from ludens.bench.honesty import main

    if not main(game, agent, games, seed, max_plies, as_json):
        raise typer.Exit(1)
