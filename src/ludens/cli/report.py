"""`ludens report`: a run of training as one page to read."""

from pathlib import Path
from typing import Annotated

import typer


def run(
    run: Annotated[str, typer.Argument(help="A run: name or folder.", metavar="RUN")],
    out: Annotated[
        Path | None,
        typer.Option(
            help="The file to write. [report.html in the run]", metavar="FILE"
        ),
    ] = None,
) -> None:
    """Write a page with the curves, settings and sample games of a run."""
    from ludens.files import write_text
    from ludens.report.page import make_report
    from ludens.store.listing import find_run
    from ludens.store.run import Run

    with Run.open(find_run(run)) as opened:
        page = make_report(opened)
        target = out or opened.folder / "report.html"
    write_text(target, page)
    print(f"Wrote {target}.")
