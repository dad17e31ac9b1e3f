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
from ludens.formats.boards import Asked
from ludens.formats.record import Record
from ludens.formats.registry import format_for, load_played
from ludens.loading.game import Game

from .outcome import Outcome
from .refusals import why_not_refused

NUMBER = 400_000
"""100,000 of each kind."""
HONEST = {
    ".psq": "Piskvorky 15x15, 11:11, 0\n8,8,0\n9,8,15\n8,9,12\nann\nbob\n0\n",
    ".sgf": "(;GM[4]FF[4]CA[gb2312]SZ[15]PB[a]RE[B+];B[hh](;W[ig];B[gi])(;AB[aa:bb]))",
    ".txt": "# gomoku:size=9; rows from the top\na1b2c3d4\na1b2c3\n",
    ".xml": '<?xml version="1.0" encoding="UTF-8"?><database><player id="7" name="A"/>'
    '<game black="7" bresult="1"><move>h8 i9 j10</move></game></database>',
}
"""By suffix."""
WORDS = (
    *("[", "]", "(", ")", ";", "\\", "<", "/>", "#", "\n", "\x00", "\x1b[2J", "\u202e"),
    *("&#0;", "&#x1b;", "<!DOCTYPE a [<!ENTITY a 'b'>]>", "<game>", "</game>"),
    *("-1", "0", "99999999999", "9" * 5000, "1e9", "tt", "B[", "AB[aa:oo]", "PL[W]"),
    *("SZ[99]", "SZ[0]", "size=", "rule=x", "a" * 5000, "(" * 3000, "<a>" * 3000),
)


def run(n: int, seed: int) -> Outcome:
    """Read damaged files of games; say of each that did harm."""
    failures = []
    plain = {"LUDENS_COMPILE": "0"}  # sizes and rules without end would be compiled
    with TemporaryDirectory() as folder, patch.dict(os.environ, plain):
        for number in range(n):
            rng = random.Random(f"{seed} {number}")
            suffix, content = damaged(rng)
            path = Path(folder) / f"game{suffix}"
            path.write_bytes(content)
            load = partial(read, path)
            if why := why_not_refused(load, len(content), may_pass=True):
                failures.append(f"{number}: {suffix}: {why}")
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
    [again] = kind.read(text, Asked())
    if kind.write(_settle(again)) != text:
        raise AssertionError(f"it is not the same again: {text[:100]!r}")


def _settle(record: Record) -> Record:
    game = _game(record.game, tuple(sorted(record.options.items())))
    return record.settled(game)


@cache
def _game(name: str, options: tuple[tuple[str, bool | int | float | str], ...]) -> Game:
    return Record(game=name, options=dict(options), history=[]).load_game()


def damaged(rng: random.Random) -> tuple[str, bytes]:
    """Return a file that was honest, and the suffix that it has, seldom another."""
    suffix = rng.choice(list(HONEST))
    content = bytearray(HONEST[suffix].encode())
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
    return rng.choice((*[suffix] * 9, ".rif", *HONEST)), bytes(content)
