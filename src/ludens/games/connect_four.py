"""Connect four: drop discs into columns until four of a colour stand in a row."""

from collections.abc import Sequence
from functools import reduce
from operator import and_, or_

import numpy as np

from ludens.boards import PLAYERS, disc, give_turn, paint, refuse_edit, square
from ludens.game import OVER, Actions, Planes, Shape, option, require, rule

ROWS = option("rows", 6, "rows of the board", low=2, high=8)
COLUMNS = option("columns", 7, "columns of the board", low=2, high=9)
CONNECT = option("connect", 4, "discs in a row that win", low=2, high=8)
HEIGHT = ROWS + 1  # bits of a column: an empty bit above it keeps lines from wrapping
require(HEIGHT * COLUMNS <= 64, "connect_four: (rows + 1) * columns can be at most 64")
require(max(ROWS, COLUMNS) >= CONNECT, "connect_four: connect is longer than the board")

# Bit c * HEIGHT + r is the cell in column c, r rows above the bottom.
STATE = np.dtype([("stones", np.uint64, 2), ("to_play", "i1"), ("winner", "i1")])
NUM_ACTIONS = COLUMNS
MAX_PLIES = ROWS * COLUMNS
SHAPE = (ROWS, COLUMNS)
PLANES = ("own discs", "opponent's discs")
TARGETS = ("owner of the cell",)
EDITS = ("drop CELL first|second", "take CELL", "to_play first|second")
NUM_SYMMETRIES = 2

ONE = np.uint64(1)
BOTTOM = np.array([1 << c * HEIGHT for c in range(COLUMNS)], np.uint64)
COLUMN = np.array([((1 << ROWS) - 1) << c * HEIGHT for c in range(COLUMNS)], np.uint64)
BOARD = np.uint64(sum(int(column) for column in COLUMN))
DIRECTIONS = (1, HEIGHT, HEIGHT - 1, HEIGHT + 1)
MIDDLE_FIRST = np.argsort(
    [abs(2 * c - COLUMNS + 1) for c in range(COLUMNS)], kind="stable"
)


@rule
def cell(row: int, column: int) -> np.uint64:
    """Return the bit of a cell, rows counted from the top."""
    return ONE << np.uint64(column * HEIGHT + ROWS - 1 - row)


@rule
def landing(occupied: np.uint64, column: int) -> np.uint64:
    """Return the bit where a disc dropped into a column comes to rest, 0 if full."""
    above: np.uint64 = (occupied & COLUMN[column]) + BOTTOM[column]
    return np.uint64(above & COLUMN[column])


@rule
def has_row(stones: np.uint64) -> bool:
    """Tell whether the stones hold a winning row."""
    for step in DIRECTIONS:
        row = stones
        for i in range(1, CONNECT):
            row &= stones >> np.uint64(step * i)
        if row != 0:
            return True
    return False


@rule
def legal(state: np.record, actions: Actions) -> int:
    occupied = state.stones[0] | state.stones[1]
    count = 0
    for column in range(COLUMNS):
        if landing(occupied, column) != 0:
            actions[count] = column
            count += 1
    return count


@rule
def apply(state: np.record, action: int) -> None:
    player = state.to_play
    occupied = state.stones[0] | state.stones[1]
    state.stones[player] |= landing(occupied, action)
    state.to_play = 1 - player
    if has_row(state.stones[player]):
        state.winner = 1 - 2 * player
        state.to_play = OVER
    elif state.stones[0] | state.stones[1] == BOARD:
        state.to_play = OVER


@rule
def result(state: np.record) -> float:
    return float(state.winner)


@rule
def observe(state: np.record, planes: Planes) -> None:
    for row in range(ROWS):
        for column in range(COLUMNS):
            for side in range(2):
                if state.stones[side ^ state.to_play] & cell(row, column):
                    planes[side, row, column] = 1


@rule
def transform(state: np.record, symmetry: int, image: np.record) -> None:
    if symmetry == 1:
        for side in range(2):
            image.stones[side] = np.uint64(0)
            for c in range(COLUMNS):
                discs = (state.stones[side] >> np.uint64(c * HEIGHT)) & COLUMN[0]
                image.stones[side] |= discs << np.uint64((COLUMNS - 1 - c) * HEIGHT)


@rule
def transform_action(action: int, symmetry: int) -> int:
    return COLUMNS - 1 - action if symmetry == 1 else action


@rule
def targets(state: np.record, planes: Planes) -> None:
    for row in range(ROWS):
        for column in range(COLUMNS):
            for side in range(2):
                if state.stones[side] & cell(row, column):
                    planes[0, row, column] = 1 - 2 * side


@rule
def completing(stones: np.uint64) -> np.uint64:
    """Return the cells, taken or not, whose disc would complete a row of the stones."""
    cells = np.uint64(0)
    for step in DIRECTIONS:
        for hole in range(CONNECT):
            row = BOARD
            for i in range(CONNECT):
                if i > hole:
                    row &= stones >> np.uint64(step * (i - hole))
                elif i < hole:
                    row &= stones << np.uint64(step * (hole - i))
            cells |= row
    return cells


@rule
def num_bits(word: np.uint64) -> int:
    count = 0
    while word != 0:
        word &= word - ONE
        count += 1
    return count


@rule
def candidates(state: np.record, actions: Actions) -> int:
    """Win, else parry, else shun what loses at once; then most threats first."""
    own, other = state.stones[state.to_play], state.stones[1 - state.to_play]
    occupied = own | other
    wins, dangers = completing(own), completing(other)
    forced, losing, count = -1, -1, 0
    for column in MIDDLE_FIRST:
        bit = landing(occupied, column)
        if bit & wins:
            actions[0] = column
            return 1
        if bit & dangers:
            forced = column
        elif (bit << ONE) & dangers:
            losing = column
        elif bit != 0:
            threats = num_bits(completing(own | bit) & ~occupied)
            place(actions, count, threats * COLUMNS + column)
            count += 1
    if forced >= 0 or count == 0:
        actions[0] = forced if forced >= 0 else losing
        return 1
    for i in range(count):
        actions[i] %= COLUMNS
    return count


@rule
def place(keys: Actions, count: int, key: int) -> None:
    """Insert a key (threats * COLUMNS + column) behind those with as many threats."""
    i = count
    while i > 0 and keys[i - 1] // COLUMNS < key // COLUMNS:
        keys[i] = keys[i - 1]
        i -= 1
    keys[i] = key


def action_name(state: np.record, action: int) -> str:
    return str(action + 1)


def why_illegal(state: np.record, action: int) -> str:
    return "the column is full"


def reason(state: np.record) -> str:
    return f"{CONNECT} in a row" if state.winner else "the board is full"


def edit(state: np.record, words: Sequence[str]) -> None:
    """Drop a disc into a column, take its uppermost one, or give the turn."""
    mover, stones = int(state.to_play), state.stones
    match [word.lower() for word in words]:
        case ["drop", column, "first" | "second" as player]:
            bit = landing(stones[0] | stones[1], read_column(column))
            if bit == 0:
                raise ValueError(f"column {column} is full")
            stones[PLAYERS.index(player)] |= bit
        case ["take", column]:
            discs = int((stones[0] | stones[1]) & COLUMN[read_column(column)])
            if discs == 0:
                raise ValueError(f"column {column} is empty")
            stones &= ~np.uint64(1 << discs.bit_length() - 1)
        case ["to_play", "first" | "second" as player]:
            mover = PLAYERS.index(player)
        case _:
            refuse_edit(EDITS)
    discs_of = [int(side).bit_count() for side in stones]
    wins = (bool(has_row(stones[0])), bool(has_row(stones[1])))
    give_turn(state, mover, discs_of, wins, stones[0] | stones[1] == BOARD)


def read_column(name: str) -> int:
    """Return a column, from 0, by its number on the board."""
    if not (name.isdecimal() and 1 <= int(name) <= COLUMNS):
        raise ValueError(f"{name!r} is not a column; they go from 1 to {COLUMNS}")
    return int(name) - 1


def owners(state: np.record) -> list[list[int]]:
    """Return the owner of each cell, -1 for none, rows from the top."""
    stones = [int(side) for side in state.stones]
    taken = [[int(cell(r, c)) for c in range(COLUMNS)] for r in range(ROWS)]
    return [
        [0 if stones[0] & b else 1 if stones[1] & b else -1 for b in row]
        for row in taken
    ]


def draw(state: np.record) -> str:
    discs = {-1: ".", 0: paint("X", 0), 1: paint("O", 1)}
    rows = [" ".join(discs[owner] for owner in row) for row in owners(state)]
    return "\n".join([*rows, " ".join(str(c + 1) for c in range(COLUMNS))])


def winning(stones: int) -> int:
    """Return those of the stones that stand in winning rows."""
    found = 0
    for step in DIRECTIONS:
        shifts = [int(step) * i for i in range(CONNECT)]
        firsts = reduce(and_, (stones >> shift for shift in shifts))
        found |= reduce(or_, (firsts << shift for shift in shifts))
    return found


def scene(state: np.record) -> list[Shape]:
    won = winning(int(state.stones[0])) | winning(int(state.stones[1]))
    shapes = []
    for r, row in enumerate(owners(state)):
        for c, owner in enumerate(row):
            where = f"column {c + 1}, row {ROWS - r}"
            shapes.append(square(r, c, role="hole", label=where, choice=str(c + 1)))
            if owner >= 0:
                label = f"{'XO'[owner]} in {where}"
                shapes.append(disc(r, c, role="disc", owner=owner, label=label))
            if won & int(cell(r, c)):
                shapes.append(disc(r, c, role="won", size=0.3))
    return shapes
