"""Moves as text, a game a line: h8i9j7 with rows from the top or the bottom, 4453."""

import re
from collections.abc import Iterator

from ludens.errors import UserError
from ludens.formats.boards import (
    CONNECT_FOUR,
    GOMOKU,
    RULE,
    SIZE,
    TIC_TAC_TOE,
    Asked,
    Found,
    point,
    require_moves,
    side_of,
)
from ludens.formats.record import MAX_STEPS, Record
from ludens.loading.game import format_spec, parse_spec
from ludens.loading.options import OptionValue

TOP, BOTTOM = "rows from the top", "rows from the bottom"
_HEAD = re.compile(
    r"#\s*(\w+(?::[^\s;]*)?)\s*(?:;\s*(rows from the (?:top|bottom)))?\s*"
)
_CELL = re.compile(r"([a-t])(\d{1,2})", re.IGNORECASE)
_WHICH = "say from where its rows are counted: --format top or --format bottom"
_GAMES = (GOMOKU, TIC_TAC_TOE, CONNECT_FOUR)
MAX_GAMES = 20_000


def looks_like(text: str) -> bool:
    """Tell whether the first line is a header of ours, or moves."""
    first = text.lstrip()[:400].split("\n")[0].strip()
    words = re.sub(r"[\s,]", "", first)
    return bool(
        _HEAD.fullmatch(first) or re.fullmatch(r"\d+|([a-tA-T]\d{1,2})+", words)
    )


def read_top(text: str, asked: Asked) -> Iterator[Found]:
    """Yield games whose rows are counted from the top, as Ludens does."""
    return _read(text, asked, TOP)


def read_bottom(text: str, asked: Asked) -> Iterator[Found]:
    """Yield games whose rows are counted from the bottom, as Gomocalc does."""
    return _read(text, asked, BOTTOM)


def read_said(text: str, asked: Asked) -> Iterator[Found]:
    """Yield games whose file says from where rows are counted."""
    return _read(text, asked, "")


def _read(text: str, asked: Asked, rows: str) -> Iterator[Found]:
    for number, line in enumerate(text.splitlines(), 1):
        words, at = line.strip(), f"line {number}: "
        moves = "".join(line.replace(",", " ").split())
        if head := _HEAD.fullmatch(words):
            asked, rows = _asked(head[1], asked, at), head[2] or rows
        elif moves and not words.startswith("#"):
            if len(moves) > 4 * MAX_STEPS or number > MAX_GAMES:
                raise UserError(f"{at}it is too long")
            try:
                yield _game(moves, asked, rows, number)
            except UserError as error:
                yield error


def _asked(spec: str, asked: Asked, at: str) -> Asked:
    """Return the game that a header names."""
    try:
        name, options = parse_spec(spec)
    except UserError as error:
        raise UserError(f"{at}{error}") from None
    if name not in _GAMES:
        raise UserError(f"{at}there are no files of moves of {name[:40]!r}")
    said = {key: _number(value) for key, value in options.items()}
    if name != GOMOKU:
        return Asked(name, said)
    size, rule = said.pop("size", SIZE), said.pop("rule", RULE)
    if not isinstance(size, int):
        raise UserError(f"{at}size cannot be {size!r}")
    known = asked.options if asked.game == name else {}
    return Asked(name, Asked(name, {**known, **said}).gomoku(size, str(rule)))


def _number(value: OptionValue) -> OptionValue:
    text = str(value)
    return int(text) if text.isdecimal() and len(text) < 5 else value


def _game(moves: str, asked: Asked, rows: str, number: int) -> Record:
    at = f"line {number}: "
    name = asked.game or (CONNECT_FOUR if moves[0].isdigit() else GOMOKU)
    options = asked.options if asked.game else {}
    empty = Record(game=name, options=dict(options), history=[])
    if name == CONNECT_FOUR:
        history = _columns(moves, at)
    elif name in _GAMES:
        if not rows:
            raise UserError(f"{at}{_WHICH}")
        history = list(read_cells(moves, side_of(empty), rows == BOTTOM, at))
    else:
        raise UserError(f"{at}there are no files of moves of {name}")
    lines = [number] * len(history)
    return Record.foreign(lines, game=name, options=dict(options), history=history)


def _columns(moves: str, at: str) -> list[int]:
    """Return the columns of digits, which count from 1."""
    strange = next((digit for digit in moves if digit not in "123456789"), "")
    if strange:
        raise UserError(f"{at}{strange!r} is not a column such as 4")
    return [int(digit) - 1 for digit in moves]


def read_cells(moves: str, side: int, is_from_bottom: bool, at: str) -> Iterator[int]:
    """Yield the actions of points that are run together."""
    start = 0
    while start < len(moves):
        cell = _CELL.match(moves, start)
        if cell is None:
            raise UserError(
                f"{at}{moves[start : start + 10]!r} is not a move such as h8"
            )
        column, row = ord(cell[1].lower()) - ord("a"), int(cell[2])
        down = side - row if is_from_bottom else row - 1
        yield point(column, down, side, at, cell[0])
        start = cell.end()


def write_top(record: Record) -> str:
    """Return a game with rows from the top, or columns."""
    return _write(record, TOP)


def write_bottom(record: Record) -> str:
    """Return a game with rows from the bottom."""
    return _write(record, BOTTOM)


def _write(record: Record, rows: str) -> str:
    moves = require_moves(record, "a line of moves", _GAMES)
    head = f"# {format_spec(record.game, record.options)}"
    if record.game == CONNECT_FOUR:
        return f"{head}\n{''.join(str(move + 1) for move in moves)}\n"
    side = side_of(record)
    words = (name_point(move, side, rows == BOTTOM) for move in moves)
    return f"{head}; {rows}\n{''.join(words)}\n"


def name_point(move: int, side: int, is_from_bottom: bool) -> str:
    """Return a point as a letter and the number of its row."""
    row, column = divmod(move, side)
    return f"{chr(ord('a') + column)}{side - row if is_from_bottom else row + 1}"
