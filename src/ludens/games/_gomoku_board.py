"""The board of gomoku: its options, its lines, and the rows that win."""

import numpy as np
from numpy.typing import NDArray

from ludens.boards import square_symmetries
from ludens.game import option, require, rule

SIZE = option("size", 15, "points on a side of the board", low=5, high=20)
ROW = option("row", 5, "stones in a row that win", low=3, high=20)
NAMES = ("freestyle", "standard", "renju", "caro")
RULE = option("rule", "freestyle", "which rows win, and renju's fouls", choices=NAMES)
HISTORY = option("history", 0, "past moves of each side to observe", low=0, high=8)
THREATS = option(
    "threats",
    True,
    "observe the points that make fours and threes, and renju's fouls",
    only_observed=True,
)
OPENINGS = ("free", "centre", "swap2", "rif")
OPENING = option(
    "opening",
    "free",
    "the first stone anywhere, or on the centre; swap2, or renju's rif, with a swap",
    choices=OPENINGS,
)
require(ROW <= SIZE, f"row cannot be {ROW} on a board of size {SIZE}")
require(ROW == 5 or RULE in NAMES[:2], f"row cannot be {ROW}: in {RULE} it is 5")
require(ROW > 3 or OPENING != "swap2", "row cannot be 3: swap2 would put a whole row")
require(
    RULE == "renju" or OPENING != "rif", "opening cannot be rif: it is for rule=renju"
)
require(SIZE % 2 == 1 or OPENING != "rif", f"size cannot be {SIZE}: rif needs a centre")

FREESTYLE, _, RENJU, CARO = (name == RULE for name in NAMES)
_, CENTRE, SWAP2, RIF = (name == OPENING for name in OPENINGS)
CELLS = SIZE * SIZE
POINTS = [divmod(cell, SIZE) for cell in range(CELLS)]
IMAGE = square_symmetries(SIZE)
"""[symmetry, cell]: where a symmetry takes a cell."""

Board = NDArray[np.int8]
"""[CELLS]: 1 for a black stone, -1 for a white one, 0 for an empty point."""
OUTSIDE = 2
# Direction d + 4 is opposite to direction d.
WAYS = ((0, 1), (1, 0), (1, 1), (1, -1), (0, -1), (-1, 0), (-1, -1), (-1, 1))
DOWN = np.array([down for down, _ in WAYS])
RIGHT = np.array([right for _, right in WAYS])
STEP = DOWN * SIZE + RIGHT
ROOM = ([SIZE] * SIZE, range(SIZE - 1, -1, -1), range(SIZE))  # for steps of 0, 1, -1
REACH = np.array(
    [[min(ROOM[y][r], ROOM[x][c]) for r, c in POINTS] for y, x in WAYS], np.int8
)
"""[direction, cell]: how many steps there are to the edge."""
Words = NDArray[np.int64]
"""[MARGIN + row]: a bit for each column. Beyond the board there are none."""
MARGIN = ROW + 1


@rule
def point_at(board: Board, cell: int, way: int, distance: int) -> int:
    """Return what is so many steps away: a stone, 0, or OUTSIDE."""
    if distance > REACH[way, cell]:
        return OUTSIDE
    return int(board[cell + distance * STEP[way]])


@rule
def run(board: Board, cell: int, way: int, distance: int, mark: int) -> int:
    """Return how many stones of one colour stand in a row beyond this distance."""
    length = 0
    while point_at(board, cell, way, distance + length + 1) == mark:
        length += 1
    return length


@rule
def see(rows: Words, row: int, way: int, distance: int) -> int:
    """Return the words of a row's points as seen so many steps away."""
    word = rows[MARGIN + row + distance * DOWN[way]]
    return int((word << MARGIN) >> (MARGIN + distance * RIGHT[way]))


@rule
def wins(board: Board, cell: int, mark: int) -> bool:
    """Return whether a stone on this point makes a row that wins."""
    for way in range(4):
        ahead = run(board, cell, way, 0, mark)
        behind = run(board, cell, way + 4, 0, mark)
        length = ahead + 1 + behind
        if length == ROW or (length > ROW and (FREESTYLE or (RENJU and mark < 0))):
            end = point_at(board, cell, way, ahead + 1)
            other_end = point_at(board, cell, way + 4, behind + 1)
            if not (CARO and end == other_end == -mark):
                return True
    return False


def has_row(board: Board, mark: int) -> bool:
    """Return whether one side has a row that wins."""
    return any(wins(board, int(cell), mark) for cell in np.flatnonzero(board == mark))
