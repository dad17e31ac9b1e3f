"""Ctrl-C and SIGTERM at any moment of a command end it without a traceback."""

import random
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from ludens.errors import UserError
from ludens.formats.record import load_record
from ludens.store.run import Run

from .made_runs import make_run
from .outcome import Outcome
from .processes import scratch
from .sessions import arguments_for

NUMBER = 500
PROGRAM = (sys.executable, "-m", "ludens")
BOTH = (signal.SIGINT, signal.SIGTERM)
LONGEST_S = 120.0
MATCH = ("match", "mcts:sims=50", "random", "--game", "tic_tac_toe")
COMMANDS: tuple[tuple[str, ...], ...] = (
    ("games",),
    ("runs", "--help"),
    ("show", "{run}"),
    ("report", "{run}"),
    ("nets", "{run}/nets/000002.safetensors"),
    ("solve", "tic_tac_toe"),
    (*MATCH, "--save", "{games}"),
    tuple(arguments_for(Path("{trained}"), "--iterations", 3)),
)


def run(
    n: int,
    seed: int,
    program: Sequence[str] = PROGRAM,
    commands: Sequence[tuple[str, ...]] = COMMANDS,
) -> Outcome:
    """Send signals to commands, each time at another moment."""
    with scratch() as folder:
        make_run(Path(folder) / "run", 2).close()
        rng = random.Random(f"signals {seed}")
        found = [*_failures(n, rng, Path(folder), program, commands)]
    return Outcome("signals", n, found)


def _failures(
    n: int,
    rng: random.Random,
    folder: Path,
    program: Sequence[str],
    commands: Sequence[tuple[str, ...]],
) -> Iterator[str]:
    usual_s = [_time(fill(words, folder), folder, program) for words in commands]
    for number in range(n):
        which = number % len(commands)
        words = fill(commands[which], folder)
        after_s = rng.uniform(0, usual_s[which])
        sent = rng.choice(BOTH)
        try:
            interrupt([*program, *words], after_s, sent)
            check(folder)
        except (AssertionError, UserError) as error:
            yield f"{words[0]}, {sent.name} after {after_s:.3f} s: {error}"
        clear(folder)


def fill(words: Sequence[str], folder: Path) -> list[str]:
    """Return the words of a command, with the names of folders."""
    names = {name: str(folder / name) for name in ("run", "games", "trained")}
    return [word.format_map(names) for word in words]


def _time(words: list[str], folder: Path, program: Sequence[str]) -> float:
    """Return the seconds that a command takes to the end."""
    seconds = []
    for _ in range(2):  # the first time it may have to compile
        began = time.perf_counter()
        subprocess.run([*program, *words], capture_output=True, timeout=LONGEST_S)
        seconds.append(time.perf_counter() - began)
        clear(folder)
    return seconds[-1]


def interrupt(words: Sequence[str], after_s: float, sent: signal.Signals) -> None:
    """Send a signal to a command; check how it ends."""
    with subprocess.Popen(
        words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        try:
            out, err = process.communicate(timeout=after_s)
        except subprocess.TimeoutExpired:
            process.send_signal(sent)
            out, err = _end(process)
    said = out + err
    if is_of_python(err):
        return
    assert "Traceback" not in said, said[-500:]
    # Before Python hears signals the system ends it, which shells show as 130 or 143.
    usual = (0, 128 + sent, -sent)
    assert process.returncode in usual, f"exit code {process.returncode}: {said[-300:]}"


def _end(process: "subprocess.Popen[str]") -> tuple[str, str]:
    """Return what a command printed, if it ends."""
    try:
        return process.communicate(timeout=LONGEST_S)
    except subprocess.TimeoutExpired:
        process.kill()
        raise AssertionError("it did not end") from None


def is_of_python(err: str) -> bool:
    """Say whether Ctrl-C hit Python as it started, before it ran a line of ours."""
    is_traceback = "KeyboardInterrupt" in err or "Fatal Python error" in err
    return is_traceback and "ludens" not in err.partition("Traceback")[2]


def check(folder: Path) -> None:
    """Check that nothing is torn: runs are whole, and so are games and pages."""
    if (folder / "trained" / "games.sqlite").exists():
        Run.start(folder / "trained", "", {}).close()
    for name in ("run", "trained"):
        _check_run(folder / name)
    page = folder / "run" / "report.html"
    assert not page.exists() or "</html>" in page.read_text()[-20:], "a torn page"
    for file in (folder / "games").glob("game-*.json"):
        load_record(file)


def _check_run(folder: Path) -> None:
    if not (folder / "games.sqlite").exists():
        return
    with Run.open(folder) as run:
        last = run.last()
        assert last is None or last.notes == (), last.notes[0]
        list(run.games())
        assert run.damage == [], run.damage[0]


def clear(folder: Path) -> None:
    """Remove what commands have made."""
    for name in ("games", "trained"):
        shutil.rmtree(folder / name, ignore_errors=True)
    for path in (folder / "run").glob("*report.html*"):
        path.unlink()
