"""What is looked at before SQLite opens a database: strangers write them, too.

SQLite follows links, replays what a journal says and even removes a file that it names.
"""

from pathlib import Path

from ludens.errors import UserError
from ludens.files import check_plain

FILE = "games.sqlite"
FOLDERS = ("nets", "state")
_JOURNAL_MARK = bytes.fromhex("d9d505f920a163d7")
_HEADER = 100


def check_files(folder: Path) -> None:
    """Refuse links, devices and pipes in a run, and what no run of ours has."""
    for part in FOLDERS:
        check_plain(folder / part, is_folder=True)
    for end in ("", "-journal"):
        check_plain(folder / f"{FILE}{end}")
    for end in ("-wal", "-shm"):
        if (folder / f"{FILE}{end}").is_symlink() or (folder / f"{FILE}{end}").exists():
            raise UserError(f"{folder} has a {FILE}{end}, which no run of ludens has")
    size = _check_database(folder)
    _check_journal(folder, size)


def _check_database(folder: Path) -> int:
    """Refuse a database that is cut or has a write-ahead log; return its size."""
    try:
        with (folder / FILE).open("rb") as file:
            header = file.read(_HEADER)
            size = file.seek(0, 2)
    except FileNotFoundError:
        return 0
    if len(header) == _HEADER and header.startswith(b"SQLite format 3\0"):
        page = int.from_bytes(header[16:18], "big")
        if size % (65536 if page == 1 else max(page, 1)):
            raise UserError(f"run {folder} is damaged: {FILE} is cut")
        if header[18:20] != b"\1\1":
            raise UserError(f"{folder} has a {FILE} that no version of ludens wrote")
    return size


def _check_journal(folder: Path, size: int) -> None:
    """Refuse a journal that names another file, or is of another database.

    The journal of a killed writer of ours does neither, and is rolled back.
    """
    try:
        with (folder / f"{FILE}-journal").open("rb") as file:
            header = file.read(28)
            file.seek(max(0, file.seek(0, 2) - 8))
            end = file.read(8)
    except FileNotFoundError:
        return
    if len(header) < 28 or header[:8] != _JOURNAL_MARK:
        return  # SQLite takes it for an empty one
    pages, page = (int.from_bytes(header[at : at + 4], "big") for at in (16, 24))
    if end == _JOURNAL_MARK or not 512 <= page <= 65536 or pages * page > size:
        raise UserError(f"{folder} has a {FILE}-journal that ludens did not write")
