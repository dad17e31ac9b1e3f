"""Wins by fours: against brute force, and the lines that are shown."""

import random
from typing import Any

import numpy as np
import pytest
from gomoku_positions import crowded

from ludens import load_game
from ludens.solver.force import ForceProver

MOST_MOVES = 3


def is_won(rules: Any, board: Any, mark: int, moves: int) -> bool:
    """Try all fours of a side, and all answers whatever they are."""
    if winning(rules, board, mark):
        return True
    for cell in legal(rules, board, mark) if moves > 1 else ():
        board[cell] = mark
        forces = winning(rules, board, mark) and not winning(rules, board, -mark)
        answers = legal(rules, board, -mark) if forces else []
        won = [loses(rules, board, mark, moves - 1, answer) for answer in answers]
        board[cell] = 0
        if won and all(won):
            return True
    return False


def loses(rules: Any, board: Any, mark: int, moves: int, answer: int) -> bool:
    """Tell whether a side wins after an answer of the other one."""
    board[answer] = -mark
    won = is_won(rules, board, mark, moves)
    board[answer] = 0
    return won


def winning(rules: Any, board: Any, mark: int) -> list[int]:
    """Return the points where a side wins at once."""
    return [c for c in np.flatnonzero(board == 0) if rules.wins(board, c, mark)]


def legal(rules: Any, board: Any, mark: int) -> list[int]:
    """Return the points where a side may play."""
    empty = np.flatnonzero(board == 0)
    if not rules.RENJU or mark < 0:
        return list(empty)
    is_forbidden = rules.is_legal.__globals__["is_forbidden"]  # not in the game's file
    return [c for c in empty if not is_forbidden(board, c)]


@pytest.mark.parametrize(
    ("spec", "pairs", "count"),
    [
        ("gomoku:size=6", 9, 15),
        ("gomoku:size=6,rule=standard", 9, 15),
        ("gomoku:size=7,rule=renju", 12, 10),
        ("gomoku:size=6,rule=caro", 10, 25),
        ("gomoku:size=5,row=4", 6, 15),
    ],
)
def test_wins_by_fours_are_those_of_brute_force(
    spec: str, pairs: int, count: int
) -> None:
    game = load_game(spec, compiled=False)
    prover, rng = ForceProver(game, memory_mb=1), random.Random(5)
    found = []
    for _ in range(count):
        state = crowded(game, rng, pairs)
        forced = prover.prove(state)
        board, mark = state.raw.board.copy(), 1 - 2 * state.to_play
        for moves in range(1, MOST_MOVES + 1):
            assert is_won(game.plain, board, mark, moves) == (0 < forced.moves <= moves)
        assert forced.is_complete
        found.append(forced.moves)
    assert min(found) == 0
    assert max(found) > 1


TEN_FOURS = """
    . . . . O X O . . . . . . . X
    . . . . . . . . . . . . . . .
    . . . . . . . . . . . . . . .
    . . X . . . . . . . . . . . .
    . . . . . . . O X . . . O O .
    . X . . . O . . . . . . . . .
    . . . X . . . X . . . . . X .
    . . . . . . . . . X . . . . .
    . . . . . . . O X . . . . . O
    . . . . . . O . . X . . . . .
    X . . . . . . . . . . . . . .
    . . . O . O . O . X . . . . .
    . . . O . . . . . . . X . X .
    . . . . . . . . . . . . O . .
    O O . . . . . . . . . X . . .
"""


def test_a_win_by_ten_fours_is_found_by_the_nodes_of_a_root() -> None:
    game = load_game("gomoku", compiled=False)
    state = game.new()
    stones = [".XO".index(mark) for mark in TEN_FOURS.split()]
    state.raw.board[:] = [(0, 1, -1)[stone] for stone in stones]
    state.raw.ply = sum(stone > 0 for stone in stones)
    forced = ForceProver(game, memory_mb=1).prove(state, nodes=400)
    assert forced.moves == 10
    board, cells = state.raw.board.copy(), list(forced.line)
    for four, answer in zip(cells[::2], cells[1::2], strict=False):
        assert not winning(game.plain, board, 1)
        board[four] = 1
        assert not winning(game.plain, board, -1)
        fives = winning(game.plain, board, 1)
        assert answer in fives
        board[answer] = -1
        assert len(fives) == 1 or four == cells[-3]
    assert cells[-1] in winning(game.plain, board, 1)
