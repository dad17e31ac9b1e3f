"""The XML of RenjuNet: many games of renju in a file, rows counted from the bottom."""

from collections.abc import Iterable, Iterator
from html import escape
from typing import Any
from xml.parsers.expat import ExpatError, ParserCreate

from ludens.errors import UserError
from ludens.formats.boards import (
    GOMOKU,
    SIZE,
    Asked,
    Found,
    one_line,
    require_moves,
    side_of,
)
from ludens.formats.record import Record
from ludens.formats.strings import name_point, read_cells

CHUNK = 1 << 16
_RESULTS = {"1": 1, "0.5": 0, "0": -1}
"""What black has."""
_MOST_WORDS = 10_000
"""Characters of the moves of one game."""
_MOST_PLAYERS = 100_000
_MANY = f"it has more than {_MOST_PLAYERS:,} players"
_MOST_DEPTH = 100
"""Of elements in elements, of which the parser remembers each."""
_MOST_TAG = 1 << 20
"""Bytes of a tag, which the parser reads again from its start with each piece."""


def looks_like(text: str) -> bool:
    """Tell whether a text is XML with games in it."""
    return text.lstrip()[:5] == "<?xml" or text.lstrip()[:5].lower() in (
        "<data",
        "<game",
    )


def read(text: str, asked: Asked) -> Iterator[Found]:
    """Yield the games of a text."""
    pieces = (text[start : start + CHUNK] for start in range(0, len(text), CHUNK))
    return read_pieces(pieces, asked)


def read_pieces(pieces: Iterable[str | bytes], asked: Asked) -> Iterator[Found]:
    """Yield the games of a file, however large; players are those that it lists."""
    reader = _Reader(asked)
    for piece in pieces:
        yield from reader.feed(piece, False)
    yield from reader.feed(b"", True)
    if not reader.num_games:
        raise UserError("line 1: there is no <game> in it")


class _Reader:
    """Collects games while the parser goes through a file."""

    def __init__(self, asked: Asked) -> None:
        self.asked = asked
        self.num_games = 0
        self._games: list[Found] = []
        self._names: dict[str, str] = {}
        self._game: dict[str, str] | None = None
        self._moves: list[str] = []
        self._size = 0
        self._depth = 0
        self._num_fed = 0
        self._is_move = False
        self._line = 0
        self._parser = ParserCreate()
        self._parser.buffer_text = True
        self._parser.StartElementHandler = self._start
        self._parser.EndElementHandler = self._end
        self._parser.CharacterDataHandler = self._text
        self._parser.StartDoctypeDeclHandler = _refuse

    def feed(self, text: str | bytes, is_end: bool) -> list[Found]:
        """Return the games that end in a piece of the file."""
        try:
            self._parser.Parse(text, is_end)
        except ExpatError as error:
            raise UserError(f"line {error.lineno}: it is not XML: {error}") from None
        except UserError:
            raise
        except (LookupError, ValueError) as error:  # an encoding that nobody knows
            raise UserError(f"line 1: it is not XML: {error}") from None
        self._num_fed += len(text)
        if self._num_fed - self._parser.CurrentByteIndex > _MOST_TAG:
            raise UserError(f"line {self._parser.CurrentLineNumber}: a tag is too long")
        games, self._games = self._games, []
        return games

    def _start(self, name: str, values: dict[str, str]) -> None:
        self._depth += 1
        if self._depth > _MOST_DEPTH:
            raise UserError(f"line {self._parser.CurrentLineNumber}: it is too deep")
        if name == "player":
            if len(self._names) >= _MOST_PLAYERS:
                raise UserError(f"line {self._parser.CurrentLineNumber}: {_MANY}")
            words = (values.get("name", ""), values.get("surname", ""))
            self._names[values.get("id", "")] = " ".join(filter(None, words))
        elif name == "game":
            self._game, self._line = values, self._parser.CurrentLineNumber
            self._moves, self._size = [], 0
        elif name == "move":
            self._is_move, self._line = True, self._parser.CurrentLineNumber

    def _text(self, text: str) -> None:
        if self._is_move:
            self._moves.append(text)
            self._size += len(text)
            if self._size > _MOST_WORDS:
                raise UserError(f"line {self._line}: the game is too long")

    def _end(self, name: str) -> None:
        self._depth -= 1
        if name == "move":
            self._is_move = False
        elif name == "game" and self._game is not None:
            try:
                self._games.append(self._record(self._game, "".join(self._moves)))
            except UserError as error:
                self._games.append(error)
            self.num_games += 1
            self._game = None

    def _record(self, values: dict[str, str], words: str) -> Record:
        at = f"line {self._line}: "
        moves = "".join(words.split())
        history = list(read_cells(moves, SIZE, True, at))
        names = [self._name(values.get(side, "")) for side in ("black", "white")]
        return Record.foreign(
            [self._line] * len(history),
            game=GOMOKU,
            options=self.asked.gomoku(SIZE, "renju"),
            players=names if any(names) else [],
            history=history,
            agreed=_RESULTS.get(values.get("bresult", "")),
        )

    def _name(self, player: str) -> str:
        return one_line(self._names.get(player, player))


def _refuse(*_: Any) -> None:
    raise UserError("line 1: a file of games has no <!DOCTYPE>")


def write(record: Record) -> str:
    """Return a game as a file with this one; variations are left out."""
    moves = require_moves(record, "RenjuNet XML", (GOMOKU,))
    side = side_of(record)
    if side != SIZE or record.options.get("rule") != "renju":
        raise UserError("RenjuNet XML has games of gomoku:rule=renju on 15x15 only")
    words = " ".join(name_point(move, side, True) for move in moves)
    result = record.result if record.agreed is None else record.agreed
    won = {value: key for key, value in _RESULTS.items()}.get(result, "")  # type: ignore[arg-type]
    names = map(one_line, record.players) if len(record.players) == 2 else ("", "")
    black, white = (escape(name) for name in names)
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n<database>\n<games>\n'
        f'<game id="1" rule="1" black="{black}" white="{white}" bresult="{won}">'
        f"<move>{words}</move></game>\n</games>\n</database>\n"
    )
