"""Who writes a run is killed at random moments: what was reported is kept, whole."""

import random
import shutil
import time
from collections.abc import Callable, Iterator
from multiprocessing.connection import Connection
from pathlib import Path

from ludens.errors import UserError
from ludens.store.run import Run

from .dying import commit_forever
from .kept import Unhurt, commit_next
from .made_runs import CONFIG, FACTS
from .outcome import Outcome
from .processes import end, hear, scratch, start_telling

NUMBER = 10_000
KILLS_A_RUN = 10
"""The first of them falls while the run is made."""
COMMITS = 3
"""That a writer comes to before it is killed, more or less."""
Writer = Callable[[Path, Connection], None]


def run(n: int, seed: int, writer: Writer = commit_forever) -> Outcome:
    """Kill writers; each run holds what one that was never killed would."""
    with scratch() as folder:
        found = [*_failures(n, random.Random(f"kills {seed}"), Path(folder), writer)]
    return Outcome("kills", n, found)


def _failures(
    n: int, rng: random.Random, folder: Path, writer: Writer
) -> Iterator[str]:
    unhurt = Unhurt(folder / "unhurt")
    span_s = _time_commits(unhurt)
    target, before = folder / "run", 0
    for number in range(n):
        if number % KILLS_A_RUN == 0:
            shutil.rmtree(target, ignore_errors=True)
            before = 0
        try:
            told = kill(target, rng.uniform(0, span_s), writer)
            before = check(target, max(before, told), unhurt)
        except (AssertionError, UserError) as error:
            yield f"{number}: {error}"
            shutil.rmtree(target, ignore_errors=True)
            before = 0


def _time_commits(unhurt: Unhurt) -> float:
    """Return the seconds that some commits take here, the first not counted."""
    unhurt.after(1)
    with Run.open(unhurt.folder, write=True) as run:
        began = time.perf_counter()
        commit_next(run)
        return COMMITS * (time.perf_counter() - began)


def kill(folder: Path, after_s: float, writer: Writer) -> int:
    """Let a process write a run until it is killed; return the commits it told of."""
    process, reader = start_telling(writer, folder)
    first = reader.recv()
    time.sleep(after_s)
    process.kill()
    end(process)
    return int([first, *hear(reader)][-1])


def check(folder: Path, at_least: int, unhurt: Unhurt) -> int:
    """Check a run whose writer was killed; return how often it was committed to."""
    Run.start(folder, CONFIG, FACTS).close()  # it may have been killed as it made it
    commits = unhurt.check(folder)
    assert commits >= at_least, f"{at_least} commits were told of, {commits} are there"
    return commits
