"""The database of a run: its tables, its format and its errors in one line."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from ludens.errors import UserError

FILE = "games.sqlite"
FORMAT = 2
"""What PRAGMA user_version says. Format 1, which has no table `pending`, is read, too,
and changed to this one when a run is opened for writing."""
_APPLICATION = 0x4C756465  # "Lude", what PRAGMA application_id says of our files
_PATIENCE_S = 30.0
"""How long to wait for a reader; no read of ours takes a second."""
_GAME_COLUMNS = """
    iteration INTEGER NOT NULL, seed INTEGER NOT NULL, net INTEGER NOT NULL,
    ending TEXT NOT NULL, is_over INTEGER NOT NULL, result REAL NOT NULL,
    num_plies INTEGER NOT NULL, num_positions INTEGER NOT NULL,
    num_actions INTEGER NOT NULL, history BLOB NOT NULL, kinds BLOB NOT NULL,
    vals BLOB NOT NULL, policies BLOB NOT NULL
"""
_PENDING = (
    "CREATE TABLE pending (number INTEGER PRIMARY KEY, began REAL NOT NULL,"
    " seconds REAL NOT NULL, metrics TEXT NOT NULL)"
)
"""The iteration whose games are kept, but whose net is yet to be learned."""
_SCHEMA = (
    "CREATE TABLE facts (key TEXT PRIMARY KEY, value TEXT NOT NULL)",
    "CREATE TABLE iterations (number INTEGER PRIMARY KEY, began REAL NOT NULL,"
    " seconds REAL NOT NULL, metrics TEXT NOT NULL, net_file TEXT, net_sha256 TEXT,"
    " state_file TEXT, state_sha256 TEXT)",
    _PENDING,
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
    f"PRAGMA application_id = {_APPLICATION}",
    f"PRAGMA user_version = {FORMAT}",
)


@contextmanager
def one_line(folder: Path, doing: str) -> Iterator[None]:
    """Turn what the disk or the database refuses into one line."""
    try:
        yield
    except (sqlite3.Error, OSError) as error:
        why = error.strerror if isinstance(error, OSError) else str(error)
        raise UserError(f"cannot {doing} run {folder}: {why}") from None


def connect(folder: Path, write: bool) -> sqlite3.Connection:
    """Open the database of a run.

    A reader, too, opens it for writing where it can: it may have to undo what a killed
    writer left half done.
    """
    mode = "rwc" if write else "rw"
    base = sqlite3.connect(
        f"{(folder / FILE).absolute().as_uri()}?mode={mode}",
        uri=True,
        timeout=_PATIENCE_S,
        isolation_level=None,
    )
    if write:
        # One file that is whole between commits can be copied as it is: no WAL.
        base.execute("PRAGMA journal_mode = DELETE")
        base.execute("PRAGMA synchronous = EXTRA")
    else:
        base.execute("PRAGMA query_only = ON")
    return base


def is_ours(base: sqlite3.Connection) -> bool:
    """Say whether this is the database of a run, of any format."""
    return bool(base.execute("PRAGMA application_id").fetchone()[0] == _APPLICATION)


def is_blank(base: sqlite3.Connection) -> bool:
    """Say whether nothing was ever committed to this database."""
    return bool(base.execute("SELECT count(*) = 0 FROM sqlite_master").fetchone()[0])


def check_format(base: sqlite3.Connection, folder: Path) -> None:
    """Refuse what is not a run, or one of another format."""
    if not is_ours(base):
        raise UserError(f"{folder} is not a run: {FILE} is not of ludens")
    found = base.execute("PRAGMA user_version").fetchone()[0]
    if not 1 <= found <= FORMAT:
        raise UserError(
            f"run {folder} has format {found}; this version of ludens reads up to"
            f" {FORMAT}"
        )


def upgrade(base: sqlite3.Connection) -> None:
    """Bring an older run to the format of today."""
    if base.execute("PRAGMA user_version").fetchone()[0] < FORMAT:
        with transaction(base):
            base.execute(_PENDING)
            base.execute(f"PRAGMA user_version = {FORMAT}")


def make_tables(base: sqlite3.Connection) -> None:
    """Make the tables of a run, inside a transaction of the caller."""
    for statement in _SCHEMA:
        base.execute(statement)


@contextmanager
def transaction(base: sqlite3.Connection) -> Iterator[None]:
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
    if not (folder / FILE).is_file():
        return False
    with one_line(folder, "read"), closing(connect(folder, write=False)) as base:
        return is_ours(base)
