"""`ludens show`: a saved game, move by move, or a run of training in short."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ludens.errors import UserError

if TYPE_CHECKING:
    from ludens.cli.screen import Turn


def run(
    file: Annotated[
        Path,
        typer.Argument(help="A saved game, or a run (name or folder).", metavar="FILE"),
    ],
    step: Annotated[
        int | None,
        typer.Option(help="Show the position after N steps.", metavar="N", min=0),
    ] = None,
    every: Annotated[bool, typer.Option("--all", help="Show every position.")] = False,
    rules: Annotated[
        str, typer.Option(help="The file of a game not installed.", metavar="FILE")
    ] = "",
) -> None:
    """Show a saved game: moves, end and result; or sum up a run of training."""
    if _is_run(file):
        if step is not None or every or rules:
            raise UserError(f"{file} is a run: --step, --all and --rules are for games")
        _show_run(file)
    else:
        _show_game(file, step, every, rules)


def _is_run(file: Path) -> bool:
    """Say whether a run is meant: a folder, or a name that is no file."""
    return file.is_dir() or (not file.exists() and file.name == str(file) != "")


def _show_run(file: Path) -> None:
    from ludens.cli.summary import tell_run
    from ludens.store.listing import find_run
    from ludens.store.run import Run

    with Run.open(find_run(str(file))) as run:
        tell_run(run)


def _show_game(file: Path, step: int | None, every: bool, rules: str) -> None:
    from ludens.cli.screen import draw, ending, flow, turns
    from ludens.formats.record import load_record
    from ludens.state import State

    record = load_record(file)
    try:
        game = record.load_game(rules)
        played = list(turns(game, record.history))
        record.replay(game)  # compares the result
    except UserError as error:
        raise UserError(f"{file}: {error}") from None
    if step is not None and step > len(played):
        raise UserError(f"{file} has {len(played)} steps, so --step cannot be {step}")
    names = _names(record.players)
    states = [State(game), *(turn.state for turn in played)]
    print(_heading(game.spec, names, game.num_players))
    if step is not None:
        print(f"\n{_caption(step, played)}\n\n{draw(states[step])}")
        return
    if every:
        for number, state in enumerate(states):
            print(f"\n{_caption(number, played)}\n\n{draw(state)}")
    else:
        print(flow(f"{number}. {_word(turn)}" for number, turn in enumerate(played, 1)))
        print(f"\n{draw(states[-1])}")
    print(f"\n{ending(states[-1], names)}")


def _names(players: list[str]) -> list[str]:
    """Return how to call the players; a file may hold any characters in their names."""
    given = ["".join(c for c in name if c.isprintable()) for name in players]
    named = [f"player {i} ({name})" for i, name in enumerate(given[:2]) if name]
    return named if len(named) == 2 else ["player 0", "player 1"]


def _heading(spec: str, names: list[str], players: int) -> str:
    return spec if players == 1 else f"{spec}: {names[0]} against {names[1]}"


def _word(turn: "Turn") -> str:
    """Return a step as it stands in a list of moves."""
    if turn.player is None:
        return f"[edit {turn.name}]"
    return f"[{turn.name}]" if turn.player < 0 else turn.name


def _caption(number: int, played: "list[Turn]") -> str:
    """Say which step led to a position."""
    if number == 0:
        return "Start"
    turn = played[number - 1]
    if turn.player is None:
        return f"{number}. edit {turn.name}"
    who = "chance" if turn.player < 0 else f"player {turn.player}"
    return f"{number}. {who}: {turn.name}"
