"""`ludens check`: whether a game keeps the contract."""

from typing import Annotated

import typer


def run(
    game: Annotated[
        str, typer.Argument(help="A game or a rules file.", metavar="GAME")
    ],
    games: Annotated[
        int, typer.Option(help="How many random games.", metavar="N", min=1)
    ] = 1000,
    seed: Annotated[
        int, typer.Option(help="Decides which games.", metavar="N", min=0)
    ] = 0,
) -> None:
    """Check the rules of a game by playing random games with them."""
    from ludens.check import check_game
    from ludens.loading.ahead import prepare
    from ludens.loading.game import load_game

    rules = load_game(game)
    prepare(rules, [("check",)])
    report = check_game(rules, games, seed)
    print(report)
    if not report.ok:
        raise typer.Exit(2)
