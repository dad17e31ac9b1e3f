"""Older runs are brought to the format of today when they are opened for writing."""

from ludens.store.checksums import ROWS, crc_of
from ludens.store.database import FORMAT, Base, format_of, make_tables, transaction
from ludens.store.facts import write_facts
from ludens.store.tallies import recount, write_tally


def upgrade(base: Base) -> None:
    """Make the tables that a run lacks, and the checksums of what it holds."""
    found = format_of(base)
    if found == FORMAT:
        return
    with transaction(base):
        make_tables(base, after=found)
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
