"""Tables of text: aligned for a screen, or as Markdown."""

import textwrap
from collections.abc import Iterator, Sequence

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
