"""Books of openings: our JSON, and the lines of c-gomoku-cli, `offset` and `pos`."""

import json
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, PrivateAttr, StrictInt

from ludens.errors import UserError, nearest
from ludens.files import read_bytes, write_text
from ludens.formats.boards import GOMOKU, SIZE, Asked, point
from ludens.formats.record import MAX_BYTES, parse_as
from ludens.formats.registry import decode
from ludens.formats.strings import name_point, read_cells
from ludens.loading.game import Game, format_spec
from ludens.loading.options import OptionValue
from ludens.state import State

MAX_OPENINGS = 10_000
MAX_MOVES = 100_000
"""Of all openings of a book."""
_NUMBER = re.compile(r"-?[0-9]{1,3}")


class BookOpening(BaseModel):
    """The moves of a game from its start, and perhaps what they lead to."""

    model_config = ConfigDict(extra="forbid")

    history: list[StrictInt]
    """Actions, and outcomes of chance where it has its turn, as in records."""
    value: Annotated[float, Field(ge=-1, le=1, allow_inf_nan=False)] | None = None
    """For the player to move, as somebody has judged it."""


class Book(BaseModel):
    """Openings of one game."""

    model_config = ConfigDict(extra="forbid")

    format: Literal["ludens-openings-1"] = "ludens-openings-1"
    game: str = Field(pattern=r"^[^/\\:]+$")
    options: dict[str, OptionValue] = Field(default_factory=dict)
    openings: Annotated[list[BookOpening], Field(min_length=1)]
    _places: list[str] = PrivateAttr(default_factory=list)
    """Where in its file each opening is, for who must say what is wrong with it."""

    @classmethod
    def of(cls, game: Game, openings: Sequence[BookOpening]) -> "Book":
        """Return a book of a game."""
        asked = Asked.of(game)
        return cls(game=asked.game, options=dict(asked.options), openings=[*openings])

    def check(self, game: Game) -> None:
        """Refuse another game, an illegal move, and an opening that ends the game."""
        asked, usual = Asked.of(game), game.declared
        said = self.options.items()
        options = {k: v for k, v in said if k not in usual or usual[k].default != v}
        if (self.game, options) != (asked.game, asked.options):
            found = format_spec(self.game, options)
            raise UserError(f"it is a book of {found}, not of {game.spec}")
        num_moves = sum(len(opening.history) for opening in self.openings)
        if len(self.openings) > MAX_OPENINGS or num_moves > MAX_MOVES:
            most = f"{MAX_OPENINGS:,} openings and {MAX_MOVES:,} moves"
            raise UserError(f"the book is too long; one has at most {most}")
        for number, opening in enumerate(self.openings):
            at = self._places[number] if self._places else f"opening {number + 1}: "
            _check_moves(game, opening.history, at)


def _check_moves(game: Game, history: Sequence[int], at: str) -> None:
    state = State(game)
    for number, step in enumerate(history, 1):
        try:
            if state.is_chance:
                state.apply_chance(step)
            else:
                state.apply(step)
        except UserError as error:
            raise UserError(f"{at}move {number}: {error}") from None
    if state.is_over:
        raise UserError(f"{at}the game is over after these moves")


@dataclass(frozen=True)
class BookFormat:
    """A format of books."""

    looks_like: Callable[[str], bool]
    read: Callable[[str, Asked], Book]
    write: Callable[[Book], str]


def _read_json(text: str, _: Asked) -> Book:
    return parse_as(Book, "a book of openings", text, "it")


def _write_json(book: Book) -> str:
    """Return a book with a line for each opening."""
    fields: dict[str, Any] = book.model_dump(exclude_none=True)
    lines = ",\n ".join(json.dumps(opening) for opening in fields.pop("openings"))
    return f'{json.dumps(fields)[:-1]}, "openings": [\n {lines}\n]}}\n'


def _read_offsets(line: str, side: int, at: str) -> Iterator[int]:
    """Yield the points of columns and rows counted from the centre, rows downwards."""
    words = line.replace(",", " ").split()
    strange = next((word for word in words if not _NUMBER.fullmatch(word)), None)
    if strange is not None:
        raise UserError(f"{at}{strange[:20]!r} is not an offset such as -3")
    if len(words) % 2:
        raise UserError(f"{at}a move is two offsets, such as 2,-1; one is left over")
    for x, y in zip(words[::2], words[1::2], strict=True):
        column, row = int(x) + side // 2, int(y) + side // 2
        yield point(column, row, side, at, f"{x},{y}")


def _write_offsets(moves: Sequence[int], side: int) -> str:
    half = side // 2
    pairs = (divmod(move, side) for move in moves)
    return ", ".join(f"{column - half},{row - half}" for row, column in pairs)


def _read_points(line: str, side: int, at: str) -> Iterator[int]:
    return read_cells("".join(line.split()), side, False, at)


def _write_points(moves: Sequence[int], side: int) -> str:
    return "".join(name_point(move, side, False) for move in moves)


def _read_lines(
    text: str, asked: Asked, read: Callable[[str, int, str], Iterator[int]]
) -> Book:
    """Return the openings of lines, of the game that is asked for."""
    if asked.game != GOMOKU:
        raise UserError(f"its lines are openings of {GOMOKU}, not of {asked.game}")
    side = int(asked.options.get("size", SIZE))
    openings: list[BookOpening] = []
    places: list[str] = []
    for number, line in enumerate(text.splitlines(), 1):
        at = f"line {number}: "
        if len(openings) > MAX_OPENINGS:
            raise UserError(f"{at}it is too long")
        if line.strip():
            openings.append(BookOpening(history=list(read(line, side, at))))
            places.append(at)
    if not openings:
        raise UserError("there is no opening in it")
    book = Book(game=asked.game, options=dict(asked.options), openings=openings)
    book._places = places
    return book


def _write_lines(book: Book, write: Callable[[Sequence[int], int], str]) -> str:
    if book.game != GOMOKU:
        raise UserError(f"lines of stones are openings of {GOMOKU}, not of {book.game}")
    side = int(book.options.get("size", SIZE))
    moves = [opening.history for opening in book.openings]
    if any(move >= side * side for one in moves for move in one):
        opening = book.options.get("opening")
        raise UserError(f"lines of stones have no words for the choices of {opening}")
    return "".join(f"{write(one, side)}\n" for one in moves)


def _begins(text: str, signs: str) -> bool:
    return re.match(rf"\s*{signs}", text, re.IGNORECASE) is not None


BOOKS = {
    "json": BookFormat(lambda text: _begins(text, r"\{"), _read_json, _write_json),
    "offset": BookFormat(
        lambda text: _begins(text, "[-0-9]"),
        lambda text, asked: _read_lines(text, asked, _read_offsets),
        lambda book: _write_lines(book, _write_offsets),
    ),
    "pos": BookFormat(
        lambda text: _begins(text, "[a-z]"),
        lambda text, asked: _read_lines(text, asked, _read_points),
        lambda book: _write_lines(book, _write_points),
    ),
}
"""By name; a file is known by how it begins."""


def book_format(name: str) -> BookFormat:
    """Return the format of a name."""
    if name not in BOOKS:
        raise UserError(f"there is no format {name!r} of books{nearest(name, BOOKS)}")
    return BOOKS[name]


def read_book(text: str, game: Game) -> Book:
    """Return the book that a text is, with openings of a game that can be played."""
    book = _kind_of(text).read(text, Asked.of(game))
    book.check(game)
    return book


def _kind_of(text: str) -> BookFormat:
    kind = next((one for one in BOOKS.values() if one.looks_like(text)), None)
    if kind is None:
        raise UserError(f"it is not a book of openings; formats: {', '.join(BOOKS)}")
    return kind


def load_text(path: Path) -> str:
    """Return the text of a file that looks like a book, of whatever game."""
    text = decode(read_bytes(path, MAX_BYTES, "a book of openings"))
    try:
        _kind_of(text)
    except UserError as error:
        raise UserError(f"{path}: {error}") from None
    return text


def load_book(path: Path, game: Game) -> Book:
    """Read a file; what is wrong with it is one line that names it."""
    text = load_text(path)
    try:
        return read_book(text, game)
    except UserError as error:
        raise UserError(f"{path}: {error}") from None


def save_book(book: Book, path: Path, name: str) -> None:
    """Write a book; a crash leaves the old file or the new one, whole."""
    write_text(path, book_format(name).write(book))
