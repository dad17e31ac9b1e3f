"""All formats of played games: which one a file has, reading and writing it."""

import json
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import BinaryIO

from ludens.errors import UserError, nearest
from ludens.files import opened, write_text
from ludens.formats import psq, renjunet, sgf, strings
from ludens.formats.boards import Asked, Found
from ludens.formats.record import (
    MAX_BYTES,
    Record,
    format_record,
    load_record,
    parse_record,
)

Read = Callable[[str, Asked], Iterator[Found]]
NO_GAME = Asked()
MAX_STREAM_BYTES = 2**30
"""Of a file that is read piece by piece."""
_CHARSETS = ("gb18030", "gbk", "gb2312", "big5", "shift_jis", "euc-kr", "cp1251")
_CHARSET = re.compile(rb"CA\[\s*([\w-]{1,20})\s*\]")


@dataclass(frozen=True)
class Format:
    """A format of played games."""

    name: str
    suffixes: tuple[str, ...]
    about: str
    looks_like: Callable[[str], bool]
    read: Read
    write: Callable[[Record], str]
    read_pieces: Callable[[Iterable[bytes], Asked], Iterator[Found]] | None = None
    """How to read a file that is too large for the memory."""


def _read_json(text: str, _: Asked) -> Iterator[Record]:
    yield parse_record(text, "it")


def _has_lines(text: str) -> bool:
    """Tell whether the first two lines are records."""
    return re.match(r"\s*\{[^\n]*\}[^\S\n]*\n\s*\{", text) is not None


def _read_lines(text: str, _: Asked) -> Iterator[Found]:
    for number, line in enumerate(text.splitlines(), 1):
        if line.strip():
            try:
                yield parse_record(line, f"line {number:,}")
            except UserError as error:
                yield error


def _write_line(record: Record) -> str:
    return json.dumps(record.written()) + "\n"


FORMATS = {
    one.name: one
    for one in (
        Format(
            "json",
            (".json",),
            "the records of Ludens, of every game, with variations",
            lambda text: text.lstrip()[:1] == "{" and not _has_lines(text),
            _read_json,
            format_record,
        ),
        Format(
            "jsonl",
            (".jsonl",),
            "the records of Ludens, a game a line",
            _has_lines,
            _read_lines,
            _write_line,
        ),
        Format(
            "psq",
            (".psq",),
            "Piskvork and Gomocup",
            psq.looks_like,
            psq.read,
            psq.write,
        ),
        Format(
            "sgf",
            (".sgf",),
            "gomoku in SGF, with variations",
            sgf.looks_like,
            sgf.read,
            sgf.write,
        ),
        Format(
            "renjunet",
            (".xml", ".rif"),
            "the XML of RenjuNet",
            renjunet.looks_like,
            renjunet.read,
            renjunet.write,
            renjunet.read_pieces,
        ),
        Format(
            "moves",
            (".txt",),
            "moves, a game a line, under a line that says of what game",
            strings.looks_like,
            strings.read_said,
            strings.write_top,
        ),
        Format(
            "top",
            (),
            "moves with rows counted from the top, or digits of connect four",
            lambda _: False,
            strings.read_top,
            strings.write_top,
        ),
        Format(
            "bottom",
            (),
            "moves with rows counted from the bottom, as Gomocalc has them",
            lambda _: False,
            strings.read_bottom,
            strings.write_bottom,
        ),
    )
}
SUFFIXES = {suffix: one for one in FORMATS.values() for suffix in one.suffixes}


def format_of(name: str) -> Format:
    """Return the format of a name."""
    if name not in FORMATS:
        raise UserError(f"there is no format {name!r}{nearest(name, FORMATS)}")
    return FORMATS[name]


def format_for(path: Path, name: str = "") -> Format:
    """Return the format to write a file in: the one named, or that of its suffix."""
    if name:
        return format_of(name)
    if path.suffix.lower() not in SUFFIXES:
        known = ", ".join(SUFFIXES)
        raise UserError(f"{path}: no format is known by its suffix; known: {known}")
    return SUFFIXES[path.suffix.lower()]


def read_text(text: str, asked: Asked = NO_GAME, name: str = "") -> Iterator[Record]:
    """Yield the games of a text whose format is named, or is seen by its look."""
    return map(right, _scan_text(text, asked, name))


def _scan_text(text: str, asked: Asked, name: str) -> Iterator[Found]:
    kind = format_of(name) if name else seen_format(text)
    if kind is None:
        raise UserError(f"its format is not known; known: {', '.join(FORMATS)}")
    return kind.read(text, asked)


def right(found: Found) -> Record:
    """Return a game, or raise what is wrong with it."""
    if isinstance(found, UserError):
        raise found
    return found


def seen_format(text: str) -> Format | None:
    """Return the format that a text looks like, None if none."""
    return next((one for one in FORMATS.values() if one.looks_like(text)), None)


def read_games(path: Path, asked: Asked = NO_GAME, name: str = "") -> Iterator[Found]:
    """Yield the games of a file; what is wrong with one is a line that names the file.

    Where the file itself is wrong, so that no more can be read, it is raised.
    """
    kind = format_of(name) if name else SUFFIXES.get(path.suffix.lower())
    if kind is FORMATS["json"]:
        yield load_record(path)
        return
    is_stream = kind is not None and kind.read_pieces is not None
    most = MAX_STREAM_BYTES if is_stream else MAX_BYTES
    with opened(path, most, "a file of games") as (file, size):
        try:
            if kind is not None and kind.read_pieces is not None:
                games = kind.read_pieces(_pieces(file), asked)
            else:
                text = decode(file.read(size))
                if kind is None or (kind.name == "moves" and not name):
                    kind = seen_format(text) or kind
                games = _scan_text(text, asked, kind.name if kind else "")
            for one in games:
                is_wrong = isinstance(one, UserError)
                yield UserError(f"{path}: {one}") if is_wrong else one
        except UserError as error:
            raise UserError(f"{path}: {error}") from None


def scan_games(path: Path, asked: Asked) -> Iterator[Found]:
    """Yield the games of a file, and last what is wrong with the rest of it, if so."""
    try:
        yield from read_games(path, asked)
    except UserError as error:
        yield error


def _pieces(file: BinaryIO) -> Iterator[bytes]:
    while piece := file.read(renjunet.CHUNK):
        yield piece


def load_played(
    path: Path, number: int | None = None, asked: Asked = NO_GAME, name: str = ""
) -> Record:
    """Return a game of a file, counted from 1; the only one if no number is given."""
    first = 1 if number is None else number
    found = list(islice(read_games(path, asked, name), max(0, first - 1), first + 1))
    if not found:
        raise UserError(f"{path} has no game {first:,}")
    record = right(found[0])
    if number is None and len(found) > 1:
        raise UserError(f"{path} has several games; name one by its number: --game 1")
    try:
        asked.check(record)
    except UserError as error:
        raise UserError(f"{path}: {error}") from None
    return record


def save_played(record: Record, path: Path, name: str = "") -> None:
    """Write a game; a crash leaves the old file or the new one, whole."""
    write_text(path, format_for(path, name).write(record))


def decode(content: bytes) -> str:
    """Return the text of a file, by UTF-8, the charset that it names, or gb18030."""
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError:
        pass
    said = _CHARSET.search(content[:4000])
    name = said[1].decode().lower() if said else ""
    # Files that say gb2312 often have signs that only its successor knows.
    is_chinese = name.startswith("gb") or name not in _CHARSETS
    return content.decode("gb18030" if is_chinese else name, errors="replace")
