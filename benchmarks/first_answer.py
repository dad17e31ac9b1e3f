"""How long the first right answer takes: empty cache, warm, one core, another umask."""

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from ludens.formats.tables import text_table
from script import run

PLAY = ("play", "connect_four", "--vs", "net", "--side", "second")
COMMANDS: dict[str, tuple[str, ...]] = {
    "play connect_four, first move of the net": PLAY,
    "analyse tic_tac_toe, net": ("analyse", "tic_tac_toe", "--agent", "net"),
    "analyse gomoku:size=9, net": ("analyse", "gomoku:size=9", "--agent", "net"),
    "analyse gomoku, mcts": ("analyse", "gomoku", "--agent", "mcts"),
    "analyse pyrga, net": ("analyse", "pyrga", "--agent", "net"),
    "analyse triple_triad, net": ("analyse", "triple_triad", "--agent", "net"),
    "analyse triangle, net": ("analyse", "triangle", "--agent", "net"),
    "check connect_four": ("check", "connect_four"),
    "solve connect_four": (
        "solve",
        "connect_four",
        "--moves",
        "4 4 4 4 4 2 2 2 2 6 6 6 6 3 3",
    ),
}
COLUMNS = ("empty cache", "warm", "one core, empty", "umask 002, empty")


def seconds(
    python: str, words: Sequence[str], cache: Path, *, cores: int, umask: int = 0o022
) -> float:
    """Run a command with a cache; return its time, its input being at its end."""

    def limit() -> None:
        os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:cores])

    began_s = time.perf_counter()
    done = subprocess.run(
        [python, "-m", "ludens", *words],
        env=os.environ | {"LUDENS_CACHE": str(cache)},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        umask=umask,
        preexec_fn=limit,
    )
    if done.returncode:
        raise SystemExit(f"{' '.join(words)}: {done.stderr.strip()}")
    return time.perf_counter() - began_s


def main(
    python: Annotated[
        str, typer.Option(help="The Python whose Ludens is asked.")
    ] = sys.executable,
    only: Annotated[str, typer.Option(help="Commands with this text alone.")] = "",
) -> None:
    """Measure the time to the first answer of commands, in seconds of the clock."""
    every = len(os.sched_getaffinity(0))
    rows = [["command", *COLUMNS]]
    for name, words in COMMANDS.items():
        if only not in name:
            continue
        with tempfile.TemporaryDirectory() as folder:
            first, one, other = (Path(folder) / part for part in ("a", "b", "c"))
            found = (
                seconds(python, words, first, cores=every),
                seconds(python, words, first, cores=every),
                seconds(python, words, one, cores=1),
                seconds(python, words, other, cores=every, umask=0o002),
            )
        rows.append([name, *(f"{time_s:.1f}" for time_s in found)])
    print(text_table(rows))


if __name__ == "__main__":
    run(main)
