"""The rules of Pyrga in words."""

from ludens.games._pyrga_board import (
    ARROW_MUST_POINT_INSIDE,
    NO_SECOND_SQUARE,
    STOCK,
    TIEBREAK,
    TOWERS_TO_WIN,
)

INSIDE = (
    "An arrow on the edge may not point off the board."
    if ARROW_MUST_POINT_INSIDE
    else "It may point off the board; then there is no such cell (see the exception)."
)
SECOND = (
    """
If the first player's first piece was a square, his second one may not be a square."""
    if NO_SECOND_SQUARE
    else ""
)
FIRST_TO = (
    f"Whoever first owns {TOWERS_TO_WIN} tower{'s' * (TOWERS_TO_WIN > 1)} wins. "
    if TOWERS_TO_WIN
    else ""
)
EQUAL = (
    "If the towers are equal, cells with two pieces of one player and none of the other"
    " count; if those are equal, cells with a single piece; if those are equal too, the"
    " game is a draw."
    if TIEBREAK == "stacks"
    else "If both own the same number, the game is a draw."
)
RULES = f"""\
## Aim
Own more towers than your opponent. A tower is a cell with three pieces, and it belongs
to whoever placed two or three of them.

## Board
Four by four cells. Columns have letters from the left, rows have numbers from the top.
Each player has {STOCK} squares, {STOCK} circles and {STOCK} arrows. At the terminal S,
C and A are the first player's, s, c and a the second player's; `[ ]` stands around the
cells that the last move allows.

## Moves
The first move may go anywhere. A move puts a piece from your stock on a cell. A cell
takes at most one square, one circle and one arrow, whoever owns them, so never more
than three pieces.{SECOND}

The last piece placed, by either player, says where the next one goes.

- Square: onto a cell next to it: above, below, left or right.

[board: Sb2; mark b1 a2 c2 b3]

- Circle: onto the same cell.

[board: Cb2; mark b2]

- Arrow: onto any cell in the direction that it points to, up to the edge, but not its
own cell. Its owner chooses the direction: up, right, down or left. {INSIDE}

[board: Ab2r; mark c2 d2]

Exception: if nothing can be placed where the last piece says, any piece from your stock
may go on any empty cell.

## End
The game ends when the player to move cannot place anything, and no game has more than
{6 * STOCK} moves. {FIRST_TO}Whoever owns more towers at the end wins. {EQUAL}

Here the first player owns the tower on b2, with two of its three pieces:

[board: put b2 first square; put b2 second circle; put b2 first up; put c2 second down]

## Notation
The first letter of the piece, the cell and, for an arrow, the first letter of its
direction: `Sb2`, `Cc3`, `Aa1r`.

## Numbers of actions
Cells are numbered row by row: a1 is 0, b1 is 1, a2 is 4, d4 is 15.

| actions | piece |
|---|---|
| 0 to 15 | a square on cell k |
| 16 to 31 | a circle on cell k - 16 |
| 32 to 95 | an arrow on cell (k - 32) // 4; (k - 32) % 4 is up, right, down, left |
"""
