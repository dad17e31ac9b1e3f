"""The command with `--cluster` in processes of its own: signals, tokens, orphans."""

import os
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from faults.sessions import arguments_for, contents
from ludens.store.run import Run

from .places import descendants, head, wait_until_gone

LUDENS = (sys.executable, "-P", "-m", "ludens")
MORE = ("--set", "selfplay.shares=8", "--iterations", "6", "--precision", "f32")
SLOWLY = ("--set", "selfplay.positions=1000", "--set", "evaluate.every=0")
START_S = 180.0
LATEST_S = 4.0
"""After the first worker has come; the training takes longer."""
ORPHANS_S, REFUSED_S = 15.0, 25.0
"""Until no process may be left, and until a command must have said no."""


def _begin(run: Path, log: Path) -> "subprocess.Popen[bytes]":
    """Start a training on a cluster of its own; wait until a worker is there."""
    words = arguments_for(run, *MORE, *SLOWLY, "--cluster", "auto", "--workers", 2)
    with log.open("wb") as output:
        process = subprocess.Popen([*LUDENS, *words], stdout=output, stderr=output)
    end_s = time.monotonic() + START_S
    while b"has come" not in log.read_bytes() and time.monotonic() < end_s:
        assert process.poll() is None, log.read_text()
        time.sleep(0.1)
    return process


def signalled(
    number: int, name: str, most_s: float, times: int, seed: int
) -> Iterator[str]:
    """Send a signal to trainings; they end, nothing is left, and they go on.

    All runs are called alike: nets know the name of their run.
    """
    rng = random.Random(f"{name} {seed}")
    with tempfile.TemporaryDirectory() as folder:
        unhurt = Path(folder) / "unhurt" / "run"
        words = [*LUDENS, *arguments_for(unhurt, *MORE, *SLOWLY)]
        subprocess.run(words, check=True, capture_output=True)
        for time_ in range(times):
            run = Path(folder) / str(time_) / "run"
            with _begin(run, Path(folder) / "log") as process:
                time.sleep(rng.uniform(0.1, LATEST_S))
                others = descendants(process.pid)
                began_s = time.monotonic()
                process.send_signal(number)
            ended_s = time.monotonic() - began_s
            left_s = wait_until_gone(others, ORPHANS_S)
            print(
                f"  {name}: ended after {ended_s:.1f} s with {process.returncode};"
                f" {len(others)} processes gone after {left_s or -1:.1f} s more;"
                f" {_num_iterations(run)} iterations were kept"
            )
            if ended_s > most_s or left_s is None:
                yield f"{name}: {ended_s:.1f} s, processes left: {left_s is None}"
            again = [*LUDENS, *arguments_for(run, *MORE, *SLOWLY)]
            subprocess.run(again, check=True, capture_output=True)
            if contents(run) != contents(unhurt):
                yield f"{name}: another run after it was resumed"


def _num_iterations(run: Path) -> int:
    with Run.open(run) as opened:
        return opened.newest_iteration or 0


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
