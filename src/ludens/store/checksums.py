"""What tells whether a run is whole: checksums of rows and facts, sums of games."""

import hashlib
import math
import zlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import astuple, dataclass
from typing import Any

from ludens.errors import UserError
from ludens.store.database import (
    CHECKED,
    FORMAT,
    SUMS,
    UNCHECKED,
    Base,
    format_of,
    make_tables,
    transaction,
)
from ludens.store.games import COLUMNS
from ludens.store.workers import COLUMNS as WORKER_COLUMNS

ROWS = {
    "games": COLUMNS,
    "unfinished": f"slot, {COLUMNS}",
    "iterations": (
        "number, began, seconds, metrics,"
        " net_file, net_sha256, state_file, state_sha256"
    ),
    "pending": "number, began, seconds, metrics",
    "traces": "number, content",
    "workers": WORKER_COLUMNS,
}
"""The columns of each table whose rows have checksums, the key first."""
_HEAD, _DIGEST = "head", "digest"
_COUNTS = (
    "(SELECT max(number) FROM iterations), (SELECT count(number) FROM iterations),"
    " (SELECT max(number) FROM pending)"
)
_SUMMED = "iteration, games, positions, wins, draws, losses, score, unfinished, seconds"
_UNKNOWN = -1


def select(table: str, which: str) -> str:
    """Return the question for rows of a table, each with its checksum at the end."""
    columns = ROWS[table]
    key = columns.partition(",")[0]
    crc = f"SELECT crc FROM checksums AS c WHERE part = '{table}'"
    crc += f" AND c.number = {table}.{key}"
    return f"SELECT {columns}, ({crc}) FROM {table} {which}"


def insert(base: Base, table: str, rows: Sequence[Sequence[Any]]) -> None:
    """Insert rows with their checksums; a game that is there already stays."""
    how = "INSERT OR IGNORE" if table == "games" else "REPLACE"
    places = ", ".join("?" * len(ROWS[table].split(",")))
    base.executemany(f"{how} INTO {table} ({ROWS[table]}) VALUES ({places})", rows)
    sums = ((table, row[0], crc_of(row)) for row in rows)
    base.executemany(f"{how} INTO checksums VALUES (?, ?, ?)", sums)


def delete(base: Base, table: str) -> None:
    """Delete all rows of a table with their checksums."""
    base.execute(f"DELETE FROM {table}")
    base.execute("DELETE FROM checksums WHERE part = ?", (table,))


def is_whole(row: Sequence[Any]) -> bool:
    """Say whether a row is as it was written; its checksum is at its end."""
    return row[-1] in (UNCHECKED, crc_of(row[:-1]))


def crc_of(row: Sequence[Any]) -> int:
    """Return the CRC-32 of a row, with types and lengths."""
    blobs = [value for value in row if isinstance(value, bytes)]
    plain = [len(value) if isinstance(value, bytes) else value for value in row]
    crc = zlib.crc32(repr(plain).encode())
    for blob in blobs:
        crc = zlib.crc32(blob, crc)
    return crc


def write_facts(base: Base, new: Mapping[str, str]) -> None:
    """Write facts and what there is beside them, in each transaction of a run."""
    facts = dict(base.rows("SELECT key, value FROM facts"))
    if facts.get(_DIGEST, _digest(facts)) != _digest(facts):
        raise UserError(f"run {base.folder} is damaged: its facts have changed")
    [counts] = base.rows(f"SELECT {_COUNTS}")
    facts |= {**new, _HEAD: repr(counts)}
    facts[_DIGEST] = _digest(facts)
    base.executemany("REPLACE INTO facts VALUES (?, ?)", facts.items())


def read_facts(base: Base) -> dict[str, str]:
    """Return the facts if they, and the iterations, are those that were written."""
    is_checked = format_of(base) >= CHECKED
    counts = _COUNTS if is_checked else "0"
    rows = base.rows(f"SELECT key, value, {counts} FROM facts")
    facts = {key: value for key, value, *_ in rows}
    why = ""
    if not all(isinstance(text, str) for text in (*facts, *facts.values())):
        why = "its facts are no texts"
    elif is_checked and facts.get(_DIGEST) != _digest(facts):
        why = "its facts have changed"
    elif is_checked and facts.get(_HEAD) != repr(rows[0][2:]):
        why = "iterations are missing"
    if why:
        raise UserError(f"run {base.folder} is damaged: {why}")
    return {key: text for key, text in facts.items() if key not in (_HEAD, _DIGEST)}


def _digest(facts: Mapping[str, str]) -> str:
    known = sorted((key, text) for key, text in facts.items() if key != _DIGEST)
    return hashlib.blake2b(repr(known).encode(), digest_size=8).hexdigest()


@dataclass(frozen=True)
class IterationTally:
    """The games of one iteration in sums."""

    iteration: int
    games: int
    positions: int
    wins: int
    """Of player 0."""
    draws: int
    losses: int
    score: float
    """The sum of all results."""
    unfinished: int
    """Games in progress when it ended; -1 if that is not known."""
    seconds: float
    """That the iteration took."""


def recount(
    base: Base, iteration: int, unfinished: int, seconds: float
) -> IterationTally:
    """Sum up the games of an iteration that are in the database."""
    [sums] = base.rows(f"SELECT {SUMS} FROM games WHERE iteration = ?", (iteration,))
    counts: tuple[int, int, int, int, int] = sums[:5]
    return IterationTally(iteration, *counts, sums[5], unfinished, seconds)


def write_tally(base: Base, tally: IterationTally) -> None:
    """Keep a tally in place of the one before."""
    row = astuple(tally)
    places = ", ".join("?" * (len(row) + 1))
    base.execute(f"REPLACE INTO tallies VALUES ({places})", (*row, crc_of(row)))


def read_tallies(base: Base, note: Callable[[str], None]) -> list[IterationTally]:
    """Return the tallies of all iterations; damaged ones are counted again."""
    rows = base.rows(
        f"SELECT known.number, {_SUMMED}, crc FROM (SELECT number FROM iterations"
        " UNION SELECT number FROM pending) AS known"
        " LEFT JOIN tallies ON iteration = known.number ORDER BY known.number"
    )
    found = []
    for number, *row in rows:
        if _is_sound(row[:-1]) and is_whole(row):
            found.append(IterationTally(*row[:-1]))
            continue
        note(f"the sums of iteration {number} are damaged; its games are counted again")
        found.append(recount(base, number, _UNKNOWN, 0.0))
    return found


def _is_sound(row: list[Any]) -> bool:
    *counts, score, unfinished, seconds = row
    return (
        all(type(n) is int and 0 <= n < 2**53 for n in (*counts, unfinished))
        and all(type(x) is float and math.isfinite(x) for x in (score, seconds))
        and seconds >= 0
    )


def upgrade(base: Base) -> None:
    """Make the tables that a run lacks, and the checksums of what it holds."""
    found = format_of(base)
    if found == FORMAT:
        return
    with transaction(base):
        make_tables(base, after=found)
        if found >= CHECKED:
            return
        for table, columns in ROWS.items():
            rows = base.execute(f"SELECT {columns} FROM {table}")
            sums = ((table, row[0], crc_of(row)) for row in rows)
            base.executemany("INSERT INTO checksums VALUES (?, ?, ?)", sums)
        [(unfinished,)] = base.rows("SELECT count(slot) FROM unfinished")
        for number, seconds in base.rows(
            "SELECT number, seconds FROM iterations"
            " UNION ALL SELECT number, seconds FROM pending"
        ):
            write_tally(base, recount(base, number, unfinished, seconds))
        write_facts(base, {})
