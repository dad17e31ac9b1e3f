"""The rules of a game in words: a game's RULES read as headings, texts and boards.

RULES is text in a small part of Markdown: `## Heading`, paragraphs, `- item`, tables of
`| cell | cell |` with a header, and two kinds of lines for drawings:

    [board: STEPS]     the position after steps with `;` between them: moves, edits,
                       `setup WISH`, options such as `size=9`, `mark CELLS`
    [picture: NAME]    a drawing of the game's own, from its PICTURES
"""

import re
import shutil
import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from ludens.boards import is_grid, paint, redraw_cells
from ludens.errors import UserError, nearest
from ludens.formats.tables import text_table

if TYPE_CHECKING:
    from ludens.game import Shape
    from ludens.loading.game import Game
    from ludens.state import State

MOST_ROWS = 30
"""A table with more is shown only to those who search it."""
WIDTH = 88
Kind = Literal["heading", "text", "item", "table", "board"]


@dataclass(frozen=True)
class Block:
    """A piece of the rules."""

    kind: Kind
    text: str = ""
    """Its words; of a board, the drawing for a terminal, colours included."""
    rows: tuple[tuple[str, ...], ...] = ()
    """Of a table, the header first."""
    scene: "tuple[Shape, ...]" = ()
    """Of a board: what to draw."""


def read_rules(game: "Game") -> list[Block]:
    """Return the rules of a game piece by piece; a UserError names a bad line."""
    return [block for part in _parts(game.rules_text) for block in _read(part, game)]


def _parts(text: str) -> Iterator[list[str]]:
    """Split at empty lines, headings, items and drawings."""
    part: list[str] = []
    for line in [*text.strip().splitlines(), ""]:
        is_row = line.startswith("|")
        starts = not line.strip() or re.match(r"## |- |\[(board|picture):", line)
        if part and (starts or is_row != part[0].startswith("|") or part[0][0] in "#["):
            yield part
            part = []
        if line.strip():
            part.append(line.strip())


def _read(part: list[str], game: "Game") -> Iterator[Block]:
    words = " ".join(part)
    drawn = re.fullmatch(r"\[(board|picture):(.*)\]", words)
    if drawn:
        draw = _board if drawn[1] == "board" else _picture
        yield draw(game, drawn[2].strip())
    elif words.startswith("|"):
        rows = [tuple(c.strip() for c in row.strip("|").split("|")) for row in part]
        yield Block(
            "table", rows=tuple(row for row in rows if set("".join(row)) - {*"-: "})
        )
    elif words.startswith("## "):
        yield Block("heading", words[3:])
    else:
        kind: Kind = "item" if words.startswith("- ") else "text"
        yield Block(kind, words.removeprefix("- "))


def _picture(game: "Game", name: str) -> Block:
    pictures = game.plain.PICTURES
    if name not in pictures:
        raise UserError(f"PICTURES has no {name!r}{nearest(name, pictures)}")
    text, scene = pictures[name]
    return Block("board", text, scene=tuple(scene))


def _board(game: "Game", written: str) -> Block:
    """Draw a position; what lies beside the board is only in the text."""
    steps = [step.strip() for step in written.split(";") if step.strip()]
    try:
        state, marked = _position(game, steps)
    except (UserError, ValueError) as error:
        raise UserError(f"[board: {written}] cannot be drawn: {error}") from None
    shapes = [shape for shape in state.scene() if not shape.part]
    marks = [_mark(shape) for shape in shapes if shape.choice in marked]
    text = state.draw()
    if is_grid(text):
        text = redraw_cells(text, dict.fromkeys(marked, lambda _: paint("*", "red")))
    return Block("board", text, scene=(*shapes, *dict.fromkeys(marks)))


def _position(game: "Game", steps: Sequence[str]) -> "tuple[State, set[str]]":
    changed = dict(step.split("=", 1) for step in steps if "=" in step)
    plain = game.variant(changed)
    wishes = [step[6:] for step in steps if step.startswith("setup ")]
    state = plain.new(0, wishes[0] if wishes else "")
    edits = {form.split()[0] for form in plain.plain.EDITS}
    marked: set[str] = set()
    for step in steps:
        verb = step.split()[0]
        if verb == "mark":
            marked |= set(step.split()[1:])
        elif verb in edits:
            state.edit(step)
        elif verb != "setup" and "=" not in step:
            state.apply_moves(step)
    return state, marked


def _mark(shape: "Shape") -> "Shape":
    """Return a mark in the middle of a shape."""
    from ludens.game import Shape

    count = len(shape.points)
    x, y = (sum(point[axis] for point in shape.points) / count for axis in (0, 1))
    return Shape("disc", ((x, y),), "won", "marked", size=0.2)


def find_rows(rows: Sequence[Sequence[str]], words: str) -> list[Sequence[str]]:
    """Return the rows that have every word, which may name its column: level=3."""
    head, *body = rows
    return [row for row in body if all(_has(head, row, w) for w in words.split())]


def find_in_tables(game: "Game", words: str) -> list[list[Sequence[str]]]:
    """Return the tables of the rules, each with its header and the rows that match."""
    tables = [block.rows for block in read_rules(game) if block.rows]
    found = [[rows[0], *find_rows(rows, words)] for rows in tables]
    return [rows for rows in found if len(rows) > 1]


def _has(head: Sequence[str], row: Sequence[str], word: str) -> bool:
    column, equals, value = word.lower().partition("=")
    if equals:
        pairs = zip(head, row, strict=False)
        return any(h.lower() == column and c.lower() == value for h, c in pairs)
    return column in " ".join(row).lower()


def rules_as_text(blocks: Sequence[Block], colourful: bool, more: str = "") -> str:
    """Return the rules for a terminal; `more` says how a long table is searched."""
    shown = [_as_text(block, colourful, more) for block in blocks]
    kinds = [block.kind for block in blocks]
    pairs = zip(["heading", *kinds], kinds, strict=False)
    gaps = [
        "\n" * (old != "heading" and (old, new) != ("item", "item"))
        for old, new in pairs
    ]
    return "\n".join(f"{gap}{text}" for gap, text in zip(gaps, shown, strict=True))


def _as_text(block: Block, colourful: bool, more: str) -> str:
    if block.kind == "board":
        text = block.text if colourful else re.sub(r"\x1b\[\d+m", "", block.text)
        return textwrap.indent(text, "    ")
    if block.kind == "table":
        if len(block.rows) > MOST_ROWS:
            return f"  {len(block.rows) - 1} rows: {', '.join(block.rows[0])}. {more}"
        return textwrap.indent(text_table(block.rows, len(block.rows[0])), "  ")
    if block.kind == "heading":
        return f"\x1b[1m{block.text}\x1b[0m" if colourful else block.text
    first = "  - " if block.kind == "item" else "  "
    width = min(shutil.get_terminal_size((WIDTH, 24)).columns, WIDTH)
    rest = " " * len(first)
    return textwrap.fill(
        block.text, width, initial_indent=first, subsequent_indent=rest
    )
