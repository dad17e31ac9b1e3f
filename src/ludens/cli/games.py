"""`ludens games`: the games, their sizes, their options and their rules."""

from typing import TYPE_CHECKING, Annotated, Any

import typer

from ludens.cli.options import Json
from ludens.log import say

if TYPE_CHECKING:
    from ludens.loading.game import Game

_SIZES = ["players", "actions", "observation", "max plies", "symmetries"]


def run(
    game: Annotated[
        str | None,
        typer.Argument(help="A game to describe: gomoku:size=9.", metavar="GAME"),
    ] = None,
    find: Annotated[
        str | None,
        typer.Option(
            help="Search the tables in its rules: fire, level=3.",
            metavar="WORDS",
        ),
    ] = None,
    as_json: Json = False,
) -> None:
    """List the games, or describe one: sizes, options, rules."""
    from ludens.cli.screen import print_json
    from ludens.errors import UserError
    from ludens.loading.game import load_game

    if game is None:
        if find is not None:
            raise UserError("--find needs a game, such as triple_triad")
        _tell_all(as_json)
        return
    loaded = load_game(game)
    facts = _facts(loaded)
    if find is not None:
        _tell_found(loaded, find, as_json)
    elif as_json:
        print_json(facts)
    else:
        _tell_one(facts)
        _tell_rules(loaded)


def _tell_all(as_json: bool) -> None:
    """Print every game that loads; one that does not is named on stderr."""
    from ludens.cli.screen import print_json, print_table
    from ludens.errors import UserError
    from ludens.loading.game import game_files, load_game

    found = []
    for name in game_files():
        try:
            found.append(_facts(load_game(name)))
        except UserError as error:
            say(f"ludens: {error}", "error")
    if as_json:
        print_json(found)
        return
    names = [["game", "what it is"], *([f["game"], f["description"]] for f in found)]
    print_table(names, num_words=2)
    print()
    print_table([["game", *_SIZES], *([f["game"], *_sizes(f)] for f in found)])
    print()
    rows = [[f["game"], _in_short(f["options"])] for f in found if f["options"]]
    print_table([["game", "options"], *rows], num_words=2)
    print("\n`ludens games GAME` tells what the options of a game do, and its rules.")


def _tell_one(facts: dict[str, Any]) -> None:
    """Print the sizes, planes and options of one game."""
    from ludens.cli.screen import print_table

    lines = {"what it is": facts["description"]}
    lines |= zip(_SIZES, _sizes(facts), strict=True)
    outcomes = facts["max_outcomes"]
    lines["chance"] = f"up to {outcomes:,} outcomes" if outcomes else "none"
    lines["planes"] = ", ".join(facts["planes"])
    lines["targets"] = ", ".join(facts["targets"]) or "none"
    print_table([[facts["game"], ""], *map(list, lines.items())], num_words=2)
    print()
    if not facts["options"]:
        print("It has no options.")
        return
    columns = {"name": "option", "value": "value", "default": "default"}
    columns |= {"allowed": "allowed", "help": "what it does"}
    if all(option["value"] == option["default"] for option in facts["options"]):
        del columns["value"]
    rows = [[_text(option[key]) for key in columns] for option in facts["options"]]
    print_table([[*columns.values()], *rows], num_words=len(columns))


def _tell_rules(game: "Game") -> None:
    from ludens.cli.screen import tell_rules

    if game.rules_text:
        search = f"Search it: ludens games {game.spec} --find WORDS"
        print(f"\n{tell_rules(game, search)}")


def _tell_found(game: "Game", words: str, as_json: bool) -> None:
    """Print what the tables of the rules have on some words."""
    from ludens.cli.screen import print_json, print_table
    from ludens.errors import UserError
    from ludens.formats.rulebook import find_in_tables

    found = find_in_tables(game, words)
    if not found:
        raise UserError(f"no table in the rules of {game.spec} has {words!r}")
    if as_json:
        print_json([dict(zip(t[0], row, strict=True)) for t in found for row in t[1:]])
        return
    for rows in found:
        print_table(rows, num_words=len(rows[0]))


def _facts(game: "Game") -> dict[str, Any]:
    """Return all there is to tell about a game, ready for JSON."""
    return {
        "game": game.spec,
        "description": game.title,
        "players": game.num_players,
        "actions": game.num_actions,
        "observation": game.observation_shape,
        "max_plies": int(game.plain.MAX_PLIES),
        "max_outcomes": int(game.plain.MAX_OUTCOMES),
        "symmetries": int(game.plain.NUM_SYMMETRIES),
        "rules": game.rules_text,
        "planes": game.plain.PLANES,
        "targets": game.plain.TARGETS,
        "options": [
            {
                "name": name,
                "value": game.options[name],
                "default": option.default,
                "allowed": option.allowed,
                "help": option.help,
            }
            for name, option in game.declared.items()
        ],
    }


def _sizes(facts: dict[str, Any]) -> list[str]:
    return [
        str(facts["players"]),
        f"{facts['actions']:,}",
        "x".join(map(str, facts["observation"])),
        f"{facts['max_plies']:,}" if facts["max_plies"] else "no limit",
        f"{facts['symmetries']:,}",
    ]


def _in_short(options: list[dict[str, Any]]) -> str:
    return ", ".join(
        f"{option['name']}={_text(option['default'])} ({option['allowed']})"
        for option in options
    )


def _text(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
