"""`ludens check`: whether a game keeps the contract."""

from typing import Annotated

import typer

from ludens.cli import options


def run(
    game: options.Game,
    games: Annotated[int, options.count("How many random games.", 1)] = 1000,
    seed: options.Seed = 0,
    watch: Annotated[
        bool, typer.Option("--watch", help="Check again whenever its files change.")
    ] = False,
) -> None:
    """Check the rules of a game by playing random games with them."""
    if watch:
        _watch(game, games, seed)
    elif not _check(game, games, seed):
        raise typer.Exit(2)


def _check(game: str, games: int, seed: int) -> bool:
    """Print what was found; tell whether all is well."""
    from ludens.check import check_game
    from ludens.check.fast import CHECKING
    from ludens.loading.ahead import prepare
    from ludens.loading.game import load_game

    rules = load_game(game)
    prepare(rules, [CHECKING])
    report = check_game(rules, games, seed)
    print(report, flush=True)
    return report.ok


def _watch(game: str, games: int, seed: int) -> None:
    """Check until Ctrl-C; a file that does not load is told in a line."""
    from ludens.cli.blame import one_line
    from ludens.formats.words import plural
    from ludens.loading.game import find_game, parse_spec
    from ludens.loading.watched import Watched

    watched = Watched(find_game(parse_spec(game)[0]))
    while True:
        try:
            with watched.reading():
                _check(game, games, seed)
        except Exception as error:
            line = one_line(error)
            if line is None:
                raise
            print(line, flush=True)
        count = plural(len(watched.files), "file")
        print(f"\nWatching {count}; Ctrl-C ends it.", flush=True)
        names = ", ".join(file.name for file in watched.wait())
        print(f"\n{names} changed:", flush=True)
