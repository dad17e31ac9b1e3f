"""Moves of gomoku worth trying first: for the solver, and for search and rollouts."""

import numpy as np

from ludens.game import Actions, rule
from ludens.games._gomoku_board import (
    CELLS,
    POINTS,
    REACH,
    RIF,
    ROW,
    SIZE,
    STEP,
    Board,
    point_at,
    run,
    wins,
)
from ludens.games._gomoku_fouls import is_legal
from ludens.games._gomoku_fours import look, parries, read
from ludens.games._gomoku_opening import colour, is_opening

CENTRE_FIRST = np.array(
    sorted(range(CELLS), key=lambda i: sum((2 * x - SIZE + 1) ** 2 for x in POINTS[i]))
)


@rule
def candidates(state: np.record, actions: Actions) -> int:
    board, mark = state.board, 1 - 2 * colour(state)
    win, threat, _ = look(board, mark, read(board, mark))
    if win >= 0:
        actions[0] = win
        return 1
    if threat >= 0:
        count = keep_legal(state, parries(board, threat, mark, actions), actions)
        if count > 0:
            return count
    count = 0
    for near in (True, False):
        for cell in CENTRE_FIRST:
            if (neighbours(board, cell) > 0) == near and is_legal(state, cell):
                actions[count] = cell
                count += 1
    # Against a threat that cannot be met all moves lose equally fast.
    return count if threat < 0 else 1


@rule
def neighbours(board: Board, cell: int) -> int:
    """Return how many stones stand next to a point."""
    count = 0
    for way in range(8):
        count += int(abs(point_at(board, cell, way, 1)) == 1)
    return count


@rule
def likely(state: np.record, before: int, last: int, actions: Actions) -> int:
    if is_opening(state):
        return 0
    # After a choice or an offer the last two actions need not be stones of both sides.
    if before >= CELLS or last >= CELLS or (RIF and state.ply == 5):
        before = last = -1
    own = 1 - 2 * colour(state)
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


@rule
def threats(
    state: np.record, cell: int, level: int, count: int, actions: Actions
) -> tuple[int, int]:
    """Add the points that win or block a row of a stone; return level and count.

    Level 2 is a winning row, level 1 a row one short of it that is open at both ends.
    Only the points of the highest level stay.
    """
    board, mark = state.board, int(state.board[cell])
    for way in range(8):
        back = (way + 4) % 8
        ahead, behind = run(board, cell, way, 0, mark), run(board, cell, back, 0, mark)
        if point_at(board, cell, way, ahead + 1) != 0 or count + 3 > CELLS:
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
            and point_at(board, cell, way, far) == 0
            and point_at(board, cell, back, behind + 1) == 0
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
