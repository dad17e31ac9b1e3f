"""`ludens train`: learn a game by playing it."""

import sys
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ludens.cli import options
from ludens.cores import fill_small_blocks, keep_one_heap
from ludens.errors import require_extra
from ludens.log import is_said

if TYPE_CHECKING:
    from ludens.training.config import Config

RUN = "The run to begin or resume; else named by the game."
FROM = "Begin with weights: a file, run or game."
RECORDS = "Learn first from games in files or a run."
TRACK = "Sinks: tensorboard, mlflow, mlflow:URI; with commas."


class CommandWithSettings(options.PlainCommand):
    """A command whose help ends with all settings, read only when it is asked for."""

    def format_epilog(self, ctx: Any, formatter: Any) -> None:
        """Write the settings, line by line as they are."""
        from ludens.training.config import describe

        formatter.write("\nSettings for --set and TOML files, with their defaults:\n")
        formatter.write(describe() + "\n")


def run(
    game: options.Game,
    run: Annotated[str, typer.Option(help=RUN, metavar="NAME|PATH")] = "",
    preset: Annotated[
        str, typer.Option(help="small, laptop or gpu.", metavar="MACHINE")
    ] = "",
    method: Annotated[
        str, typer.Option(help="alphazero, or muzero: learn a model, too.", metavar="M")
    ] = "",
    config: Annotated[
        Path | None, typer.Option(help="A file with settings.", metavar="FILE.toml")
    ] = None,
    sets: Annotated[
        list[str] | None,
        typer.Option("--set", help="A setting; repeatable.", metavar="SECTION.KEY=X"),
    ] = None,
    net: Annotated[
        str, typer.Option(help="tiny, small, medium or large.", metavar="SIZE")
    ] = "",
    minutes: Annotated[
        float | None,
        typer.Option(help="Time in all sessions together.", metavar="N"),
    ] = None,
    games: Annotated[
        int | None, typer.Option(help="Games to play in all.", metavar="N")
    ] = None,
    positions: Annotated[
        int | None, typer.Option(help="Positions to search in all.", metavar="N")
    ] = None,
    iterations: Annotated[
        int | None, typer.Option(help="Iterations in all.", metavar="N")
    ] = None,
    steps: Annotated[
        int | None, typer.Option(help="Steps of the learner in all.", metavar="N")
    ] = None,
    seed: Annotated[
        int | None, typer.Option(help="Seed of all that is random.", metavar="N")
    ] = None,
    device: Annotated[
        str, typer.Option(help="auto, cpu, cuda or mps.", metavar="D")
    ] = "auto",
    precision: Annotated[
        str, typer.Option(help="auto, f32, bf16 or f16.", metavar="P")
    ] = "auto",
    cluster: options.Cluster = "",
    workers: options.Workers = 0,
    begin: Annotated[str, typer.Option("--from", help=FROM, metavar="NET|RUN")] = "",
    records: Annotated[
        Path | None,
        typer.Option(help=RECORDS, metavar="FILES|RUN"),
    ] = None,
    track: Annotated[str, typer.Option(help=TRACK, metavar="SINKS")] = "",
    quiet: Annotated[
        bool, typer.Option("--quiet", help="Print only the result.")
    ] = False,
    json: Annotated[
        bool, typer.Option("--json", help="Print a JSON object a line.")
    ] = False,
) -> None:
    """Train a net by self-play; the same command resumes the run."""
    require_extra("train", "training")
    keep_one_heap()
    fill_small_blocks()
    if cluster:
        from ludens.cluster.status import knock

        knock(cluster)
    from ludens.cli.session import Session
    from ludens.cluster.hands import Cluster
    from ludens.loading.ahead import prepare
    from ludens.loading.game import load_game
    from ludens.store.database import is_run
    from ludens.store.finding import run_folder
    from ludens.training.config import size_sets
    from ludens.training.evaluate import Place
    from ludens.training.records import Records, open_records
    from ludens.training.session import Wish, default_name, open_cluster, open_run
    from ludens.training.trial import training_tasks, try_out

    if track:
        from ludens.track.sinks import check_sinks

        check_sinks(track)
    limits = {
        "minutes": minutes,
        "games": games,
        "positions": positions,
        "iterations": iterations,
        "steps": steps,
    }
    given = [*size_sets(net), *_budget(limits), *(sets or ())]
    given += [] if seed is None else [f"seed={seed}"]
    rules = load_game(game)
    place, name = Place(device, precision), run or default_name(rules)
    wish = Wish(preset, config, given, method, cluster != "", begin)
    folder = run_folder(name)
    games_of_others: Records | None = None
    hands: Cluster | None = None

    def check(settings: "Config") -> None:
        nonlocal hands, games_of_others
        if records is not None:
            games_of_others = open_records(rules, records, settings.replay, _show_file)
        prepare(rules, training_tasks(settings))
        try_out(rules, settings, place)
        if games_of_others is not None and not is_run(folder):
            games_of_others.read()
        if cluster:
            opening = open_cluster(cluster, workers, rules, settings, precision)
            hands = stack.enter_context(opening)

    with ExitStack() as stack:
        opened, settings = open_run(rules, folder, wish, check)
        stack.enter_context(opened)
        session = Session(rules, opened, settings, place, run, hands, quiet, json)
        code = session.train(track, games_of_others)
    raise typer.Exit(code)


def _show_file(done: int, total: int) -> None:
    """Show on a terminal how many files of games were read."""
    is_shown = sys.stderr.isatty() and is_said("info")
    if is_shown and (done == total or done % 50 == 0):
        end = "\n" if done == total else ""
        print(f"\rread {done:,} of {total:,} files", end=end, file=sys.stderr)


def _budget(limits: dict[str, float | None]) -> list[str]:
    """Return settings for the limits given; limits not given are lifted."""
    if all(limit is None for limit in limits.values()):
        return []
    return [f"budget.{name}={limit or 0}" for name, limit in limits.items()]
