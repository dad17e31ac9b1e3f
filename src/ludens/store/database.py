"""The database of a run: its tables, its formats and its errors in one line."""

import sqlite3
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from functools import cache
from pathlib import Path
from typing import Any

from ludens.errors import NoRoom, UserError
from ludens.files import NO_ROOM, has_room, is_plain
from ludens.formats.words import printable
from ludens.store.guard import FILE as FILE
from ludens.store.guard import check_files
from ludens.store.workers import COLUMNS as WORKER_COLUMNS

FORMAT = 5
"""What PRAGMA user_version says. Older formats are read, too, and changed to this one
when a run is opened for writing: 1 has no table `pending`, 1 and 2 no checksums, 1 to 3
no traces, 1 to 4 no workers."""
CHECKED = 3
"""The first format that has checksums."""
_CACHE_KB = 256
"""SQLite would fill 2 MB, which takes a training hours: its memory seems to grow."""
_APPLICATION = 0x4C756465  # "Lude", what PRAGMA application_id says of our files
_PATIENCE_S = 30.0
"""How long to wait for a reader; no read of ours takes a second."""
_MAX_VALUE_BYTES = 2**26
_MAX_SQL_BYTES = 10_000
_MIN_STEPS, _STEPS_A_BYTE, _TICK = 1_000_000, 4, 10_000
"""What SQLite may do for one question, in instructions: honest rows have more bytes."""
_GAME_COLUMNS = """
    iteration INTEGER NOT NULL, seed INTEGER NOT NULL, net INTEGER NOT NULL,
    ending TEXT NOT NULL, is_over INTEGER NOT NULL, result REAL NOT NULL,
    num_plies INTEGER NOT NULL, num_positions INTEGER NOT NULL,
    num_actions INTEGER NOT NULL, history BLOB NOT NULL, kinds BLOB NOT NULL,
    vals BLOB NOT NULL, policies BLOB NOT NULL
"""
_FIRST = (
    "CREATE TABLE facts (key TEXT PRIMARY KEY, value TEXT NOT NULL)",
    "CREATE TABLE iterations (number INTEGER PRIMARY KEY, began REAL NOT NULL,"
    " seconds REAL NOT NULL, metrics TEXT NOT NULL, net_file TEXT, net_sha256 TEXT,"
    " state_file TEXT, state_sha256 TEXT)",
    f"CREATE TABLE games (number INTEGER PRIMARY KEY, {_GAME_COLUMNS})",
    # Counts are read from the index alone, without the moves of every game.
    "CREATE INDEX games_in_short ON games"
    " (iteration, number, ending, result, num_plies, num_positions)",
    "CREATE TABLE unfinished (slot INTEGER PRIMARY KEY, number INTEGER NOT NULL,"
    f" {_GAME_COLUMNS})",
    "CREATE VIEW results AS SELECT iteration, count(*) AS games,"
    " sum(result > 0) AS wins, sum(result = 0) AS draws, sum(result < 0) AS losses,"
    " avg(result) AS mean_result, avg(num_plies) AS mean_plies,"
    " sum(num_positions) AS positions, sum(ending = 'resigned') AS resigned,"
    " sum(ending = 'cut') AS cut FROM games GROUP BY iteration",
)
_SECOND = (  # the iteration whose games are kept, but whose net is yet to be learned
    "CREATE TABLE pending (number INTEGER PRIMARY KEY, began REAL NOT NULL,"
    " seconds REAL NOT NULL, metrics TEXT NOT NULL)",
)
_THIRD = (
    # A CRC-32 for each row of the tables above, but for facts, which have one in all.
    "CREATE TABLE checksums (part TEXT NOT NULL, number INTEGER NOT NULL,"
    " crc INTEGER NOT NULL, PRIMARY KEY (part, number)) WITHOUT ROWID",
    # What an iteration played: its sums, which tell if games are missing.
    "CREATE TABLE tallies (iteration INTEGER PRIMARY KEY, games INTEGER NOT NULL,"
    " positions INTEGER NOT NULL, wins INTEGER NOT NULL, draws INTEGER NOT NULL,"
    " losses INTEGER NOT NULL, score REAL NOT NULL, unfinished INTEGER NOT NULL,"
    " seconds REAL NOT NULL, crc INTEGER NOT NULL)",
)
_FOURTH = (  # what environments showed in games, finished or not
    "CREATE TABLE traces (number INTEGER PRIMARY KEY, content BLOB NOT NULL)",
)
_FIFTH = (  # what each worker of a cluster did in an iteration
    "CREATE TABLE workers (number INTEGER PRIMARY KEY, iteration INTEGER NOT NULL,"
    " worker TEXT NOT NULL, threads INTEGER NOT NULL, shares INTEGER NOT NULL,"
    " games INTEGER NOT NULL, positions INTEGER NOT NULL, evals INTEGER NOT NULL,"
    " busy_s REAL NOT NULL, waited_s REAL NOT NULL, cpu_s REAL NOT NULL,"
    " rss_bytes INTEGER NOT NULL)",
)
SUMS = (
    "count(result) AS games, CAST(total(num_positions) AS INTEGER) AS positions,"
    " CAST(total(result > 0) AS INTEGER) AS wins,"
    " CAST(total(result = 0) AS INTEGER) AS draws,"
    " CAST(total(result < 0) AS INTEGER) AS losses, total(result) AS score"
)
"""Of games, as tallies have them."""
_ADDED = (_FIRST, _SECOND, _THIRD, _FOURTH, _FIFTH)
"""The tables that each format brought."""
UNCHECKED = -1
"""Stands for the checksum of a row of an older format."""
_NO_CHECKSUMS = " UNION ALL ".join(
    f"SELECT '{table}' AS part, {key} AS number, {UNCHECKED} AS crc FROM {table}"
    for table, key in (
        *(("games", "number"), ("unfinished", "slot")),
        *(("iterations", "number"), ("pending", "number")),
    )
)
_STAND_INS = (
    ("CREATE TEMP TABLE pending (number, began, seconds, metrics)",),
    (
        f"CREATE TEMP VIEW checksums AS {_NO_CHECKSUMS}",
        f"CREATE TEMP VIEW tallies AS SELECT n.number AS iteration, {SUMS},"
        " (SELECT count(slot) FROM unfinished) AS unfinished, n.seconds AS seconds,"
        f" {UNCHECKED} AS crc FROM"
        " (SELECT number, seconds FROM iterations"
        " UNION ALL SELECT number, seconds FROM pending) AS n"
        " LEFT JOIN games ON iteration = n.number GROUP BY n.number",
    ),
    ("CREATE TEMP TABLE traces (number, content)",),
    (f"CREATE TEMP TABLE workers ({WORKER_COLUMNS})",),
)
"""What a reader of format 1, of 2, 3 and 4 sees in place of what it lacks."""


class Base(sqlite3.Connection):
    """A connection that reads no more than its file can hold, and no longer."""

    folder: Path
    file: Path
    """Made once: Python's table of interned strings has room for each part of a path
    that ever was."""
    _steps_left: float = float("inf")

    def rows(self, sql: str, values: tuple[Any, ...] = ()) -> list[Any]:
        """Return the answer to a question.

        It must not be count(*): for SQLite that is one step, however long it takes.
        """
        size = self.file.stat().st_size
        found, left = [], 2**20 + 2 * size
        self._steps_left = _MIN_STEPS + _STEPS_A_BYTE * size
        try:
            for row in self.execute(sql, values):
                left -= sum(len(v) for v in row if isinstance(v, str | bytes))
                if left < 0:
                    raise sqlite3.DataError("it says more than its file can hold")
                found.append(row)
        finally:
            self._steps_left = float("inf")
        return found

    def tick(self) -> bool:
        """Count what SQLite does; whether that is too much."""
        self._steps_left -= _TICK
        return self._steps_left < 0


@contextmanager
def one_line(folder: Path, doing: str) -> Iterator[None]:
    """Turn what the disk or the database refuses into one line."""
    try:
        yield
    except (sqlite3.Error, OSError, ValueError) as error:
        if isinstance(error, UserError):
            raise
        why = error.strerror if isinstance(error, OSError) else printable(str(error))
        is_full = doing == "write" and _is_no_room(error, folder)
        kind = NoRoom if is_full else UserError
        raise kind(f"cannot {doing} run {folder}: {why}") from None


def _is_no_room(error: Exception, folder: Path) -> bool:
    """Say whether there was no room; SQLite says so of a full disk, but of no quota."""
    if isinstance(error, OSError):
        return error.errno in NO_ROOM
    code = getattr(error, "sqlite_errorcode", 0) & 0xFF  # the rest is where it was
    if code in (sqlite3.SQLITE_IOERR, sqlite3.SQLITE_CANTOPEN):
        return not has_room(folder)
    return bool(code == sqlite3.SQLITE_FULL)


def connect(folder: Path, write: bool) -> Base:
    """Open the database of a run; for a reader SQLite changes nothing in the run.

    But what a killed writer left half done is undone first, as by the next writer.
    """
    check_files(folder)
    base = _open(folder, "rwc" if write else "ro")
    try:
        if write:
            # One file that is whole between commits can be copied as it is: no WAL.
            base.execute("PRAGMA journal_mode = DELETE")
            base.execute("PRAGMA synchronous = EXTRA")
            base.execute(f"PRAGMA cache_size = -{_CACHE_KB}")
            return base
        return base if _is_at_rest(base) else _roll_back(folder, base)
    except BaseException:
        base.close()
        raise


def _open(folder: Path, mode: str) -> Base:
    base = sqlite3.connect(
        f"{(folder / FILE).absolute().as_uri()}?mode={mode}",
        uri=True,
        timeout=_PATIENCE_S,
        isolation_level=None,
        factory=Base,
    )
    base.folder, base.file = folder, folder / FILE
    base.text_factory = lambda text: text.decode("utf-8", "replace")
    base.set_progress_handler(base.tick, _TICK)
    base.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, _MAX_VALUE_BYTES)
    base.setlimit(sqlite3.SQLITE_LIMIT_SQL_LENGTH, _MAX_SQL_BYTES)
    base.setlimit(sqlite3.SQLITE_LIMIT_ATTACHED, 0)
    for pragma in ("trusted_schema = OFF", "cell_size_check = ON", "temp_store = 2"):
        base.execute(f"PRAGMA {pragma}")
    if sys.version_info >= (3, 12):  # older versions have no word for it
        base.setconfig(sqlite3.SQLITE_DBCONFIG_DEFENSIVE)
    return base


def _is_at_rest(base: Base) -> bool:
    """Say whether no killed writer left something to undo."""
    try:
        base.rows("SELECT 1 FROM sqlite_master LIMIT 1")
    except sqlite3.OperationalError as error:
        if error.sqlite_errorcode != sqlite3.SQLITE_READONLY_ROLLBACK:
            raise
        return False
    return True


def _roll_back(folder: Path, base: Base) -> Base:
    """Undo what a killed writer left half done; return the base to read."""
    base.close()
    with closing(_open(folder, "rw")) as writer:
        if not _is_at_rest(writer):
            raise UserError(
                f"cannot read run {folder}: its writer was killed, and only who may"
                " write it can undo what was left half done"
            )
    return _open(folder, "ro")


def is_ours(base: Base) -> bool:
    """Say whether this is the database of a run, of any format."""
    return bool(base.rows("PRAGMA application_id")[0][0] == _APPLICATION)


def is_blank(base: Base) -> bool:
    """Say whether nothing was ever committed to this database."""
    return not base.rows("SELECT 1 FROM sqlite_master LIMIT 1")


def check_format(base: Base, folder: Path) -> int:
    """Refuse what is not a run, or one of another format; return the format."""
    if not is_ours(base):
        raise UserError(f"{folder} is not a run: {FILE} is not of ludens")
    found = format_of(base)
    if not 1 <= found <= FORMAT:
        raise UserError(
            f"run {folder} has format {found}; this version of ludens reads up to"
            f" {FORMAT}"
        )
    for kind, name, sql in set(_schema(base)) ^ _tables_of(found):
        is_ours_too = (kind, name, sql) in _tables_of(found)
        what = "lacks the" if is_ours_too else "has another"
        raise UserError(f"{folder} is not a run of ludens: it {what} {kind} {name!r}")
    return found


def format_of(base: Base) -> int:
    """Return the format that a database says it has."""
    return int(base.rows("PRAGMA user_version")[0][0])


def _schema(base: Base) -> list[Any]:
    return base.rows("SELECT type, name, sql FROM sqlite_master")


@cache
def _tables_of(number: int) -> frozenset[Any]:
    """Return the tables of a format: a view, or a trigger, may hold anything."""
    with closing(sqlite3.connect(":memory:")) as base:
        for statement in (sql for part in _ADDED[:number] for sql in part):
            base.execute(statement)
        rows = base.execute("SELECT type, name, sql FROM sqlite_master")
        return frozenset(rows.fetchall())


def make_tables(base: Base, after: int = 0) -> None:
    """Make the tables that came after a format, in a transaction of the caller."""
    for statement in (sql for part in _ADDED[after:] for sql in part):
        base.execute(statement)
    base.execute(f"PRAGMA application_id = {_APPLICATION}")
    base.execute(f"PRAGMA user_version = {FORMAT}")


def stand_in(base: Base, number: int) -> None:
    """Let a reader of an older format see the tables of today; then write nothing."""
    for statement in (sql for part in _STAND_INS[number - 1 :] for sql in part):
        base.execute(statement)
    base.execute("PRAGMA query_only = ON")


@contextmanager
def transaction(base: Base) -> Iterator[None]:
    """Commit all that is done inside, or nothing."""
    base.execute("BEGIN IMMEDIATE")
    try:
        yield
        base.execute("COMMIT")
    finally:
        if base.in_transaction:
            base.execute("ROLLBACK")


def is_run(folder: Path) -> bool:
    """Say whether a folder holds a run, of any format."""
    if not is_plain(folder / FILE):
        return False
    with one_line(folder, "read"), closing(connect(folder, write=False)) as base:
        return is_ours(base)
