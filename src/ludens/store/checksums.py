"""A checksum for each row that a run keeps of games and iterations."""

import zlib
from collections.abc import Sequence
from typing import Any

from ludens.store.database import UNCHECKED, Base
from ludens.store.games import COLUMNS

ROWS = {
    "games": COLUMNS,
    "unfinished": f"slot, {COLUMNS}",
    "iterations": (
        "number, began, seconds, metrics,"
        " net_file, net_sha256, state_file, state_sha256"
    ),
    "pending": "number, began, seconds, metrics",
}
"""The columns of each table whose rows have checksums, the key first."""


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
