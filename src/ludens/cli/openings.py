"""`ludens openings`: a book of positions that are about even."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ludens.cli import options
from ludens.errors import UserError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ludens.arena.even import Judged


def run(
    game: options.Game,
    out: Annotated[Path, typer.Option(help="The book to write.", metavar="FILE")],
    even: Annotated[
        float,
        typer.Option(help="The largest |value|.", metavar="X", min=0, max=1),
    ] = 0.1,
    agent: Annotated[
        str,
        typer.Option(
            help="Who judges; else net, or mcts if none ships.",
            metavar="WHO",
            show_default=False,
        ),
    ] = "",
    count: Annotated[int, options.count("Openings to find.", 1)] = 100,
    plies: Annotated[
        int | None, options.count("Random plies of an opening, else by game.")
    ] = None,
    seed: options.Seed = 0,
    kind: Annotated[
        str, typer.Option("--format", help="json, or offset or pos for gomoku.")
    ] = "json",
) -> None:
    """Make a book of openings that an agent finds about even, for match and rate."""
    from ludens.agents import make_agent
    from ludens.agents.compiling import prepare_agents
    from ludens.arena.even import judge_openings, usual_plies
    from ludens.formats.books import Book, BookOpening, book_format, save_book
    from ludens.formats.words import plural
    from ludens.loading.game import load_game
    from ludens.nets.shipped import usual_agent

    rules = load_game(game)
    start = Book.of(rules, [BookOpening(history=[])])
    book_format(kind).write(start)  # says at once if it cannot
    _check_place(out)
    agent = agent or usual_agent(rules)
    prepare_agents(rules, [agent])
    judge = make_agent(agent, rules, seed)
    plies = usual_plies(rules) if plies is None else plies
    judged = judge_openings(rules, judge, even, seed, plies)
    found, num_seen, is_cut = _collect(judged, count)
    if not found:
        if is_cut:
            raise typer.Exit(130)
        after = f"{plural(num_seen, 'position')} after {plural(plies, 'random move')}"
        raise UserError(f"none of {after} is within {even:g} of even by {agent}")
    pages = [BookOpening(history=list(one.history), value=one.value) for one in found]
    save_book(Book.of(rules, pages), out, kind)
    print(
        f"Wrote {out}: {plural(len(found), 'opening')} of {rules.spec},"
        f" of {plural(num_seen, 'position')}, within {even:g} of even by {agent}."
    )
    if is_cut:
        raise typer.Exit(130)
    if len(found) < count:
        print(f"No more than {len(found)} were found.")


def _check_place(out: Path) -> None:
    """Refuse at once what could not be written after all that work."""
    if out.exists() or out.is_symlink():
        raise UserError(f"{out} exists; name another file")
    if not out.absolute().parent.is_dir():
        raise UserError(f"cannot write {out}: there is no such folder")


def _collect(
    judged: "Iterator[Judged]", count: int
) -> "tuple[list[Judged], int, bool]":
    """Return even positions, how many were judged, and whether it was interrupted."""
    from ludens.cli.screen import progress
    from ludens.formats.words import plural

    found: list[Judged] = []
    num_seen = 0
    with progress(count) as show:
        try:
            for one in judged:
                num_seen += 1
                found += [one] if one.is_even else []
                show(len(found), f"of {plural(num_seen, 'position')}")
                if len(found) == count:
                    break
        except KeyboardInterrupt:
            return found, num_seen, True
    return found, num_seen, False
