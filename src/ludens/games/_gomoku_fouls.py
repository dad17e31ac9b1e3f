"""Renju's fouls: where black may not play (overlines, double fours, double threes)."""

import numpy as np

from ludens.game import Actions, rule
from ludens.games._gomoku_board import (
    CELLS,
    MARGIN,
    RENJU,
    SIZE,
    STEP,
    Board,
    Words,
    point_at,
    run,
    see,
)
from ludens.games._gomoku_opening import colour, is_free

FINE, FIVE, FOUL, UNCLEAR = 0, 1, 2, 3
# A word has a bit for each column: black stones in its lower half, points that are not
# barred by white in its upper half. These are the bits of white, of nothing, of black.
BITS = np.array([0, 1 << 32, 1 << 32 | 1])


@rule
def is_legal(state: np.record, cell: int) -> bool:
    """Return whether the player to move may play on a point."""
    judged = RENJU and colour(state) == 0
    return is_free(state, cell) and not (judged and is_forbidden(state.board, cell))


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
def jump(board: Board, cell: int, way: int, distance: int) -> int:
    """Return how many black stones lie beyond a point, -9 if the point is not empty."""
    if point_at(board, cell, way, distance) != 0:
        return -9
    return run(board, cell, way, distance, 1)


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
def suspects(rows: Words, row: int) -> int:
    """Return the columns of a row where a black stone could be a foul.

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
def row_of_three(v: int, x: int, y: int, z: int, w: int) -> int:
    """Return where x, y, z have two black stones and room for a straight four."""
    return ((x & y) | (z & (x | y))) & ((v & x & y & z & w) >> 32)


@rule
def row_of_four(w: int, x: int, y: int, z: int) -> int:
    """Return where three of four points are black and none is barred by white."""
    return ((w & x & (y | z)) | (y & z & (w | x))) & ((w & x & y & z) >> 32)
