"""Two processes want to write one run at the same moment: there is never a second."""

import os
import random
import shutil
import time
from collections.abc import Callable, Iterator
from multiprocessing.connection import Connection
from pathlib import Path

from ludens.errors import UserError
from ludens.store.run import Run

from .kept import Unhurt, commit_next
from .made_runs import CONFIG, FACTS
from .outcome import Outcome
from .processes import end, hear, scratch, start_telling

NUMBER = 500
MAX_LATE_S = 0.002
"""One begins so much later than the other."""
BEGINNINGS = ("new", "made", "killed")
"""There is no run yet; there is one; its writer was killed."""
LOST = ("is in use by", "has just made the run")
HOLDER = "holder"
Writer = Callable[[Path, float, Connection], None]


def write_once(folder: Path, at_s: float, told: Connection) -> None:
    """Write a run at a moment if nobody else does; tell what came of it."""
    told.send("ready")
    time.sleep(max(0.0, at_s - time.monotonic()))
    try:
        with Run.start(folder, CONFIG, FACTS) as run:
            told.send(hold(run))
    except UserError as error:
        told.send(str(error))


def hold(run: Run) -> str:
    """Commit while a sign says that somebody does; "two" if there is one already."""
    sign = run.folder.with_name(HOLDER)
    try:
        os.close(os.open(sign, os.O_CREAT | os.O_EXCL))
    except FileExistsError:
        return "two"
    commit_next(run)
    sign.unlink()
    return "wrote"


def run(n: int, seed: int, writer: Writer = write_once) -> Outcome:
    """Let pairs race; one or both write, one after the other, and all is whole."""
    with scratch() as folder:
        found = [*_failures(n, random.Random(f"writers {seed}"), Path(folder), writer)]
    return Outcome("writers", n, found)


def _failures(
    n: int, rng: random.Random, folder: Path, writer: Writer
) -> Iterator[str]:
    unhurt = Unhurt(folder / "unhurt")
    for number in range(n):
        target = folder / str(number) / "run"
        begin(target, BEGINNINGS[number % len(BEGINNINGS)])
        try:
            told = race(target, rng.uniform(-MAX_LATE_S, MAX_LATE_S), writer)
            check(target, told, unhurt)
        except (AssertionError, UserError) as error:
            yield f"{number}: {error}"
        shutil.rmtree(target.parent)


def begin(folder: Path, beginning: str) -> None:
    """Make what is there before two race for it."""
    folder.parent.mkdir()
    if beginning == "new":
        return
    Run.create(folder, CONFIG, FACTS).close()
    if beginning == "killed":
        (folder / "writer").write_text("1")


def race(folder: Path, late_s: float, writer: Writer) -> list[str]:
    """Let two write a run at the same moment; return what each told."""
    at_s = time.monotonic() + 0.05
    late = (max(0.0, late_s), max(0.0, -late_s))
    both = [start_telling(writer, folder, at_s + s) for s in late]
    told = [hear(reader)[-1] for _, reader in both]
    for process, _ in both:
        end(process)
    return told


def check(folder: Path, told: list[str], unhurt: Unhurt) -> None:
    """Check that one wrote, or both in turn, and that nothing else happened."""
    assert "two" not in told, "two wrote at the same time"
    wrote = told.count("wrote")
    for words in told:
        is_lost = any(sign in words for sign in LOST)
        assert words == "wrote" or is_lost, f"one was told {words!r}"
    assert wrote, f"nobody wrote: {told}"
    commits = unhurt.check(folder)
    assert commits == wrote, f"{wrote} wrote, {commits} commits are there"
