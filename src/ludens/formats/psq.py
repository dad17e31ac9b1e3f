"""PSQ, the files of Piskvork and Gomocup: columns and rows from 1, the top left."""

import re
from collections.abc import Iterator

from ludens.errors import UserError
from ludens.formats.boards import (
    GOMOKU,
    RULES,
    Asked,
    check_side,
    find_rule,
    one_line,
    point,
    require_moves,
    side_of,
)
from ludens.formats.record import MAX_STEPS, Record

_HEAD = re.compile(r"\s*Piskvorky\s+(\d{1,9})x(\d{1,9})\b", re.IGNORECASE)
_MOVE = re.compile(r"(-?\d{1,9})\s*,\s*(-?\d{1,9})\s*(?:,\s*-?\d{1,18}\s*)?")
_CODE = re.compile(r"-?\d{1,9}")
_TOURNAMENT = re.compile(r"\d{1,9}\s*,(.*\D.*)")
_BITS = dict(zip(RULES, (0, 1, 4, 8), strict=True))
"""How INFO rule of the Gomocup protocol names the rules."""


def looks_like(text: str) -> bool:
    """Tell whether a text begins as these files do."""
    return _HEAD.match(text) is not None


def read(text: str, asked: Asked) -> Iterator[Record]:
    """Yield the game of a file: a header, moves, players, a code, a tournament."""
    lines = [line.strip() for line in text.splitlines()]
    head = _HEAD.match(lines[0]) if lines else None
    if head is None:
        raise UserError("line 1: it does not begin as 'Piskvorky 15x15, 0:0, 0'")
    side = check_side(head[1], head[2], "line 1: ")
    moves, end = [], 1
    while end < len(lines) and (move := _MOVE.fullmatch(lines[end])):
        column, row = (int(number) - 1 for number in move.groups())
        moves.append(point(column, row, side, f"line {end + 1}: ", lines[end]))
        end += 1
        if end > MAX_STEPS:
            raise UserError(f"line {end}: it has more than {MAX_STEPS:,} moves")
    players, rule = _read_tail(lines, end)
    yield Record.foreign(
        list(range(2, end + 1)),
        game=GOMOKU,
        options=asked.gomoku(side, rule),
        players=players,
        history=moves,
    )


def _read_tail(lines: list[str], start: int) -> tuple[list[str], str]:
    """Return players and rule from what follows the moves, and refuse a broken move."""
    rest = list(enumerate(lines[start:], start + 1))
    names: list[str] = []
    for number, line in rest:
        if _CODE.fullmatch(line):
            break
        is_broken = _MOVE.match(line) and line.count(",") >= 2
        if is_broken or (len(names) == 2 and line):
            raise UserError(f"line {number}: {line[:40]!r} is not a move such as 8,8,0")
        names += [line] if line else []
    last = next((line for _, line in reversed(rest) if line), "")
    tournament = _TOURNAMENT.fullmatch(last)
    rule = find_rule(tournament[1]) if tournament else ""
    return names if len(names) == 2 else [], rule


def write(record: Record) -> str:
    """Return a game as Piskvork writes it; variations are left out."""
    moves = require_moves(record, "PSQ", (GOMOKU,))
    side = side_of(record)
    lines = [f"Piskvorky {side}x{side}, 0:0, 0"]
    lines += [f"{move % side + 1},{move // side + 1},0" for move in moves]
    if len(record.players) == 2:
        lines += map(_name, record.players)
    lines += ["0"]
    rule = str(record.options.get("rule", ""))
    lines += [f"{_BITS[rule]},{rule}"] if rule else []
    return "\n".join(lines) + "\n"


def _name(player: str) -> str:
    """Return a name that no reader takes for a move or a code."""
    words = one_line(player.replace(",", " "))
    return f"player {words}".strip() if not words or _CODE.fullmatch(words) else words
