"""The stored positions of connect four are what they are said to be."""

import random
from collections import Counter

import pytest

from ludens.bench.solved import SIZES, Position, load_positions
from ludens.loading.game import load_game
from ludens.solver.exact import Solver
from solved_positions import grade_position, make_positions

POSITIONS = load_positions()


def test_all_sets_are_full_of_different_positions() -> None:
    game = load_game("connect_four")
    assert {name: len(found) for name, found in POSITIONS.items()} == SIZES
    states = [p.state(game) for found in POSITIONS.values() for p in found]
    assert not any(state.is_over for state in states)
    assert len({state.raw.tobytes() for state in states}) == len(states)


@pytest.mark.parametrize("name", SIZES, ids=" ".join)
def test_the_solver_grades_a_sample_alike(name: tuple[str, str]) -> None:
    game = load_game("connect_four")
    solver = Solver(game)
    late = [p for p in POSITIONS[name] if len(p.moves) > 12 or name[0] != "medium"]
    quick = [p for p in late if len(p.moves) > 12 or name[0] != "hard"]
    for position in random.Random(1).sample(quick, 4):
        assert grade_position(solver, position.state(game)) == position


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
    position = Position(moves, score, "-------")
    assert position.plies_left == plies_left
    assert position.set_name == name


@pytest.mark.parametrize("moves", ["4455", "44455554221"])
def test_plies_left_are_those_of_the_solver(moves: str) -> None:
    game = load_game("connect_four")
    solver = Solver(game)
    state = Position(moves, 0, "").state(game)
    value, score = solver.value(state), solver.score(state)
    assert Position(moves, score, "").plies_left == value.plies


def test_each_set_has_positions_to_go_wrong_in() -> None:
    for found in POSITIONS.values():
        kinds = Counter(len(set(p.values.values())) > 1 for p in found)
        assert kinds[True] > 0.25 * len(found)
