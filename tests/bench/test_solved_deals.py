"""The stored positions of Triple Triad are what they are said to be."""

import random
from collections import Counter

from ludens.bench.solved import find_exam, read_solved, write_solved
from ludens.loading.game import load_game
from ludens.solver.exact import Solver
from solved_positions import NUM_DEALS, NUM_PLIES

GAME = load_game("triple_triad")
EXAM = find_exam(GAME)
assert EXAM is not None
(DEALT,) = EXAM.sets
DEALS = [read_solved(GAME, line) for line in DEALT.positions.strip().splitlines()]


def test_there_are_as_many_positions_after_each_ply() -> None:
    plies = Counter(state.num_plies for state, _ in DEALS)
    assert plies == dict.fromkeys(range(NUM_PLIES), NUM_DEALS // NUM_PLIES)


def test_no_deal_comes_twice() -> None:
    assert len({tuple(state.history[:10]) for state, _ in DEALS}) == NUM_DEALS


def test_the_solver_grades_a_sample_alike() -> None:
    solver = Solver(GAME, memory_mb=32)
    quick = [solved for solved in DEALS if solved[0].num_plies > 1]
    for state, outcomes in random.Random(1).sample(quick, 12):
        assert solver.outcomes(state) == outcomes


def test_a_position_is_written_as_it_is_read() -> None:
    state, outcomes = DEALS[0]
    history, letters = write_solved(DEALS[0]).split()
    assert history.split(",") == [str(step) for step in state.history]
    assert len(letters) == len(outcomes) == len(state.legal_actions())
