"""The board of Pyrga: its options, its pieces and cells, and who owns what.

Sixteen cells are sixteen bits, a1 the lowest, so that a set of cells is one number.
"""

import numpy as np

from ludens.game import option, rule

TOWERS_TO_WIN = option(
    "towers_to_win", 0, "owning this many towers wins at once; 0: never", low=0, high=7
)
ARROW_MUST_POINT_INSIDE = option(
    "arrow_must_point_inside", False, "an arrow on the edge may not point off the board"
)
NO_SECOND_SQUARE = option(
    "no_second_square",
    False,
    "after opening with a square, the first player's second piece may not be a square",
)
TIEBREAK = option(
    "tiebreak",
    "none",
    "stacks: equal towers are decided by pairs of own pieces, then by single pieces",
    choices=("none", "stacks"),
)

KINDS = ("square", "circle", "arrow")
DIRECTIONS = ("up", "right", "down", "left")
SQUARE, CIRCLE, ARROW = range(3)
STOCK = 5  # pieces of each kind that a player begins with
FIRST_ARROW = 32
KIND = np.repeat([SQUARE, CIRCLE, ARROW], (16, 16, 64))  # of each action
CELL = np.array([*range(16), *range(16), *(i // 4 for i in range(64))])
ALL = 0xFFFF


def ray(cell: int, direction: int, reach: int) -> int:
    """Return the set of cells met in a direction, at most `reach`, without the cell."""
    down, right = ((-1, 0), (0, 1), (1, 0), (0, -1))[direction]
    ways = [(cell // 4 + i * down, cell % 4 + i * right) for i in range(1, reach + 1)]
    return sum(1 << (r * 4 + c) for r, c in ways if 0 <= r < 4 and 0 <= c < 4)


AROUND = [sum(ray(cell, way, 1) for way in range(4)) for cell in range(16)]
RAYS = [ray(cell, way, 3) for cell in range(16) for way in range(4)]
LIMIT = np.array([*AROUND, *(1 << cell for cell in range(16)), *RAYS])
"""[action]: the set of cells to which it limits the next move."""


@rule
def count_cells(cells: int) -> int:
    count = 0
    while cells != 0:
        cells &= cells - 1  # drops the lowest bit; the loop compiles to a popcount
        count += 1
    return count


@rule
def placed(state: np.record, player: int, kind: int) -> int:
    """Return the cells with this piece of this player."""
    return int(np.int64(state.pieces[player, kind]))  # signed, for ~ and -


@rule
def stock(state: np.record, player: int, kind: int) -> int:
    """Return how many pieces of a kind a player has left."""
    return STOCK - count_cells(placed(state, player, kind))


@rule
def free_cells(state: np.record, player: int, kind: int) -> int:
    """Return the cells that could take this piece if the last move set no limit."""
    left = stock(state, player, kind)
    if left == 0:
        return 0
    if NO_SECOND_SQUARE and player == 0 and kind == SQUARE and left == STOCK - 1:
        others = placed(state, 0, CIRCLE) | placed(state, 0, ARROW)
        if others == 0:  # the opening square is all he has; no fallback lifts this
            return 0
    return ALL & ~(placed(state, 0, kind) | placed(state, 1, kind))


@rule
def owned_cells(state: np.record, player: int, height: int) -> int:
    """Return the cells of exactly this height in which most pieces are the player's."""
    s, c = placed(state, player, SQUARE), placed(state, player, CIRCLE)
    a = placed(state, player, ARROW)
    squares = s | placed(state, 1 - player, SQUARE)
    circles = c | placed(state, 1 - player, CIRCLE)
    arrows = a | placed(state, 1 - player, ARROW)
    two_or_three = (squares & circles) | (arrows & (squares | circles))
    if height == 1:
        return (s | c | a) & ~two_or_three
    three = squares & circles & arrows
    majority = (s & c) | (a & (s | c))
    return majority & (three if height == 3 else two_or_three & ~three)


@rule
def num_owned(state: np.record, player: int, height: int) -> int:
    return count_cells(owned_cells(state, player, height))
