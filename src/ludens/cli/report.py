"""`ludens report`: a run of training as one page to read."""

from pathlib import Path
from typing import Annotated

import typer

from ludens.cli import options
from ludens.errors import UserError
from ludens.log import say


def run(
    run: Annotated[str, typer.Argument(help="A run: name or folder.", metavar="RUN")],
    out: Annotated[
        Path | None,
        typer.Option(
            help="The file to write. [report.html in the run]", metavar="FILE"
        ),
    ] = None,
    rules: options.Rules = "",
) -> None:
    """Write a page with the curves, settings and sample games of a run."""
    from ludens.files import write_text
    from ludens.loading.environments.sources import is_environment
    from ludens.loading.game import load_named
    from ludens.report.page import make_report
    from ludens.store.finding import find_run
    from ludens.store.run import Run

    with Run.open(find_run(run)) as opened:
        named = opened.facts().get("game", "")
        game = None
        try:
            if rules or not is_environment(named):  # whose games are tables
                game = load_named(named, rules=rules, compiled=False)
        except UserError as error:
            if rules:
                raise
            say(f"Games are not drawn: {error}", "warning")
        page = make_report(opened, game)
        target = out or opened.folder / "report.html"
    write_text(target, page)
    print(f"Wrote {target}.")
