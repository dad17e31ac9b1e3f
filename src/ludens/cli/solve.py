"""`ludens solve`: exact play."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ludens.cli import options
from ludens.errors import UserError

if TYPE_CHECKING:
    from ludens.solver.exact import Solver
    from ludens.solver.force import ForceProver
    from ludens.state import State


def run(
    game: Annotated[
        str,
        typer.Argument(help="A two-player game, such as connect_four.", metavar="GAME"),
    ],
    moves: options.Moves = "",
    seed: options.Seed = 0,
    setup: options.Setup = "",
    score: Annotated[
        bool,
        typer.Option("--score", help="Print the score alone: a quick win is high."),
    ] = False,
    file: Annotated[
        Path | None,
        typer.Option(help="Print the score of each line's position.", metavar="FILE"),
    ] = None,
    force: Annotated[
        bool,
        typer.Option("--force", help="Look for a win by moves that must be answered."),
    ] = False,
    seconds: Annotated[float, options.seconds("Time limit for a position.")] = 60,
    nodes: Annotated[
        int | None, options.count("Limit of nodes for a position.", 1)
    ] = None,
    memory: Annotated[
        int,
        typer.Option(help="Size of the table of positions in MB.", metavar="MB", min=1),
    ] = 256,
    json: options.Json = False,
) -> None:
    """Solve a position: its value, best moves and perfect play."""
    from ludens.loading.game import load_game
    from ludens.solver.exact import Solver
    from ludens.solver.force import ForceProver

    if force and (score or file is not None):
        raise UserError("--force has no score; leave --score and --file out")
    rules = load_game(game)
    state = rules.new(seed, setup)
    state.apply_moves(moves)
    if force:
        _print_forced(ForceProver(rules, memory), state, seconds, nodes, json)
        return
    solver = Solver(rules, memory)
    if file is not None:
        _solve_file(file, state, solver, seconds, nodes)
    elif score:
        with solver.limits(seconds, nodes):
            print(solver.score(state))
    else:
        _print_solution(solver, state, seconds, nodes, json)


def _print_solution(
    solver: "Solver", state: "State", seconds: float, nodes: int | None, as_json: bool
) -> None:
    """Print what is known of one position."""
    from ludens.cli.screen import draw

    solution = solver.solve(state, seconds, nodes)
    line = solution.named_line(state)
    best = [state.action_name(action) for action in solution.best]
    if as_json:
        from ludens.formats.strict import to_json

        value = {"outcome": solution.value.outcome, "plies": solution.value.plies}
        spent = {"nodes": solution.nodes, "seconds": round(solution.seconds, 3)}
        print(to_json({**value, "best": best, "line": line, **spent}))
        return
    print(draw(state))
    print(f"\nplayer {state.to_play} to move: {solution.value}")
    print(f"best: {' '.join(best)}")
    print(f"line: {' '.join(line)}")
    print(f"{solution.nodes:,} nodes in {solution.seconds:.3f} s")


def _print_forced(
    prover: "ForceProver", state: "State", seconds: float, nodes: int | None, json: bool
) -> None:
    """Print a win by force, or that there is none or none was found."""
    from ludens.cli.screen import draw

    found = prover.prove(state, seconds, nodes)
    line = found.named_line(state)
    if json:
        from ludens.formats.strict import to_json

        outcome = 1 if line else None
        spent = {"nodes": found.nodes, "seconds": round(found.seconds, 3)}
        told = {"moves": found.moves or None, "is_complete": found.is_complete}
        print(to_json({"outcome": outcome, **told, "line": line, **spent}))
        return
    print(draw(state))
    print(f"\nplayer {state.to_play} to move: {found}")
    if line:
        print(f"line: {' '.join(line)}")
    print(f"{found.nodes:,} nodes in {found.seconds:.3f} s")


def _solve_file(
    file: Path, start: "State", solver: "Solver", seconds: float, nodes: int | None
) -> None:
    """Print each line's moves and score; a score that stands there is compared."""
    from ludens.solver.exact import Unsolved

    is_bad = False
    for number, moves, expected in _lines(file):
        try:
            state = start.copy()
            state.apply_moves(moves)
            with solver.limits(seconds, nodes):
                found = str(solver.score(state))
        except Unsolved:
            found = "unsolved"
        except UserError as error:
            raise UserError(f"{file}, line {number}: {error}") from None
        note = "" if expected in ("", found) else f" expected {expected}"
        is_bad |= note != "" or found == "unsolved"
        print(f"{moves} {found}{note}", flush=True)
    if is_bad:
        raise typer.Exit(1)


def _lines(file: Path) -> list[tuple[int, str, str]]:
    """Return number, moves and expected score ("" if none) of lines that are not empty.

    A score is a number behind moves that are run together: "32164625 11".
    """
    try:
        text = file.read_text(encoding="utf-8")
    except OSError as error:
        raise UserError(f"cannot read {file}: {error.strerror}") from None
    except UnicodeDecodeError:
        raise UserError(f"cannot read {file}: it is not text") from None
    lines = [line.split() for line in text.splitlines()]
    scored = [len(words) == 2 and words[1].lstrip("-").isdigit() for words in lines]
    return [
        (number, words[0], words[1]) if has_score else (number, " ".join(words), "")
        for number, (words, has_score) in enumerate(zip(lines, scored, strict=True), 1)
        if words
    ]
