"""`ludens show`: a saved game, move by move, or a training run in short."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ludens.cli import options
from ludens.errors import UserError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ludens.formats.words import Turn
    from ludens.store.summary import Summary


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
    rules: options.Rules = "",
    verify: Annotated[
        bool, typer.Option("--verify", help="Read all of a run; say what is damaged.")
    ] = False,
) -> None:
    """Show a saved game (moves, end, result), or sum up a training run."""
    if _is_run(file):
        if step is not None or every or rules:
            raise UserError(f"{file} is a run: --step, --all and --rules are for games")
        _verify_run(file) if verify else _show_run(file)
    elif verify:
        raise UserError(f"{file} is a game: --verify is for runs")
    else:
        _show_game(file, step, every, rules)


def _is_run(file: Path) -> bool:
    """Say whether a run is meant: a folder, or a name that is no file."""
    try:
        return file.is_dir() or (not file.exists() and file.name == str(file) != "")
    except OSError as error:
        raise UserError(f"there is no {str(file)[:40]!r}: {error.strerror}") from None


def _show_run(file: Path) -> None:
    from ludens.cli.screen import print_facts
    from ludens.store.finding import find_run
    from ludens.store.run import Run
    from ludens.store.summary import summarise

    with Run.open(find_run(str(file))) as run:
        print_facts(_run_lines(summarise(run)), width=12)
        print_facts((("damage", sentence) for sentence in run.damage), width=12)


def _verify_run(file: Path) -> None:
    """Read all that a run has kept; what is damaged makes the exit code 2."""
    from ludens.formats.words import plural, printable
    from ludens.solver.graded import FORMAT
    from ludens.store.finding import find_run
    from ludens.store.run import Run
    from ludens.store.verifying import TRUTH_FILE, verify

    with Run.open(find_run(str(file))) as run:
        damage = verify(run, {TRUTH_FILE: FORMAT})
        games, count = run.totals().games, run.newest_iteration or 0
    if damage:
        print("\n".join(map(printable, damage)))
        raise typer.Exit(2)
    words = f"{plural(games, 'game')} and {plural(count, 'iteration')}"
    print(f"{words}: all is as it was written")


def _run_lines(run: "Summary") -> "Iterator[tuple[str, str]]":
    """Say what a run is of, how far it is and how strong its nets are."""
    from ludens.cli.screen import play_command
    from ludens.loading.game import split_spec

    yield "run", f"{run.name} ({run.folder})"
    game, options = split_spec(run.game)
    yield "game", game
    if options:
        yield "options", options.replace(",", ", ")
    yield "seed", run.seed
    yield from _progress(run)
    if "loss" in run.metrics:
        yield "loss", _losses(run)
    yield from run.strength.lines()
    newest = run.newest_net
    if newest is not None:
        yield "nets", f"{newest} (the newest of {len(run.nets)} kept)"
        file = Path(game.removeprefix("muzero:"))
        if file.suffix != ".py" or file.is_file():  # seen from here
            yield "play", play_command(run.game, run.num_players, str(newest))


def _progress(run: "Summary") -> "Iterator[tuple[str, str]]":
    import time

    from ludens.formats.words import duration, plural, points

    if run.ended_s is not None:
        age = duration(max(0, time.time() - run.ended_s))
        yield "progress", f"iteration {run.iteration:,}, {age} ago"
    totals = run.totals
    yield "games", f"{totals.games:,} with {plural(totals.positions, 'position')}"
    if totals.games and run.num_players == 1:
        yield "results", f"mean score {points(run.mean_score)} of the newest games"
    elif totals.games:
        wins, draws, losses = run.results
        yield "results", f"player 0 won {wins:,}, drew {draws:,}, lost {losses:,}"
    yield "time", duration(totals.seconds)
    if "evals_per_s" in run.metrics:
        yield "speed", f"{run.metrics['evals_per_s']:,.0f} evaluations/s"


def _losses(run: "Summary") -> str:
    parts = [
        f"{name} {run.metrics[f'loss_{name}']:.3f}"
        for name in ("policy", "value")
        if f"loss_{name}" in run.metrics
    ]
    more = f" ({', '.join(parts)})" if parts else ""
    return f"{run.metrics['loss']:.3f}{more}"


def _show_game(file: Path, step: int | None, every: bool, rules: str) -> None:
    from ludens.cli.screen import draw, flow
    from ludens.formats.record import load_record
    from ludens.formats.words import ending, turns
    from ludens.state import State

    record = load_record(file)
    try:
        game = record.load_game(rules)
        record.replay(game)  # compares the result
        played = list(turns(game, record.history))
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
