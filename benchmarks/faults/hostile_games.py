"""Games in files of other programs that somebody damaged or made up.

What is not refused is replayed: a file that another program would mend may be read. It
is written in its own format, too, and must read the same again.
"""

import os
import random
from functools import cache, partial
from pathlib import Path
from tempfile import TemporaryDirectory
from unittest.mock import patch

from ludens.errors import UserError
from ludens.formats.record import Record
from ludens.formats.registry import format_for, load_played, read_text
from ludens.loading.game import Game
from ludens.loading.options import OptionValue

from .outcome import Outcome
from .refusals import why_not_refused

NUMBER = 700_000
"""100,000 of each format."""
MOST_BYTES = 64 * 2**20
HONEST = {
    "psq": "Piskvorky 15x15, 11:11, 0\n8,8,0\n9,8,15\n8,9,12\nann\nbob\n0\n",
    "sgf": "(;GM[4]FF[4]CA[gb2312]SZ[15]PB[a]RE[B+];B[hh](;W[ig];B[gi])(;AB[aa:bb]))",
    "renjunet": '<?xml version="1.0" encoding="UTF-8"?><database><player id="7" '
    'name="A"/><game black="7" bresult="1"><move>h8 i9 j10</move></game></database>',
    "top": "# gomoku:size=9; rows from the top\na1b2c3d4\na1b2c3\n",
    "bottom": "# tic_tac_toe; rows from the bottom\nb2a1c3\n",
    "columns": "# connect_four:rows=5\n445332\n",
    "json": '{"format": "ludens-record-1", "game": "tic_tac_toe", "options": {},'
    ' "players": ["ann", "bob"], "history": ["set a1 first", 4, 8, 2], "variations":'
    ' [{"of": 0, "at": 2, "history": [1, 7]}, {"of": 1, "at": 3, "history": [6]}]}',
}
"""A file of each format."""
SUFFIXES = {"psq": ".psq", "sgf": ".sgf", "renjunet": ".xml", "json": ".json"}
"""All others are text."""
FORMATS = (*HONEST,)
WORDS = (
    *("[", "]", "(", ")", ";", "\\", "<", "/>", "#", "\n", "\x00", "\x1b[2J", "\u202e"),
    *("&#0;", "&#x1b;", "<!DOCTYPE a [<!ENTITY a 'b'>]>", "<game>", "</game>"),
    *("-1", "0", "99999999999", "9" * 5000, "1e9", "tt", "B[", "AB[aa:oo]", "PL[W]"),
    *("SZ[99]", "SZ[0]", "size=", "rule=x", "a" * 5000, "(" * 3000, "<a>" * 3000),
    *("{", "}", '"', ",", ":", "[" * 3000, "NaN", "null", "1.5"),
    *('"size": 7', '"of": 1'),
)


def run(n: int, seed: int) -> Outcome:
    """Read damaged files of games; say of each that did harm."""
    failures = []
    plain = {"LUDENS_COMPILE": "0"}  # sizes and rules without end would be compiled
    with TemporaryDirectory() as folder, patch.dict(os.environ, plain):
        for number in range(n):
            rng = random.Random(f"{seed} {number}")
            name = FORMATS[number % len(FORMATS)]
            path = Path(folder) / f"game{suffix(rng, name)}"
            content = damaged(rng, HONEST[name].encode())
            path.write_bytes(content)
            load = partial(read, path)
            if why := why_not_refused(load, len(content), True, MOST_BYTES):
                failures.append(f"{number}: {name}: {why}")
    return Outcome("hostile_games", n, failures)


def read(path: Path) -> None:
    """Read the first game of a file as commands do, replay it and write it."""
    record = _settle(load_played(path, 1))
    if not record.history:
        return  # nobody writes down a game without a move
    kind = format_for(path)
    try:
        text = kind.write(record)
    except UserError:
        return  # the format has no words for it
    [again] = read_text(text, name=kind.name)
    if kind.write(_settle(again)) != text:
        raise AssertionError(f"it is not the same again: {text[:100]!r}")


def _settle(record: Record) -> Record:
    game = _game(record.game, tuple(sorted(record.options.items())))
    if isinstance(game, str):
        raise UserError(game)
    return record.settled(game)


@cache
def _game(name: str, options: tuple[tuple[str, OptionValue], ...]) -> Game | str:
    """Return a game, or why there is none: most of the time would be spent on it."""
    try:
        return Record(game=name, options=dict(options), history=[]).load_game()
    except UserError as error:
        return str(error)


def suffix(rng: random.Random, name: str) -> str:
    """Return the suffix of a format, seldom another."""
    own = SUFFIXES.get(name, ".txt")
    return rng.choice((*[own] * 40, ".rif", "", *SUFFIXES.values(), ".txt"))


def damaged(rng: random.Random, honest: bytes) -> bytes:
    """Return an honest file with some bytes more, fewer or other."""
    content = bytearray(honest)
    for _ in range(rng.choice((1, 1, 2, 4, 8))):
        at = rng.randrange(len(content) + 1)
        match rng.randrange(4):
            case 0:
                content[at:at] = rng.choice(WORDS).encode()
            case 1:
                del content[at : at + rng.choice((1, 3, 20))]
            case 2:
                content[at : at + 1] = rng.randbytes(1)
            case _:
                before = content[max(0, at - rng.choice((5, 30, 100))) : at]
                content[at:at] = before * rng.choice((1, 2, 50))
    return bytes(content)
