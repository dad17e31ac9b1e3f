"""Run a script of this folder: its `--help`, and a user's mistake in one line."""

import sys
from collections.abc import Callable

import typer

from ludens.cli.blame import one_line


def run(main: Callable[..., None]) -> None:
    """Run `main` with what the command line gives; its first docstring line is help."""
    app = typer.Typer(
        rich_markup_mode=None, pretty_exceptions_enable=False, add_completion=False
    )
    app.command()(main)
    try:
        app(standalone_mode=False)
    except Exception as error:
        line = one_line(error)
        if line is None:
            raise
        print(f"{sys.argv[0]}: {line}", file=sys.stderr)
        sys.exit(2)
