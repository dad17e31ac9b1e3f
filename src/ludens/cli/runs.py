"""`ludens runs`: what was trained, and how far."""

from dataclasses import asdict
from typing import TYPE_CHECKING

from ludens.cli.options import Json

if TYPE_CHECKING:
    from ludens.store.summary import Listed

_HEADER = ["run", "game", "iteration", "Elo", "games", "positions", "age"]


def run(
    as_json: Json = False,
) -> None:
    """List the training runs, the most recent first."""
    from ludens.cli.screen import print_json, print_table
    from ludens.formats.words import printable
    from ludens.store.finding import runs_folder
    from ludens.store.summary import list_runs

    found = list_runs()
    if as_json:
        print_json([asdict(listed) | {"path": str(listed.path)} for listed in found])
        return
    whole = [listed for listed in found if not listed.trouble]
    if whole:
        print_table([_HEADER, *map(_row, whole)], num_words=2)
    for listed in found:
        if listed.trouble:
            print(f"{printable(listed.name)}  unreadable: {listed.trouble}")
    if not found:
        print(f"No runs in {runs_folder()}; `ludens train GAME` makes one.")


def _row(listed: "Listed") -> list[str]:
    from ludens.formats.words import duration

    return [
        listed.name,
        listed.game,
        "-" if listed.iteration is None else f"{listed.iteration:,}",
        "-" if listed.elo is None else f"{listed.elo:+,.0f}",
        f"{listed.games:,}",
        f"{listed.positions:,}",
        duration(listed.age_s),
    ]
