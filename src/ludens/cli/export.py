"""`ludens export`: a net, a game, or the games of a run, for other programs."""

from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ludens.cli import options
from ludens.errors import UserError, missing, require_extra

if TYPE_CHECKING:
    from ludens.loading.game import Game

FORMATS = "--onnx, --muzero-general, --npz, --parquet or --jsonl"
"""How often --watch looks for changes."""


def run(
    what: Annotated[
        str,
        typer.Argument(
            help="A net (file, run or game), a game, or a run.",
            metavar="NET|GAME|RUN",
            show_default=False,
        ),
    ],
    onnx: Annotated[
        bool, typer.Option("--onnx", help="The net as an ONNX file.")
    ] = False,
    out: Annotated[
        Path | None, typer.Option(help="The ONNX file to write.", metavar="FILE")
    ] = None,
    muzero_general: Annotated[
        Path | None,
        typer.Option(help="Write the game for muzero-general.", metavar="FILE"),
    ] = None,
    npz: Annotated[
        Path | None,
        typer.Option(help="Positions of the run, for NumPy.", metavar="FILE"),
    ] = None,
    parquet: Annotated[
        Path | None,
        typer.Option(help="Positions of the run, for Parquet.", metavar="FILE"),
    ] = None,
    jsonl: Annotated[
        Path | None,
        typer.Option(help="Games of the run, a line each.", metavar="FILE"),
    ] = None,
    games: Annotated[int, options.count("Newest games only; 0: all.")] = 0,
    rules: options.Rules = "",
    test: Annotated[
        bool, typer.Option("--test", help="Test it first, next to our rules.")
    ] = False,
    watch: Annotated[
        bool, typer.Option("--watch", help="Test and write again at changes.")
    ] = False,
) -> None:
    """Write a net, a game or games in a format that other programs read."""
    tables = {"npz": npz, "parquet": parquet, "jsonl": jsonl}
    wanted = {kind: file for kind, file in tables.items() if file is not None}
    if [onnx, muzero_general is not None, *[True] * len(wanted)].count(True) > 1:
        raise UserError(f"one format at a time: {FORMATS}")
    if (games or rules) and not wanted:
        raise UserError("--games and --rules go with --npz, --parquet or --jsonl")
    if muzero_general is None and (test or watch):
        raise UserError("--test and --watch go with --muzero-general FILE")
    if muzero_general is not None:
        if out is not None:
            raise UserError("--out goes with --onnx; --muzero-general names its file")
        _write_game(what, muzero_general, test, watch)
    elif onnx:
        _write_onnx(what, out)
    elif wanted:
        _write_games(what, *wanted.popitem(), games, rules)
    else:
        raise UserError(f"say in which format: {FORMATS}")


def _write_games(run: str, kind: str, file: Path, count: int, rules: str) -> None:
    """Write the newest games of a run, or all of them."""
    from ludens.formats.words import plural
    from ludens.loading.game import load_named
    from ludens.store import exporting
    from ludens.store.finding import find_run
    from ludens.store.run import Run

    if kind == "parquet" and find_spec("pyarrow") is None:
        raise missing("PyArrow", "--parquet", ["pyarrow"])
    with Run.open(find_run(run)) as opened:
        game = load_named(opened.facts()["game"], rules=rules)
        played = opened.newest_games(count) if count else opened.games()
        if kind == "jsonl":
            done = plural(exporting.save_lines(game, played, file), "game")
        else:
            arrays = exporting.arrays_of(game, played)
            save = exporting.save_npz if kind == "npz" else exporting.save_parquet
            save(arrays, file)
            done = plural(len(arrays["plies"]), "position")
    print(f"Wrote {file}: {done} of {game.spec}.")


def _write_onnx(net: str, out: Path | None) -> None:
    from ludens.files import write_bytes
    from ludens.nets.shapes import describe
    from ludens.nets.weights import load_net
    from ludens.store.finding import find_net

    require_extra("export", "this")
    from ludens.nets.onnx_ops import to_onnx, to_onnx_step

    path = find_net(net)
    loaded = load_net(path)
    target = out or Path(path.with_suffix(".onnx").name)
    files = {target: to_onnx(loaded)}
    if loaded.card.config.is_learned:
        files[target.with_suffix(f".step{target.suffix}")] = to_onnx_step(loaded)
    for file, content in files.items():
        write_bytes(file, content)
    size = describe(loaded.card.config, loaded.card.sizes)
    names = " and ".join(map(str, files))
    print(f"Wrote {names}: a net for {loaded.card.game}, {size}.")


def _write_game(spec: str, target: Path, test: bool, watch: bool) -> None:
    from ludens.cli.blame import one_line
    from ludens.cli.streams import complain
    from ludens.envs.muzero_general import make_file
    from ludens.loading.game import find_game, load_game, parse_spec
    from ludens.loading.watched import Watched

    _check_target(target)
    watched, is_first = Watched(find_game(parse_spec(spec)[0])), True
    while True:
        try:
            with watched.reading():
                game = load_game(spec)
                made = make_file(game)
            watched.add(made.sources)
            is_first = False
            _write_tested(made.text, game, target, test or watch)
        except Exception as error:
            line = one_line(error)
            if line is None or not watch or is_first:
                raise
            complain(line)
        if not watch:
            return
        print("Waiting for changes (Ctrl-C ends it).", flush=True)
        watched.wait()


def _write_tested(text: str, game: "Game", target: Path, test: bool) -> None:
    """Write the file of a game, unless it fails its test."""
    from ludens.envs.muzero_general.trial import GAMES, try_out
    from ludens.files import write_text

    if test:
        print(f"Tested: {try_out(text, game, GAMES)}.", flush=True)
    write_text(target, text)
    size = len(text.encode())
    print(f"Wrote {target}: {game.spec} for muzero-general, {size:,} bytes.")


def _check_target(target: Path) -> None:
    """Refuse a file that is not Python, or that somebody else wrote."""
    from ludens.envs.muzero_general import MARK
    from ludens.files import read_bytes

    if target.suffix != ".py":
        raise UserError(f"{target}: a game of muzero-general is a .py file")
    if target.exists() or target.is_symlink():
        begins = read_bytes(target, 10**7, "a game")[: len(MARK)]
        if begins != MARK.encode():
            raise UserError(f"{target} exists and was not written by `ludens export`")
