"""`ludens check`: whether a game keeps the contract."""

from typing import Annotated

import typer

from ludens.cli import options


def run(
    game: options.Game,
    games: Annotated[int, options.count("How many random games.", 1)] = 1000,
    seed: options.Seed = 0,
) -> None:
    """Check the rules of a game by playing random games with them."""
    from ludens.check import check_game
    from ludens.check.fast import CHECKING
    from ludens.loading.ahead import prepare
    from ludens.loading.game import load_game

    rules = load_game(game)
    prepare(rules, [CHECKING])
    report = check_game(rules, games, seed)
    print(report)
    if not report.ok:
        raise typer.Exit(2)
