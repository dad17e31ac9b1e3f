"""Power loss as a model: what was not synced is lost, kept or torn, in any order.

The calls with which a run is made and written are recorded. A crash after any of them
leaves what was synced by then, and some part of the rest (as in Pillai et al. 2014,
"All File Systems Are Not Created Equal"). SQLite's commit, which has tests of its own
for that, counts as one step that syncs the folder of the database.
"""

import os
import random
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from unittest.mock import patch

from ludens.errors import UserError
from ludens.store import database
from ludens.store.run import Run

from .made_runs import CONFIG, FACTS, commit, make_run
from .outcome import Outcome

NUMBER = 2_000
ITERATIONS = 4
MOVES = ("create", "rename", "unlink", "mkdir")
"""Steps that change what is in a folder."""


@dataclass(frozen=True)
class Step:
    """One call: what it did to which file."""

    kind: str
    path: Path
    inode: int = 0
    content: bytes = b""


@dataclass
class Recorder:
    """What was done below a folder, in order."""

    home: Path
    steps: list[Step] = field(default_factory=list)

    def add(self, kind: str, path: Any, content: bytes = b"") -> None:
        """Remember a step, unless it is elsewhere."""
        path = Path(os.path.abspath(path))
        if path.is_relative_to(self.home):
            inode = path.stat().st_ino if path.exists() else 0
            self.steps.append(Step(kind, path, inode, content))

    @contextmanager
    def listening(self) -> Iterator[None]:
        """Hear what the store asks of the system."""
        whole = {name: getattr(os, name) for name in ("open", "fsync", *_CALLS)}

        def heard(name: str) -> Any:
            def call(path: Any, *more: Any, **named: Any) -> Any:
                answer = whole[name](path, *more, **named)
                self.add(_CALLS[name], more[0] if name == "replace" else path)
                return answer

            return call

        def fsync(handle: int) -> None:
            whole["fsync"](handle)
            path = Path(os.readlink(f"/proc/self/fd/{handle}"))
            is_file = path.is_file()
            content = path.read_bytes() if is_file else b""
            self.add("sync" if is_file else "sync_folder", path, content)

        def open_(path: Any, flags: int, *more: Any, **named: Any) -> int:
            is_new = flags & os.O_CREAT and not os.path.lexists(path)
            handle: int = whole["open"](path, flags, *more, **named)
            if is_new:
                self.add("create", path)
            return handle

        patches = {name: heard(name) for name in _CALLS}
        patches |= {"fsync": fsync, "open": open_}
        transaction = database.transaction

        @contextmanager
        def committing(base: database.Base) -> Iterator[None]:
            with transaction(base):
                yield
            path = base.folder / database.FILE
            self.add("commit", path, path.read_bytes())

        with (
            patch.multiple(os, **patches),
            patch.object(database, "transaction", committing),
        ):
            yield


_CALLS = {"replace": "rename", "unlink": "unlink", "mkdir": "mkdir"}


def run(n: int, seed: int) -> Outcome:
    """Lose power in the life of a run, again and again; say what was lost with it."""
    failures = []
    with TemporaryDirectory() as folder:
        home = Path(folder).resolve() / "before"
        home.mkdir()
        recorder = Recorder(home)
        with recorder.listening(), make_run(home / "runs" / "run") as made:
            for iteration in range(1, ITERATIONS + 1):
                commit(made, iteration)
        for number in range(n):
            rng = random.Random(f"{seed} {number}")
            after = Path(folder) / str(number)
            moment = rng.randrange(len(recorder.steps) + 1)
            steps = recorder.steps[:moment]
            rebuild(steps, home, after, rng)
            if why := why_lost(after / "runs" / "run", steps):
                failures.append(f"{number}: after step {moment}: {why}")
    return Outcome("power_loss", n, failures)


def rebuild(steps: list[Step], home: Path, after: Path, rng: random.Random) -> None:
    """Make what a disk may hold when power is lost after some steps."""
    names: dict[Path, int] = {}
    folders = {home}
    for at, step in enumerate(steps):
        if step.kind == "commit":
            names[step.path] = 0
        is_kept = step.kind in MOVES and (_is_synced(steps[at:]) or rng.random() < 0.5)
        if is_kept and step.kind == "mkdir":
            folders.add(step.path)
        elif is_kept and step.kind == "unlink":
            names.pop(step.path, None)
        elif is_kept:
            names = {p: i for p, i in names.items() if i != step.inode}
            names[step.path] = step.inode
    after.mkdir()
    for folder in sorted(folders - {home}):
        with suppress(FileNotFoundError):  # the folder above is lost
            (after / folder.relative_to(home)).mkdir()
    for path, inode in names.items():
        with suppress(FileNotFoundError):  # its folder is lost
            content = _content(steps, path, inode, rng)
            (after / path.relative_to(home)).write_bytes(content)


def _is_synced(steps: list[Step]) -> bool:
    """Say whether the folder of the first step was synced after it."""
    folder = steps[0].path.parent
    return any(
        (step.kind == "sync_folder" and step.path == folder)
        or (step.kind == "commit" and step.path.parent == folder)
        for step in steps
    )


def _content(steps: list[Step], path: Path, inode: int, rng: random.Random) -> bytes:
    """Return what a file holds: what was synced, else nothing, a part or anything."""
    kinds = ("commit",) if inode == 0 else ("sync",)
    for step in reversed(steps):
        is_it = step.path == path if inode == 0 else step.inode == inode
        if is_it and step.kind in kinds:
            return step.content
    return rng.randbytes(rng.choice((0, 100)))


def why_lost(folder: Path, steps: list[Step]) -> str:
    """Return what is wrong with a run after the loss of power, "" if nothing is."""
    num_commits = sum(step.kind == "commit" for step in steps)
    try:
        if num_commits:
            with closing(Run.open(folder)) as run:
                done = 2 * (run.newest_iteration or 0) + (run.pending() is not None)
                last = run.last()
                list(run.games())
                said = [*run.damage, *(last.notes if last else ())]
            if said or done != num_commits - 1:
                return f"{done} of {num_commits - 1} commits; {said}"
        with Run.start(folder, CONFIG, FACTS) as run:
            commit(run, (run.newest_iteration or 0) + 1)
    except UserError as error:
        return str(error)
    return ""
