"""The command with `--cluster` in processes of its own: signals, tokens, orphans."""

import os
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from faults.sessions import Process, arguments_for, contents

from .disturbed import PHASES
from .places import descendants, head, wait_until_gone
from .told import MARK, run_told

LUDENS = (sys.executable, "-P", "-m", "ludens")
MORE = (
    *("--iterations", "4", "--precision", "f32", "--set", "selfplay.shares=8"),
    *("--set", "evaluate.every=1", "--set", "evaluate.solved_positions=0"),
)
POSITIONS = 1000
LATEST_S = 0.3
"""After a phase has begun."""
ORPHANS_S, REFUSED_S = 15.0, 25.0
"""Until no process may be left, and until a command must have said no."""


@dataclass(frozen=True)
class Ended:
    """How a training ended to which a signal was sent."""

    when: str
    """The phase that it was in, and its iteration."""
    seconds: float
    code: int
    num_processes: int
    """That it had started."""
    left_s: float | None
    """Until they were gone; None: they were not."""


def words_for(run: Path, lag: int, *more: object) -> list[str]:
    """Return the arguments of a training with a lag."""
    sets = (f"cluster.lag={lag}", f"selfplay.positions={POSITIONS}")
    given = [word for one in sets for word in ("--set", one)]
    return arguments_for(run, *MORE, *given, *more)


def interrupt(
    arguments: list[str], log: Path, number: int, when: str, pause_s: float = 0.0
) -> Ended:
    """Start a training and send it a signal in a phase of an iteration."""
    with Process(arguments, log, run=run_told) as process:
        assert process.wait_for(f"{MARK} {when}\n"), process.out
        time.sleep(pause_s)
        others = descendants(process.pid)
        last = process.out.rpartition(MARK)[2].split("\n")[0].strip()
        began_s = time.monotonic()
        process.send(number)
        code = process.end()
        seconds = time.monotonic() - began_s
    left_s = wait_until_gone(others, ORPHANS_S)
    return Ended(last, seconds, code, len(others), left_s)


def signalled(
    number: int, name: str, most_s: float, times: int, seed: int
) -> Iterator[str]:
    """Send a signal to trainings; they end, nothing is left, and they go on.

    The phases and lags take turns, and iterations are random. All runs are called
    alike: nets know the name of their run.
    """
    rng = random.Random(f"{name} {seed}")
    with tempfile.TemporaryDirectory() as folder:
        unhurt = dict[int, Any]()
        for time_ in range(times):
            phase, lag = PHASES[time_ % len(PHASES)], time_ % 2
            if lag not in unhurt:
                unhurt[lag] = _by_threads(Path(folder) / f"unhurt{lag}" / "run", lag)
            run = Path(folder) / str(time_) / "run"
            words = words_for(run, lag, "--cluster", "auto", "--workers", 2)
            when, log = f"{phase} {rng.randint(2, 4)}", Path(folder) / f"{time_}.log"
            ended = interrupt(words, log, number, when, rng.uniform(0, LATEST_S))
            print(
                f"  {name} in {ended.when}, lag {lag}: ended after"
                f" {ended.seconds:.1f} s with {ended.code}; {ended.num_processes}"
                f" processes gone after {ended.left_s or 0:.1f} s more"
            )
            if ended.seconds > most_s or ended.left_s is None or not ended.code:
                yield f"{name}: {ended}"
            if _by_threads(run, lag) != unhurt[lag]:
                yield f"{name} in {ended.when}: another run after it was resumed"


def _by_threads(run: Path, lag: int) -> dict[str, Any]:
    """Return what a run comes to, begun or resumed on threads."""
    words = [*LUDENS, *words_for(run, lag)]
    subprocess.run(words, check=True, capture_output=True)
    return contents(run)


def refusals() -> Iterator[str]:
    """Call a cluster with another token, and other addresses: one line each."""
    with tempfile.TemporaryDirectory() as folder, head(1) as one:
        own = os.environ["LUDENS_TOKEN"]
        other = Path(folder) / "token"
        other.write_text("a" * 64)
        other.chmod(0o600)
        cases = {
            "another token": (one.address, str(other), "is our token that of its head"),
            "no token": (one.address, str(Path(folder) / "none"), "there is no token"),
            "nobody there": ("127.0.0.1:9", own, "there is no cluster"),
        }
        for what, (address, token, why) in cases.items():
            run = Path(folder) / "run"
            words = [*LUDENS, *arguments_for(run, "--cluster", address)]
            began_s = time.monotonic()
            done = subprocess.run(
                words,
                env={**os.environ, "LUDENS_TOKEN": token},
                capture_output=True,
                text=True,
            )
            seconds = time.monotonic() - began_s
            print(f"  {what}: {done.stderr.strip()} ({seconds:.1f} s)")
            is_fine = why in done.stderr and done.stderr.count("\n") == 1
            if done.returncode != 2 or not is_fine or run.exists():
                yield f"{what}: {done.returncode} {done.stderr}"
            if seconds > REFUSED_S:
                yield f"{what}: {seconds:.0f} s"
