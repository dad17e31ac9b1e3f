"""Tables: aligned text for a screen, Markdown, HTML."""

import textwrap
from collections.abc import Iterator, Sequence
from html import escape

Row = Sequence[str]
LEAST_WIDTH = 20
"""A last column is never folded to less."""


def text_table(rows: Sequence[Row], num_words: int = 1, width: int = 0) -> str:
    """Return rows under a header: the first columns, words, left, numbers right.

    With a width, the last column is folded to fit, if it has words.
    """
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    if width and num_words >= len(widths):
        room = width - sum(widths[:-1]) - 2 * (len(widths) - 1)
        widths[-1] = min(widths[-1], max(LEAST_WIDTH, room))
        rows = [folded for row in rows for folded in _fold(row, widths[-1])]
    sides = ["<"] * num_words + [">"] * (len(widths) - num_words)
    return "\n".join(
        "  ".join(
            f"{cell:{side}{size}}"
            for cell, side, size in zip(row, sides, widths, strict=False)
        ).rstrip()
        for row in rows
    )


def _fold(row: Row, width: int) -> Iterator[Row]:
    """Yield a row, and others below it for what does not fit into its last cell."""
    first, *rest = textwrap.wrap(row[-1], width, break_on_hyphens=False) or [""]
    yield (*row[:-1], first)
    for line in rest:
        yield (*[""] * (len(row) - 1), line)


def markdown_table(rows: Sequence[Row]) -> str:
    """Return rows under a header as Markdown."""
    head, *body = rows
    table = [head, ["---"] * len(head), *body]
    return "\n".join(f"| {' | '.join(row)} |" for row in table)


def html_table(rows: Sequence[Row], num_words: int = 0) -> str:
    """Return rows under a header as HTML; columns after the words have numbers."""
    head, *body = rows
    titles = "".join(f"<th>{escape(title)}</th>" for title in head)
    lines = "".join(f"<tr>{_html_cells(row, num_words)}</tr>" for row in body)
    return f"<table><thead><tr>{titles}</tr></thead><tbody>{lines}</tbody></table>"


def _html_cells(row: Row, num_words: int) -> str:
    looks = [""] * num_words + [' class="number"'] * max(0, len(row) - num_words)
    cells = zip(row, looks, strict=False)
    return "".join(f"<td{look}>{escape(cell)}</td>" for cell, look in cells)
