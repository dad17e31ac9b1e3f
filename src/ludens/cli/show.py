"""`ludens show`: a saved game, move by move, or a training run in short."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ludens.cli import options
from ludens.errors import UserError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ludens.formats.record import Record
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
    number: Annotated[
        int | None,
        typer.Option("--game", help="A game of a run, or of a file.", metavar="N"),
    ] = None,
    like: options.Like = "",
    kind: options.Format = "",
    save: Annotated[
        Path | None,
        typer.Option(help="Write the game; its suffix says how.", metavar="FILE"),
    ] = None,
    verify: Annotated[
        bool, typer.Option("--verify", help="Read all of a run; say what is damaged.")
    ] = False,
) -> None:
    """Show a saved game (moves, end, result), or sum up a training run."""
    is_run = _is_run(file)
    if is_run and number is None:
        if step is not None or every or rules or like or kind or save:
            raise UserError(f"{file} is a run: name one of its games by --game N")
        _verify_run(file) if verify else _show_run(file)
        return
    if verify:
        raise UserError(f"{file} is a game: --verify is for runs")
    record = (
        _of_run(file, number or 0) if is_run else _of_file(file, number, like, kind)
    )
    _show_game(record, file, step, every, rules, save)


def _of_file(file: Path, number: int | None, like: str, kind: str) -> "Record":
    """Return a game of a file; `like` is the game where the file leaves it open."""
    from ludens.formats.boards import Asked
    from ludens.formats.registry import load_played
    from ludens.loading.game import load_game

    asked = Asked.of(load_game(like)) if like else Asked()
    return load_played(file, number, asked, kind)


def _of_run(file: Path, number: int) -> "Record":
    """Return a game that a run has played."""
    from ludens.store.exporting import record_of_run
    from ludens.store.finding import find_run
    from ludens.store.run import Run

    with Run.open(find_run(str(file))) as run:
        spec, played = run.facts()["game"], run.game(number)
    return record_of_run(spec, played)


def _is_run(file: Path) -> bool:
    """Say whether a run is meant: a folder, or a name that is not one of a file."""
    from ludens.formats.registry import SUFFIXES

    is_name = file.name == str(file) != "" and file.suffix.lower() not in SUFFIXES
    try:
        return file.is_dir() or (is_name and not file.exists())
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
    if run.origin:
        yield "from", run.origin
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
    from ludens.store.workers import words

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
    if played_by := words(run.metrics):
        yield "cluster", played_by
    yield from (("workers", line) for line in _workers(run))


ONE = {f"1 {noun}s": f"1 {noun}" for noun in ("thread", "share")}


def _workers(run: "Summary") -> "Iterator[str]":
    """Give a line for each worker of the newest iteration that a cluster played."""
    from ludens.store.workers import HEADER, shown

    for name, *cells in shown(run.workers)[1:]:
        said = zip(HEADER[1:], cells, strict=True)
        known = (f"{cell} {title}" for title, cell in said if cell not in ("", "-"))
        figures = ", ".join(ONE.get(one, one) for one in known)
        yield f"{name}: {figures}" if figures else name


def _losses(run: "Summary") -> str:
    parts = [
        f"{name} {run.metrics[f'loss_{name}']:.3f}"
        for name in ("policy", "value")
        if f"loss_{name}" in run.metrics
    ]
    more = f" ({', '.join(parts)})" if parts else ""
    return f"{run.metrics['loss']:.3f}{more}"


def _show_game(
    record: "Record",
    file: Path,
    step: int | None,
    every: bool,
    rules: str,
    save: Path | None,
) -> None:
    from ludens.cli.screen import draw, flow
    from ludens.formats.registry import save_played
    from ludens.formats.words import ending, turns
    from ludens.state import State

    try:
        game = record.load_game(rules)
        record = record.settled(game)
        played = list(turns(game, record.history))
    except UserError as error:
        raise UserError(f"{file}: {error}") from None
    if step is not None and step > len(played):
        raise UserError(f"{file} has {len(played)} steps, so --step cannot be {step}")
    if save is not None:
        save_played(record, save)
    names = _names(record.players)
    states = [State(game), *(turn.state for turn in played)]
    print(_heading(game.spec, names, game.num_players))
    if step is not None:
        print(f"\n{_caption(step, played)}\n\n{draw(states[step], played[:step])}")
        return
    if every:
        for number, state in enumerate(states):
            print(f"\n{_caption(number, played)}\n\n{draw(state, played[:number])}")
    else:
        print(flow(f"{number}. {_word(turn)}" for number, turn in enumerate(played, 1)))
        print(f"\n{draw(states[-1], played)}")
    print(f"\n{ending(states[-1], names)}")
    if record.agreed is not None:
        print(f"Agreed: {_agreed(record.agreed, names)}.")


def _agreed(result: int, names: list[str]) -> str:
    return f"{names[0 if result > 0 else 1]} won" if result else "a draw"


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
