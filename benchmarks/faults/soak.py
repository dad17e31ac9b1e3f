"""Hours of training and of visits to the page: memory stays flat, files are closed."""

import json
import os
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from .hostile_messages import HONEST
from .outcome import Outcome
from .processes import scratch
from .serving import connected
from .sessions import arguments_for

NUMBER = 60
"""Minutes."""
WARM_UP = 1 / 3
"""Of the time, which is not measured."""
MOST_MB_AN_HOUR = 1.0
BLOCKS = 8
"""Stretches of time; the least of each tells a slope from what comes and goes.

A training's memory goes up and down by 3 MB, that of the page's server by 60 while it
thinks for somebody who has left, and it levels off after 2,400 visits."""
FEWEST = 3 * BLOCKS
SETTINGS = (
    *("selfplay.positions=6000", "replay.window_start=6000", "replay.window_max=6000"),
    *("evaluate.every=5", "budget.iterations=0"),
)
"""A window of one size: what is learned from takes no more room with time."""
ANALYSIS = {
    "do": "analyse",
    "game": {"spec": "gomoku"},
    "agent": "mcts",
    "seconds": 60,
}
NUM_LEFT, MOST_LEFT_MB = 80, 200
"""Analyses that nobody waits for, and what a server may need for them.

Seen: 28 MB."""
LUDENS = (sys.executable, "-m", "ludens")


@dataclass(frozen=True)
class Sample:
    """What a process has, at a moment in which it has nothing on its hands."""

    hours: float
    megabytes: float
    """Of memory that belongs to no file: what it has allocated."""
    files: int


Part = Callable[[Path, float], Iterator[Sample]]


def sample(pid: int, began_s: float) -> Sample:
    """Look at a process.

    Pages of a library count as private, too, as long as no other process has loaded it:
    they come and go by 60 MB with what else runs on the machine.
    """
    about = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    own = [line.split() for line in about if line.startswith(("Anonymous:", "Swap:"))]
    files = len(os.listdir(f"/proc/{pid}/fd"))
    hours = (time.monotonic() - began_s) / 3600
    return Sample(hours, sum(int(words[1]) for words in own) / 1000, files)


def run(n: int, seed: int) -> Outcome:
    """Train and visit for n minutes, both at a time."""
    if not Path("/proc/self/smaps_rollup").exists():
        return Outcome("soak", 0, ["there is no /proc here: nothing was measured"])
    with scratch() as folder, ThreadPoolExecutor() as pool:
        given = (Path(folder), 60.0 * n)
        both = {part: pool.submit(_gather, part, *given) for part in (train, visit)}
        found = {part.__name__: future.result() for part, future in both.items()}
    for name, samples in found.items():
        print(f"soak: {name}: {describe(samples)}", file=sys.stderr)
    whys = {name: judge(samples) for name, samples in found.items()}
    with served() as server:
        whys["analyses that are left"] = leave(*server, NUM_LEFT)
    return Outcome("soak", n, [f"{name}: {why}" for name, why in whys.items() if why])


def _gather(part: Part, folder: Path, seconds: float) -> list[Sample]:
    return list(part(folder, seconds))


def train(folder: Path, seconds: float) -> Iterator[Sample]:
    """Train; look at the process after each iteration."""
    sets = [word for setting in SETTINGS for word in ("--set", setting)]
    words = arguments_for(folder / "run", "--minutes", seconds / 60, *sets)
    began_s = time.monotonic()
    with subprocess.Popen(
        [*LUDENS, *words], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ) as process:
        assert process.stdout is not None
        for line in process.stdout:
            if line[:6].strip().isdigit():  # the row of an iteration
                yield sample(process.pid, began_s)


def visit(folder: Path, seconds: float) -> Iterator[Sample]:
    """Visit the page again and again; look at the server when nobody is there."""
    began_s = time.monotonic()
    with served() as (pid, address):
        number = 0
        while time.monotonic() - began_s < seconds:
            number += 1
            look_around(address, leaves=number % 2 == 0)
            yield sample(pid, began_s)


@contextmanager
def served() -> Iterator[tuple[int, str]]:
    """Serve the page from a process of its own; give its id and the address."""
    words = [*LUDENS, "web", "--no-open", "--port", "0", "--threads", "1"]
    with subprocess.Popen(
        words, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ) as process:
        assert process.stdout is not None
        try:
            yield process.pid, process.stdout.readline().split("/")[2]
        finally:
            process.terminate()


def leave(pid: int, address: str, number: int) -> str:
    """Begin analyses and leave them; say if the server takes too much for them."""
    look_around(address, leaves=False)
    sizes = [sample(pid, 0).megabytes]
    for _ in range(number):
        with connected(address) as line:
            line.send(json.dumps({"id": 1, **ANALYSIS}))
            _wait_for(1, line.recv, event="analysis")
            sizes.append(sample(pid, 0).megabytes)
    grown = max(sizes) - sizes[0]
    return f"memory grew by {grown:.0f} MB" if grown > MOST_LEFT_MB else ""


def look_around(address: str, leaves: bool) -> None:
    """Load the page and ask for one of everything; who leaves does not wait for all."""
    with urllib.request.urlopen(f"http://{address}/") as page:
        page.read()
    with connected(address) as line:
        for number, message in enumerate(HONEST, start=1):
            line.send(json.dumps({"id": number, **message}))
            if not leaves:
                _wait_for(number, line.recv)
    time.sleep(0.1)  # the server lets go of what it had for us


def _wait_for(
    number: int, receive: Callable[[], str | bytes], event: str | None = None
) -> None:
    """Hear what is said until an answer comes, or an event."""
    while True:
        answer = json.loads(receive())
        if answer["id"] == number and answer.get("event") == event:
            return


def judge(samples: Sequence[Sample]) -> str:
    """Say what grows, "" if nothing does that is more than noise."""
    if len(samples) < FEWEST:
        return f"{len(samples)} samples are too few"
    slope, error = slope_of(samples)
    if slope + 2 * error > MOST_MB_AN_HOUR:  # it has to be shown, not only possible
        return f"memory grows by {slope:.1f} +- {error:.1f} MB an hour"
    files = np.array([s.files for s in _warm(samples)])
    first, last = (int(half.min()) for half in np.array_split(files, 2))
    return f"open files grow from {first} to {last}" if last > first else ""


def _warm(samples: Sequence[Sample]) -> list[Sample]:
    start = WARM_UP * samples[-1].hours
    return [s for s in samples if s.hours >= start]


def slope_of(samples: Sequence[Sample]) -> tuple[float, float]:
    """Return the growth of memory in MB an hour, and its standard error."""
    blocks = np.array_split(
        np.array([(s.hours, s.megabytes) for s in _warm(samples)]), BLOCKS
    )
    lows = np.array([(block[:, 0].mean(), block[:, 1].min()) for block in blocks])
    hours, megabytes = (lows - lows.mean(axis=0)).T
    slope = float(hours @ megabytes / (hours @ hours))
    rest = megabytes - slope * hours
    error = float(np.sqrt(rest @ rest / (BLOCKS - 2) / (hours @ hours)))
    return slope, error


def describe(samples: Sequence[Sample]) -> str:
    """Return what was measured, in words."""
    if len(samples) < FEWEST:
        return f"{len(samples)} samples"
    slope, error = slope_of(samples)
    last = samples[-1]
    return (
        f"{len(samples)} samples, {slope:+.2f} +- {error:.2f} MB an hour,"
        f" {last.megabytes:.0f} MB and {last.files} open files in the end"
    )
