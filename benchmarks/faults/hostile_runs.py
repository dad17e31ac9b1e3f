"""Runs that somebody made up: reading them ends soon, in lines, and changes nothing.

Most are of a format without checksums, so that what is behind them is reached, too.
"""

import os
import random
import shutil
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, redirect_stderr, redirect_stdout, suppress
from io import StringIO
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from unittest.mock import patch

from ludens.cli import run as run_command
from ludens.store.database import FILE

from .hostile_nets import strange_texts, strange_values
from .made_runs import make_older, make_run
from .outcome import Outcome
from .refusals import why_not_refused

NUMBER = 1000
COMMANDS = (
    "runs",
    "show {run}",
    "show {run} --verify",
    "report {run} --out {out}",
    "nets {run}",
)
TABLES = ("facts", "iterations", "games", "unfinished")
ENDLESS = "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x FROM n) SELECT x"
KEPT = {"kept": b"kept"}
"""The files of somebody else, and what is in them."""
JOURNAL_MARK = bytes.fromhex("d9d505f920a163d7")


def run(n: int, seed: int) -> Outcome:
    """Read made-up runs by commands; say of each what was not as it should be."""
    failures = []
    with TemporaryDirectory() as name:
        home = Path(name)
        honest, victim = home / "honest", home / "victim"
        make_run(honest, 2).close()
        victim.mkdir()
        for file, content in KEPT.items():
            (victim / file).write_bytes(content)
        for number in range(n):
            rng = random.Random(f"{seed} {number}")
            hurt = HURTS[number % len(HURTS)]
            folder = Path(shutil.copytree(honest, home / "runs" / "made-up"))
            hurt(rng, folder, victim)
            command = COMMANDS[rng.randrange(len(COMMANDS))]
            if why := _why_not_calm(command, folder, home):
                failures.append(f"{number}: {hurt.__name__}: {command}: {why}")
            if {path.name: path.read_bytes() for path in victim.iterdir()} != KEPT:
                failures.append(f"{number}: {hurt.__name__}: other files were changed")
                return Outcome("hostile_runs", number + 1, failures)
            shutil.rmtree(home / "runs")
    return Outcome("hostile_runs", n, failures)


def _why_not_calm(command: str, folder: Path, home: Path) -> str:
    """Run a command on a run; say what is wrong with how it ended."""
    words = command.format(run=folder, out=home / "report.html").split()

    def read() -> None:
        said, here = StringIO(), {"LUDENS_RUNS": str(folder.parent)}
        with patch.dict(os.environ, here), redirect_stdout(said), redirect_stderr(said):
            code = run_command(words)
        lines = said.getvalue().splitlines()
        odd = [line for line in lines if not line.isprintable()]
        if code not in (0, 2) or odd:
            raise RuntimeError(f"exit {code}: {(odd or lines[-1:] or [''])[0]!r}")
        if code == 2 and "--verify" not in words and len(lines) != 1:
            raise RuntimeError(f"{len(lines)} lines: {lines[-1]!r}")

    size = sum(path.lstat().st_size for path in folder.rglob("*"))
    return why_not_refused(read, size, may_pass=True)


def strange_value(rng: random.Random, folder: Path, victim: Path) -> None:
    """Put a value where it makes no sense, in rows that no checksum covers."""
    if rng.random() < 0.8:
        make_older(folder, rng.choice((1, 2)))
    with closing(sqlite3.connect(folder / FILE)) as base, base:
        table = rng.choice(TABLES)
        columns = [row[1] for row in base.execute(f"PRAGMA table_info({table})")]
        value = rng.choice([*_values(), *strange_texts()])
        with suppress(sqlite3.IntegrityError):
            base.execute(f"UPDATE {table} SET {rng.choice(columns)} = ?", (value,))


def _values() -> Iterator[Any]:
    """Give what SQLite can keep and no column of ours should have."""
    yield from (2**62, -(2**63), 1e308, float("inf"), -1, 0, b"", b"\xff" * 100)
    yield from ("\x1b]0;x\x07", "a\nb", "../../x", "/dev/zero", "nets/../../x", "x.py")
    for value in strange_values():
        if value is None or isinstance(value, str | float):
            yield value


def strange_schema(rng: random.Random, folder: Path, victim: Path) -> None:
    """Plant a view, a trigger or a table that is none of ours."""
    table = rng.choice(TABLES)
    planted = rng.choice(
        [
            (f"ALTER TABLE {table} RENAME TO old", f"CREATE VIEW {table} AS {ENDLESS}"),
            (f"CREATE TRIGGER t AFTER INSERT ON {table} BEGIN DELETE FROM games; END",),
            (f"CREATE INDEX i ON {table} (abs(1))",),
            (f"ALTER TABLE {table} ADD COLUMN more AS (1)",),
            (f"DROP TABLE {table}",),
            ("CREATE VIRTUAL TABLE v USING fts5(x)",),
            ("PRAGMA user_version = 99",),
            ("PRAGMA application_id = 1",),
        ]
    )
    with closing(sqlite3.connect(folder / FILE)) as base, base:
        for statement in planted:
            with suppress(sqlite3.OperationalError):
                base.execute(statement)


def strange_files(rng: random.Random, folder: Path, victim: Path) -> None:
    """Put a link, a pipe, a device or a folder in the place of a file."""
    paths = sorted(path for path in folder.rglob("*"))
    path = rng.choice([*paths, folder / "writer", folder / "log.txt"])
    if path.is_dir():
        shutil.rmtree(path)
    path.unlink(missing_ok=True)
    kind = rng.randrange(5)
    if kind == 0:
        path.symlink_to(rng.choice((victim, victim / "kept", victim / "new")))
    elif kind == 1:
        os.mkfifo(path)
    elif kind == 2:
        path.symlink_to("/dev/zero")
    elif kind == 3:
        path.mkdir()
    else:
        path.write_bytes(rng.randbytes(rng.choice((0, 1, 100, 5000))))


def strange_journal(rng: random.Random, folder: Path, victim: Path) -> None:
    """Leave a journal that names another file, or is none."""
    name = os.fsencode(victim / "kept")
    size = len(name).to_bytes(4, "big") + sum(name).to_bytes(4, "big")
    header = JOURNAL_MARK + rng.randbytes(rng.choice((20, 100, 504)))
    tail = rng.choice((b"", (1).to_bytes(4, "big") + name + size + JOURNAL_MARK))
    end = rng.choice(("-journal", "-wal", "-shm"))
    (folder / f"{FILE}{end}").write_bytes(header + tail)


def flipped(rng: random.Random, folder: Path, victim: Path) -> None:
    """Change some bytes of a file, or cut it."""
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    path = rng.choice(files)
    content = bytearray(path.read_bytes())
    for _ in range(rng.choice((1, 10, 1000)) if content else 0):
        content[rng.randrange(len(content))] = rng.randrange(256)
    path.write_bytes(content[: rng.choice((len(content), len(content) // 2))])


HURTS: tuple[Callable[[random.Random, Path, Path], None], ...] = (
    strange_value,
    strange_schema,
    strange_files,
    strange_journal,
    flipped,
)
