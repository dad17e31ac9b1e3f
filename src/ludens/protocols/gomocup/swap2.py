"""Swap2: three stones near even, and what to answer to those of the opponent."""

import numpy as np

from ludens.protocols.gomocup.board import Board
from ludens.protocols.gomocup.thinking import Job, Thinker
from ludens.rng import numpy_rng

TRIES = 12
"""Openings, or fifth stones, to choose the most even of."""
LEAST_TRY_S = 0.05
EVEN = 0.03
"""A value that tells nothing of who is better off."""
SWAP: list[int] = []


def answer(job: Job, thinker: Thinker) -> list[int]:
    """Return the stones to put; none: take the other side."""
    if not job.board.stones:
        return _propose(job, thinker)
    value = _value(job, thinker, job.board, job.left_s / 2)
    if len(job.board.stones) == 3 and abs(value) < EVEN:
        return _put_two(job, thinker)
    return SWAP if value < 0 else [thinker.choose(job, job.board)]


def _propose(job: Job, thinker: Thinker) -> list[int]:
    """Return three stones after which both sides are about equal."""
    rng = numpy_rng(len(job.board.stones), "proposal", job.board.size)
    tries = [_three(job.board.size, rng) for _ in range(TRIES)]
    return _most_even(job, thinker, tries)


def _put_two(job: Job, thinker: Thinker) -> list[int]:
    """Return a stone for white, and one for black that leaves it as even as can be."""
    board = job.board.copy()
    fourth = thinker.choose(job, board)
    board.put(fourth)
    rng = numpy_rng(fourth, "fifth", board.size)
    free = [cell for cell in range(board.size**2) if cell not in board.stones]
    tries = rng.permutation(free)[:TRIES].tolist()
    return _most_even(job, thinker, [[fourth, fifth] for fifth in tries])


def _three(size: int, rng: np.random.Generator) -> list[int]:
    """Return three points that are not far from each other."""
    corner = rng.integers(0, size - 4, 2)
    places = rng.permutation(25)[:3]
    return [int(corner[0] + at // 5) * size + int(corner[1] + at % 5) for at in places]


def _most_even(job: Job, thinker: Thinker, tries: list[list[int]]) -> list[int]:
    """Return the stones after which neither side is better off, as far as is known."""
    best, least = tries[0], 2.0
    each_s = max(LEAST_TRY_S, job.left_s / len(tries))
    for stones in tries:
        if job.is_stopped or job.left_s < each_s / 2:
            break
        board = job.board.copy()
        for cell in stones:
            board.put(cell)
        value = abs(_value(job, thinker, board, each_s))
        best, least = (stones, value) if value < least else (best, least)
    return best


def _value(job: Job, thinker: Thinker, board: Board, seconds: float) -> float:
    """Return what a position is worth for the player to move, 0 if nobody can tell."""
    thought = thinker.think(job, board, seconds)
    if thought is None or thought.analyse is None:
        return 0.0
    return thought.analyse(0).utility
