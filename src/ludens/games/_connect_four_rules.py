"""The rules of connect four in words."""

from ludens.games._connect_four_board import COLUMNS, CONNECT, ROWS

_WAYS = ["1", "2"] * (CONNECT - 1)
_CAN_STACK = ROWS >= CONNECT and COLUMNS > 1
_WON = f"Here X has won:\n\n[board: {' '.join([*_WAYS, '1'])}]" if _CAN_STACK else ""
RULES = f"""\
## Aim
Get {CONNECT} discs of your own in a row: across, up or along a diagonal.

## Board
An upright board of {COLUMNS} columns and {ROWS} rows. Columns are numbered from the
left.

## Moves
X begins, then both take turns. A move drops a disc into a column that is not full; it
falls onto the highest disc there, or to the bottom.

## End
Whoever completes a row of {CONNECT} or more wins at once. If the board fills up without
one, the game is a draw. {_WON}

## Notation
A move is the number of its column, 1 to {COLUMNS}. Games may be written without spaces:
`{"".join(_WAYS[: 2 * min(CONNECT, COLUMNS, 3)])}`.

## Numbers of actions
Action k is column k + 1: there are {COLUMNS}, from 0 to {COLUMNS - 1}.
"""
