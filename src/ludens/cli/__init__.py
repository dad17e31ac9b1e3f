"""The command line `ludens`, one file a verb.

A verb imports what is heavy inside its function: help answers at once.
"""

import inspect
import sys
from collections.abc import Sequence
from typing import Annotated

import typer

from ludens.cli import (
    agents,
    analyse,
    bench,
    check,
    cluster,
    engine,
    export,
    games,
    match,
    nets,
    observe,
    openings,
    play,
    rate,
    report,
    runs,
    selfplay,
    show,
    solve,
    streams,
    train,
    tree,
    web,
)
from ludens.cli.blame import one_line
from ludens.cli.options import PlainCommand, with_log_level
from ludens.signals import Terminated, exit_code

# Plain help comes in 0.1 s; drawn in boxes it would load twice as long.
app = typer.Typer(rich_markup_mode=None, pretty_exceptions_enable=False)
app.command("games")(games.run)
app.command("play")(play.run)
app.command("web")(web.run)
app.command("show")(show.run)
app.command("check")(check.run)
app.command("solve")(solve.run)
app.command("agents")(agents.run)
app.command("analyse")(analyse.run)
app.command("tree")(tree.run)
app.command("observe")(observe.run)
app.command("engine")(engine.run)
app.command("match")(match.run)
app.command("rate")(rate.run)
app.command("openings")(openings.run)
app.command("selfplay")(selfplay.run)
app.command("train")(train.run)
app.command("runs")(runs.run)
app.command("report")(report.run)
app.command("nets")(nets.run)
app.command("export")(export.run)
app.add_typer(bench.app, name="bench")
app.add_typer(cluster.app, name="cluster")
groups = (app, bench.app, cluster.app)
for command in (one for group in groups for one in group.registered_commands):
    # Else it is made of the first sentence, and cut where the screen ends.
    about = inspect.getdoc(command.callback) or ""
    command.short_help, _, _ = about.partition("\n")
    assert command.callback is not None
    command.cls = train.CommandWithSettings if command.name == "train" else PlainCommand
    command.callback = with_log_level(command.callback)


def _print_version(wanted: bool) -> None:
    if wanted:
        from importlib.metadata import version

        print(f"ludens {version('ludens')}")
        raise typer.Exit


@app.callback(invoke_without_command=True)
def _ludens(
    context: typer.Context,
    version: Annotated[
        bool,
        typer.Option(
            "--version",
            help="Print the version.",
            callback=_print_version,
            is_eager=True,
        ),
    ] = False,
) -> None:
    """Learn, play, analyse and solve games whose rules are one file of Python."""
    if context.invoked_subcommand is None:
        print(context.get_help())


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command; a user's mistake is one line and exit code 2, no traceback."""
    sys.exit(run(arguments))


def run(arguments: Sequence[str] | None = None) -> int:
    """Run the command and return its exit code."""
    streams.prepare()
    code, error = _run(arguments)
    error = error or streams.output_error()
    if error is None:
        return code
    streams.give_up_output()
    if isinstance(error, BrokenPipeError):  # its reader has gone, and knows it
        return code or 1
    streams.complain(f"cannot write to standard output: {error.strerror}")
    return 2


def _run(arguments: Sequence[str] | None) -> tuple[int, OSError | None]:
    """Return the exit code, and what went wrong in printing."""
    try:
        code = app(arguments, prog_name="ludens", standalone_mode=False)
        return code if isinstance(code, int) else 0, None
    except (KeyboardInterrupt, Terminated) as stop:
        return exit_code(stop), None
    except (Exception, SystemExit) as error:  # a game file may want to exit
        if isinstance(error, OSError) and streams.is_of_output(error):
            return 1, error
        line = one_line(error)
        if line is None:
            raise
        streams.complain(line)
        return 2, None
