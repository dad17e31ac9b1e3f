"""Gomoku: five in a row, by four sets of rules, one of them Renju with its fouls."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ludens.boards import (
    STONE_EDITS,
    cell_name,
    disc,
    draw_grid,
    edit_stones,
    paint,
    square,
    square_symmetries,
)
from ludens.game import OVER, Actions, Planes, Shape, option, require, rule

SIZE = option("size", 15, "points on a side of the board", low=5, high=20)
ROW = option("row", 5, "stones in a row that win", low=3, high=20)
NAMES = ("freestyle", "standard", "renju", "caro")
RULE = option("rule", "freestyle", "which rows win, and renju's fouls", choices=NAMES)
HISTORY = option("history", 0, "past moves of each side to observe", low=0, high=8)
require(ROW <= SIZE, f"row cannot be {ROW} on a board of size {SIZE}")
require(ROW == 5 or RULE in NAMES[:2], f"row cannot be {ROW}: in {RULE} it is 5")

FREESTYLE, _, RENJU, CARO = (name == RULE for name in NAMES)
CELLS = SIZE * SIZE
# Black (player 0) is 1 on the board, white -1. `recent` has the last moves of each side
# as cell + 1, newest first.
STATE = np.dtype(
    [("board", "i1", CELLS), ("to_play", "i1"), ("winner", "i1"), ("ply", "i2")]
    + ([("recent", "i2", (2, HISTORY))] if HISTORY > 0 else [])
)
NUM_ACTIONS = MAX_PLIES = CELLS
SHAPE = (SIZE, SIZE)
PLANES = (
    "own stones",
    "opponent's stones",
    "black to move",
    *(f"own stones {k + 1} moves back" for k in range(HISTORY)),
    *(f"opponent's stones {k + 1} moves back" for k in range(HISTORY)),
)
TARGETS = ("owner of the point",)
EDITS = STONE_EDITS
IMAGE = square_symmetries(SIZE)
NUM_SYMMETRIES = 8

Board = NDArray[np.int8]
Words = NDArray[np.int64]
OUTSIDE = 2
FINE, FIVE, FOUL, UNCLEAR = 0, 1, 2, 3
# Direction d + 4 is opposite to direction d.
WAYS = ((0, 1), (1, 0), (1, 1), (1, -1), (0, -1), (-1, 0), (-1, -1), (-1, 1))
DOWN = np.array([down for down, _ in WAYS])
RIGHT = np.array([right for _, right in WAYS])
STEP = DOWN * SIZE + RIGHT
POINTS = [divmod(cell, SIZE) for cell in range(CELLS)]
ROOM = ([SIZE] * SIZE, range(SIZE - 1, -1, -1), range(SIZE))  # for steps of 0, 1, -1
REACH = np.array(
    [[min(ROOM[y][r], ROOM[x][c]) for r, c in POINTS] for y, x in WAYS], np.int8
)
CENTRE_FIRST = np.array(
    sorted(range(CELLS), key=lambda i: sum((2 * x - SIZE + 1) ** 2 for x in POINTS[i]))
)
# A word has a bit for each column: black stones in its lower half, points that are not
# barred by white in its upper half. These are the bits of white, of nothing, of black.
BITS = np.array([0, 1 << 32, 1 << 32 | 1])
MARGIN = 4


@rule
def look(board: Board, cell: int, way: int, distance: int) -> int:
    """Return what is so many steps away: a stone, 0, or OUTSIDE."""
    if distance > REACH[way, cell]:
        return OUTSIDE
    return int(board[cell + distance * STEP[way]])


@rule
def run(board: Board, cell: int, way: int, distance: int, mark: int) -> int:
    """Return how many stones of one colour stand in a row behind this distance."""
    length = 0
    while look(board, cell, way, distance + length + 1) == mark:
        length += 1
    return length


@rule
def wins(board: Board, cell: int, mark: int) -> bool:
    """Return whether a stone on this point makes a row that wins."""
    for way in range(4):
        ahead = run(board, cell, way, 0, mark)
        behind = run(board, cell, way + 4, 0, mark)
        length = ahead + 1 + behind
        if length == ROW or (length > ROW and (FREESTYLE or (RENJU and mark < 0))):
            end = look(board, cell, way, ahead + 1)
            other_end = look(board, cell, way + 4, behind + 1)
            if not (CARO and end == other_end == -mark):
                return True
    return False


@rule
def jump(board: Board, cell: int, way: int, distance: int) -> int:
    """Return how many black stones stand behind an empty point, -9 if it is not one."""
    if look(board, cell, way, distance) != 0:
        return -9
    return run(board, cell, way, distance, 1)


@rule
def three(board: Board, cell: int, way: int) -> int:
    """Return the point this way that would make black a straight four, -1 if none."""
    back = (way + 4) % 8
    ahead, behind = run(board, cell, way, 0, 1), run(board, cell, back, 0, 1)
    further = jump(board, cell, way, ahead + 1)
    if ahead + 1 + behind + 1 + further != 4:
        return -1
    # Both ends are empty with no black behind: the four becomes just five there.
    end = jump(board, cell, way, ahead + further + 2)
    if end != 0 or jump(board, cell, back, behind + 1) != 0:
        return -1
    return int(cell + (ahead + 1) * STEP[way])


@rule
def glance(board: Board, cell: int) -> int:
    """Judge a black stone by its rows and fours; UNCLEAR if its threes may matter."""
    fours, threes, overline = 0, 0, False
    for way in range(4):
        ahead, behind = run(board, cell, way, 0, 1), run(board, cell, way + 4, 0, 1)
        length = ahead + 1 + behind
        if length == 5:
            return FIVE
        overline |= length > 5
        # Only the empty point at either end of the row can make five with this stone.
        after = length + 1 + jump(board, cell, way, ahead + 1)
        before = length + 1 + jump(board, cell, way + 4, behind + 1)
        straight = length == 4 and after == 5 and before == 5
        fours += int(after == 5) + int(before == 5) - int(straight)
        threes += int(after == 4 or before == 4)
    if overline or fours >= 2:
        return FOUL
    return UNCLEAR if threes >= 2 else FINE


@rule
def is_forbidden(board: Board, cell: int) -> bool:
    """Return whether black may not play on an empty point; keep the board as it is."""
    verdict = glance(board, cell)
    if verdict != UNCLEAR:
        return verdict == FOUL
    # Numba cannot cache recursive functions, so there is a stack of points on trial,
    # each with the number of sides looked at and of threes found.
    frames = np.empty((CELLS, 3), np.int64)
    depth, point = -1, cell
    while True:
        if verdict == UNCLEAR:
            depth += 1
            board[point] = 1
            frames[depth] = (point, 0, 0)
        frame = frames[depth]
        if verdict == FINE:
            # Black may make this straight four: count it and pass to the next line.
            frame[1] += frame[1] % 2
            frame[2] += 1
        if frame[1] < 8 and frame[2] < 2:
            point = three(board, frame[0], frame[1] // 2 + frame[1] % 2 * 4)
            frame[1] += 1
            verdict = glance(board, point) if point >= 0 else FOUL
        else:
            verdict = FOUL if frame[2] == 2 else FINE
            board[frame[0]] = 0
            depth -= 1
            if depth < 0:
                return verdict == FOUL


@rule
def see(rows: Words, row: int, way: int, distance: int) -> int:
    """Return the words of a row's points as seen so many steps away."""
    word = rows[MARGIN + row + distance * DOWN[way]]
    return int((word << MARGIN) >> (MARGIN + distance * RIGHT[way]))


@rule
def row_of_three(v: int, x: int, y: int, z: int, w: int) -> int:
    """Return where x, y, z have two black stones and room for a straight four."""
    return ((x & y) | (z & (x | y))) & ((v & x & y & z & w) >> 32)


@rule
def row_of_four(w: int, x: int, y: int, z: int) -> int:
    """Return where three of four points are black and none is barred by white."""
    return ((w & x & (y | z)) | (y & z & (w | x))) & ((w & x & y & z) >> 32)


@rule
def suspects(rows: Words, row: int) -> int:
    """Return the columns of a row where a foul of black is not out of the question.

    It takes two lines with a row of three or four, or one with two fours or with six.
    """
    once, twice = 0, 0
    for way in range(4):
        a, b = see(rows, row, way, -4), see(rows, row, way, -3)
        c, d = see(rows, row, way, -2), see(rows, row, way, -1)
        e, f = see(rows, row, way, 1), see(rows, row, way, 2)
        g, h = see(rows, row, way, 3), see(rows, row, way, 4)
        v, w = row_of_four(a, b, c, d), row_of_four(b, c, d, e)
        x, y = row_of_four(c, d, e, f), row_of_four(d, e, f, g)
        z = row_of_four(e, f, g, h)
        twice |= (v & (w | x | y | z)) | (w & (x | y | z)) | (x & (y | z)) | (y & z)
        line = v | w | x | y | z
        line |= row_of_three(a, b, c, d, e) | row_of_three(b, c, d, e, f)
        line |= row_of_three(c, d, e, f, g) | row_of_three(d, e, f, g, h)
        twice |= (once & line) | (a & b & c & d) | (e & f & g & h)
        once |= line
    return twice


@rule
def is_legal(state: np.record, cell: int) -> bool:
    """Return whether the player to move may play on a point."""
    judged = RENJU and state.to_play == 0
    return state.board[cell] == 0 and not (judged and is_forbidden(state.board, cell))


@rule
def legal_black(board: Board, actions: Actions) -> int:
    """Write the points that are not forbidden, most of them cleared row by row."""
    rows = np.zeros(SIZE + 2 * MARGIN, np.int64)
    for row in range(SIZE):
        word = 0
        for cell in range((row + 1) * SIZE - 1, row * SIZE - 1, -1):
            word = word << 1 | BITS[board[cell] + 1]
        rows[MARGIN + row] = word
    count = 0
    for row in range(SIZE):
        doubt = suspects(rows, row)
        for cell in range(row * SIZE, (row + 1) * SIZE):
            actions[count] = cell
            if board[cell] == 0:
                count += int(doubt & 1 == 0 or not is_forbidden(board, cell))
            doubt >>= 1
    return count


@rule
def legal(state: np.record, actions: Actions) -> int:
    if RENJU and state.to_play == 0:
        return legal_black(state.board, actions)
    count = 0
    for cell in range(CELLS):
        actions[count] = cell
        count += int(state.board[cell] == 0)
    return count


@rule
def put(state: np.record, cell: int) -> None:
    """Put a stone of the player to move on the board."""
    state.board[cell] = 1 - 2 * state.to_play
    state.ply += 1
    if HISTORY > 0:
        moves = state.recent[state.to_play]
        for k in range(HISTORY - 1, 0, -1):
            moves[k] = moves[k - 1]
        moves[0] = cell + 1


@rule
def is_stuck(state: np.record) -> bool:
    """Return whether the player to move has no legal move."""
    cell = 0
    while cell < CELLS and not is_legal(state, cell):
        cell += 1
    return cell == CELLS


@rule
def apply(state: np.record, action: int) -> None:
    mark = 1 - 2 * state.to_play
    put(state, action)
    state.to_play = 1 - state.to_play
    if wins(state.board, action, mark):
        state.winner = mark
        state.to_play = OVER
    elif state.ply == CELLS or (RENJU and is_stuck(state)):
        state.to_play = OVER


@rule
def foul(state: np.record, action: int) -> bool:
    if state.board[action] != 0 or is_legal(state, action):
        return False
    put(state, action)
    state.winner = -1
    state.to_play = OVER
    return True


@rule
def result(state: np.record) -> float:
    return float(state.winner)


@rule
def observe(state: np.record, planes: Planes) -> None:
    mover = max(state.to_play, 0)
    own = 1 - 2 * mover
    for cell in range(CELLS):
        if state.board[cell] != 0:
            planes[int(state.board[cell] != own), cell // SIZE, cell % SIZE] = 1
    planes[2] = 1 - mover
    if HISTORY > 0:
        for plane in range(3, 3 + 2 * HISTORY):
            side, back = divmod(plane - 3, HISTORY)
            planes[plane] = planes[side]
            for cell in state.recent[side ^ mover, : back + 1]:
                if cell > 0:
                    planes[plane, (cell - 1) // SIZE, (cell - 1) % SIZE] = 0


@rule
def transform(state: np.record, symmetry: int, image: np.record) -> None:
    for cell in range(CELLS):
        image.board[IMAGE[symmetry, cell]] = state.board[cell]
    if HISTORY > 0:
        for side in range(2):
            for k in range(HISTORY):
                cell = state.recent[side, k] - 1
                if cell >= 0:
                    image.recent[side, k] = IMAGE[symmetry, cell] + 1


@rule
def transform_action(action: int, symmetry: int) -> int:
    return int(IMAGE[symmetry, action])


@rule
def targets(state: np.record, planes: Planes) -> None:
    for cell in range(CELLS):
        planes[0, cell // SIZE, cell % SIZE] = state.board[cell]


@rule
def neighbours(board: Board, cell: int) -> int:
    """Return how many stones stand next to a point."""
    count = 0
    for way in range(8):
        count += int(abs(look(board, cell, way, 1)) == 1)
    return count


@rule
def candidates(state: np.record, actions: Actions) -> int:
    own = 1 - 2 * state.to_play
    threats, threat = 0, 0
    for cell in range(CELLS):
        if state.board[cell] == 0:
            if wins(state.board, cell, own):
                actions[0] = cell
                return 1
            # A stone elsewhere cannot spoil a row, except in caro, at its end.
            if not CARO and wins(state.board, cell, -own):
                threats += 1
                threat = cell
    if threats == 1 and is_legal(state, threat):
        actions[0] = threat
        return 1
    count = 0
    for near in (True, False):
        for cell in CENTRE_FIRST:
            if (neighbours(state.board, cell) > 0) == near and is_legal(state, cell):
                actions[count] = cell
                count += 1
    # Against a threat that cannot be met all moves lose equally fast.
    return count if threats == 0 else 1


@rule
def threats(
    state: np.record, cell: int, level: int, count: int, actions: Actions
) -> tuple[int, int]:
    """Add the points that make a winning row of a stone's (level 2), or else a row one
    short of it and open at both ends (level 1), and those that parry this.

    Only what has the highest level stays; return it and how many points there are.
    """
    board, mark = state.board, int(state.board[cell])
    for way in range(8):
        back = (way + 4) % 8
        ahead, behind = run(board, cell, way, 0, mark), run(board, cell, back, 0, mark)
        if look(board, cell, way, ahead + 1) != 0 or count + 3 > CELLS:
            continue
        further = run(board, cell, way, ahead + 1, mark)
        length = behind + 1 + ahead + 1 + further
        point, far = int(cell + (ahead + 1) * STEP[way]), ahead + further + 2
        if length >= ROW and wins(board, point, mark):
            actions[count if level == 2 else 0] = point
            count = count + 1 if level == 2 else 1
            level = 2
        elif (
            length == ROW - 1
            and level < 2
            and look(board, cell, way, far) == 0
            and look(board, cell, back, behind + 1) == 0
        ):
            level = 1
            actions[count] = point
            actions[count + 1] = cell + (behind + 1) * STEP[back]
            # Beyond a row without a gap a stone parries nothing: it grows backwards.
            actions[count + 2] = cell + far * STEP[way]
            count += 3 if further > 0 else 2
    return level, count


@rule
def all_threats(state: np.record, mark: int, actions: Actions) -> tuple[int, int]:
    """Do as `threats` for all stones of one side."""
    level, count = 0, 0
    for cell in range(CELLS):
        if state.board[cell] == mark:
            level, count = threats(state, cell, level, count, actions)
    return level, count


@rule
def keep_legal(state: np.record, count: int, actions: Actions) -> int:
    """Drop the points that are forbidden; return how many are left."""
    kept = 0
    for i in range(count):
        actions[kept] = actions[i]
        kept += int(is_legal(state, actions[i]))
    return kept


@rule
def near(board: Board, actions: Actions) -> int:
    """Write the points up to two steps from a stone."""
    is_near = np.zeros(CELLS, np.bool_)
    for cell in range(CELLS):
        if board[cell] != 0:
            for way in range(8):
                for distance in range(1, min(2, REACH[way, cell]) + 1):
                    is_near[cell + distance * STEP[way]] = True
    count = 0
    for cell in range(CELLS):
        actions[count] = cell
        count += int(is_near[cell] and board[cell] == 0)
    return count


@rule
def likely(state: np.record, before: int, last: int, actions: Actions) -> int:
    own = 1 - 2 * state.to_play
    if before >= 0:
        level, count = threats(state, before, 0, 0, actions)
    else:
        level, count = all_threats(state, own, actions)
    if level == 2:
        return 1
    four = int(actions[0]) if level == 1 and is_legal(state, actions[0]) else -1
    if last >= 0:
        level, count = threats(state, last, 0, 0, actions)
    else:
        level, count = all_threats(state, -own, actions)
    if level < 2 and four >= 0:
        actions[0] = four
        return 1
    if level == 0 and last < 0:
        count = near(state.board, actions)
    return keep_legal(state, count, actions)


def action_name(state: np.record, action: int) -> str:
    return cell_name(action // SIZE, action % SIZE)


def edit(state: np.record, words: Sequence[str]) -> None:
    """Put or take a stone, or give the turn; what was moved before is forgotten."""
    edit_stones(state, words, SHAPE, lambda mark: has_row(state.board, mark))
    if HISTORY > 0:
        state.recent[:] = 0
    if state.to_play >= 0 and is_stuck(state):
        state.to_play = OVER


def why_illegal(state: np.record, action: int) -> str:
    board = state.board
    if board[action] != 0:
        return "the point is taken"
    if glance(board, action) == UNCLEAR:
        return "forbidden: a double three"
    sides = [run(board, action, way, 0, 1) for way in range(8)]
    is_long = max(sides[way] + 1 + sides[way + 4] for way in range(4)) > ROW
    return f"forbidden: {'a row of six or more' if is_long else 'a double four'}"


def reason(state: np.record) -> str:
    if state.winner == 0:
        return "no move is left"
    has_won = has_row(state.board, int(state.winner))
    return f"{ROW} in a row" if has_won else "a forbidden move"


def has_row(board: Board, mark: int) -> bool:
    """Return whether one side has a row that wins."""
    return any(wins(board, int(cell), mark) for cell in np.flatnonzero(board == mark))


def draw(state: np.record) -> str:
    marks = {0: ".", 1: paint("X", 0), -1: paint("O", 1)}
    board = state.board.reshape(SIZE, SIZE)
    return draw_grid([[marks[int(mark)] for mark in row] for row in board])


def scene(state: np.record) -> list[Shape]:
    names = [action_name(state, cell) for cell in range(CELLS)]
    cells = [
        square(*p, role="point", label=n, choice=n)
        for p, n in zip(POINTS, names, strict=True)
    ]
    stones = [(i, int(mark < 0)) for i, mark in enumerate(state.board) if mark]
    discs = [disc(*POINTS[i], owner=p, label="XO"[p]) for i, p in stones]
    won = [i for i, _ in stones if state.board[i] == state.winner]
    rings = [i for i in won if wins(state.board, i, int(state.winner))]
    return cells + discs + [disc(*POINTS[i], role="won", size=0.3) for i in rings]
