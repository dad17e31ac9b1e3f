"""The stored positions of connect four are what they are said to be."""

import random
from collections import Counter

import pytest

from ludens.bench.solved import find_exam, read_solved
from ludens.loading.game import load_game
from ludens.solver.exact import Solver
from ludens.state import State
from solved_positions import (
    SIZES,
    Position,
    grade_position,
    make_positions,
    read_position,
)

GAME = load_game("connect_four")
EXAM = find_exam(GAME)
assert EXAM is not None
POSITIONS = {
    name: [read_position(line) for line in one.positions.strip().splitlines()]
    for name, one in zip(SIZES, EXAM.sets, strict=True)
}


def state_of(position: Position) -> State:
    return read_solved(GAME, str(position))[0]


def position_of(moves: str, score: int) -> Position:
    return Position(",".join(str(int(column) - 1) for column in moves), score)


def test_sets_are_named_for_what_is_in_them() -> None:
    assert [one.name for one in EXAM.sets] == [" ".join(name) for name in SIZES]
    for name, found in POSITIONS.items():
        assert {position.set_name for position in found} == {name}


def test_all_sets_are_full_of_different_positions() -> None:
    assert {name: len(found) for name, found in POSITIONS.items()} == SIZES
    states = [state_of(p) for found in POSITIONS.values() for p in found]
    assert not any(state.is_over for state in states)
    assert len({state.raw.tobytes() for state in states}) == len(states)


@pytest.mark.parametrize("name", SIZES, ids=" ".join)
def test_the_solver_grades_a_sample_alike(name: tuple[str, str]) -> None:
    solver = Solver(GAME, memory_mb=32)
    late = [p for p in POSITIONS[name] if p.num_stones > 12 or name[0] != "medium"]
    quick = [p for p in late if p.num_stones > 12 or name[0] != "hard"]
    for position in random.Random(1).sample(quick, 4):
        assert grade_position(solver, state_of(position)) == position


@pytest.mark.slow
def test_the_first_positions_are_made_again() -> None:
    made = make_positions()
    assert next(made) == POSITIONS["medium", "opening"][0]
    made.close()  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("moves", "score", "plies_left", "name"),
    [
        # Four in a row on the bottom: 4, then 3 or 6 wins whatever is played.
        ("4455", 18, 3, ("easy", "opening")),
        ("44455554221", -15, 2, ("easy", "opening")),
        ("75734233473735", 0, 28, ("medium", "opening")),
        ("1677577117", 1, 31, ("hard", "opening")),
    ],
)
def test_plies_left_and_set_follow_from_the_score(
    moves: str, score: int, plies_left: int, name: tuple[str, str]
) -> None:
    position = position_of(moves, score)
    assert position.plies_left == plies_left
    assert position.set_name == name


@pytest.mark.parametrize("moves", ["4455", "44455554221"])
def test_plies_left_are_those_of_the_solver(moves: str) -> None:
    solver = Solver(GAME, memory_mb=32)
    state = GAME.new()
    state.apply_moves(" ".join(moves))
    value, score = solver.value(state), solver.score(state)
    assert position_of(moves, score).plies_left == value.plies


def test_each_set_has_positions_to_go_wrong_in() -> None:
    for found in POSITIONS.values():
        kinds = Counter(len(set(p.solved.split()[1])) > 1 for p in found)
        assert kinds[True] > 0.25 * len(found)
