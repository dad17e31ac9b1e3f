"""The rules of gomoku in words."""

from ludens.boards import cell_name
from ludens.games._gomoku_board import (
    CARO,
    CELLS,
    CENTRE,
    FREESTYLE,
    RENJU,
    RIF,
    ROW,
    SIZE,
    SWAP2,
)


def board(black: str, white: str = "", marked: str = "") -> str:
    """Return the line that draws stones on a small board."""
    stones = [f"set {at} first" for at in black.split()]
    stones += [f"set {at} second" for at in white.split()]
    mark = [f"mark {marked}"] if marked else []
    return f"[board: {'; '.join(['size=9', 'opening=free', *stones, *mark])}]"


if FREESTYLE:
    WINS = f"A row of {ROW} or more stones of one colour wins, for both players alike."
elif CARO:
    WINS = f"""\
A row of exactly {ROW} stones wins, unless it is blocked: the opponent's stones stand
at both of its ends. The edge of the board does not block. Here black's row on line 5 is
blocked and does not win:

{board("c5 d5 e5 f5 g5", "b5 h5 a1 b1")}"""
elif RENJU:
    WINS = f"""\
White wins by a row of {ROW} or more. Black wins by a row of exactly {ROW}, and some
moves are forbidden to
black (see Fouls)."""
else:
    WINS = f"A row of exactly {ROW} stones wins; a longer one is worth nothing."

FOULS = f"""
## Fouls
Only black can commit a foul, and only by the stone just played. A move that makes
exactly five is never a foul. The engine does not offer forbidden points; a record that
plays one has lost there.

Overline: a row of six or more. The marked point, f5, would make six.

{board("c5 d5 e5 g5 h5", "", "f5")}

Double four: two fours at once. A four is a row that one more stone makes exactly five.
The point f5 makes one across and one down.

{board("c5 d5 e5 f2 f3 f4", "", "f5")}

Two fours may stand in one line, too: with e5, both c5 and g5 would make five.

{board("b5 d5 f5 h5", "", "e5")}

Double three: two threes at once. A three is a row that one more legal stone makes an
open four, which has a point for five at both ends. The point f5 makes one across and
one down.

{board("d5 e5 f3 f4", "", "f5")}

A three counts only if that stone is not forbidden itself. A four together with one
three is allowed. If every empty point is forbidden to black, the game is a draw.
"""

if CENTRE:
    OPENING = "The first stone goes on the centre of the board."
elif SWAP2:
    OPENING = """\
The players first choose their colours, by swap2. The first player puts three stones:
black, white, black. The second player stays white (`stay`), takes black (`swap`), or
puts two more, white and black (`more`), and leaves the choice to the first player, who
keeps black (`stay`) or takes white (`swap`). Then white moves."""
elif RIF:
    OPENING = f"""\
The game begins by the opening rule of the Renju International Federation (RIF) from
1996 to 2008.

- The first player puts three stones: a black one on the centre, a white one next to
it (diagonally, too), a black one within the central 5x5.
- The second player stays white (`stay`) or takes black (`swap`).
- White puts the fourth stone anywhere.
- Black offers two points for the fifth stone, one after the other. If a
turn or a reflection of the board leaves all stones in place, two points that it takes
to each other count as one, and may not both be offered.
- White puts the black stone on one of the two points, and then the sixth stone.

Here c5 and g5 may not both be offered: the board mirrored left to right is the same.

{board("e5 e7", "e4 e3")}"""
else:
    OPENING = "The first stone may go anywhere."

CHOICES = ""
if SWAP2:
    CHOICES = (
        f" Actions {CELLS}, {CELLS + 1} and {CELLS + 2} are `stay`, `swap` and `more`."
    )
elif RIF:
    CHOICES = (
        f" Actions {CELLS} and {CELLS + 1} are `stay` and `swap`. Offering a point and"
        " picking it are the action of that point."
    )
BLACK = " ".join(cell_name(3, i) for i in range(ROW))
WHITE = " ".join(cell_name(5, i) for i in range(1, ROW))
WON = f"Here black has won:\n\n{board(BLACK, WHITE)}" if ROW < 9 else ""
FIFTH = cell_name(0, min(4, SIZE - 1))
RULES = f"""\
## Aim
Get {ROW} stones of your colour in a row: across, down or along a diagonal.

## Board
{SIZE} by {SIZE} points. Columns have letters from the left, rows have numbers from the
top.

## Moves
Black (X) begins, then both take turns. A move puts a stone on an empty point, where it
stays. {OPENING}

## End
{WINS}

A full board without a winner is a draw. {WON}
{FOULS if RENJU else ""}
## Notation
A move is the name of its point: `{cell_name(SIZE // 2, SIZE // 2)}`.

## Numbers of actions
Actions 0 to {CELLS - 1} are the points row by row: a1 is 0, {FIFTH} is
{min(4, SIZE - 1)}, a2 is {SIZE}.{CHOICES}
"""
