"""Open threes: the moves that make them and the answers, against exact play."""

import random
from typing import Any

import numpy as np
import pytest
from gomoku_positions import crowded

from ludens import Game, State, load_game
from ludens.solver import kernel as solver_kernel
from ludens.solver.exact import MAX_NODES, Solver, Unsolved
from ludens.solver.force import ForceProver
from ludens.solver.stack import make_force_stack

RULES = [
    ("gomoku:size=6,row=4", 7),
    pytest.param("gomoku:size=6,row=4,rule=standard", 8, marks=pytest.mark.slow),
    pytest.param("gomoku:size=7,rule=renju", 18, marks=pytest.mark.slow),
    pytest.param("gomoku:size=7", 18, marks=pytest.mark.slow),
]


def positions(game: Game, pairs: int, seed: int, count: int) -> list[State]:
    """Return crowded positions that are not won on the next move."""
    rng, found = random.Random(seed), []
    prover = ForceProver(game, memory_mb=1)
    while len(found) < count:
        state = crowded(game, rng, pairs)
        if prover.prove(state, nodes=2).moves != 1:
            found.append(state)
    return found


def actions_of(game: Game, rule: str, state: State) -> list[int]:
    actions = np.empty(game.num_actions, np.int32)
    count = getattr(game.rules, rule)(state.raw, actions)
    return [int(action) for action in actions[:count]]


@pytest.mark.parametrize(("spec", "pairs"), RULES)
def test_one_of_the_answers_does_not_lose_if_any_move_does_not(
    spec: str, pairs: int
) -> None:
    game, num_fewer = load_game(spec), 0
    solver = Solver(game)
    for state in positions(game, pairs, seed=1, count=150):
        answers = actions_of(game, "answers", state)
        assert len(set(answers)) == len(answers)
        assert set(answers) <= set(state.legal_actions())
        if len(answers) >= len(actions_of(game, "candidates", state)):
            continue
        try:
            solution = solver.solve(state, nodes=300_000)
        except Unsolved:
            continue
        num_fewer += 1
        kept = set(answers) & set(solution.best)
        assert kept or solution.value.outcome < 0
    assert num_fewer > 0


def test_wins_that_need_threes_are_wins() -> None:
    game = load_game("gomoku:size=6,row=4")
    solver, prover, num_found = Solver(game), ForceProver(game, memory_mb=1), 0
    for state in positions(game, 7, seed=1, count=150):
        if prover.prove(state).moves and not wins_by_fours(prover, state):
            solution = solver.solve(state)
            assert solution.value.outcome == 1
            num_found += 1
    assert num_found > 0


def wins_by_fours(prover: ForceProver, state: State) -> bool:
    kernel: Any = state.game.kernel(solver_kernel)
    stack = make_force_stack(state.game, kernel, 1024)
    stack.states[0] = state.raw
    return bool(kernel.force(stack, MAX_NODES, 0) == kernel.WON)


def with_stones(spec: str, black: str, white: str) -> State:
    game = load_game(spec)
    state = game.new()
    for mark, names in ((1, black), (-1, white)):
        for name in names.split():
            state.raw.board[state.read_action(name)] = mark
    state.raw.ply = len((black + " " + white).split())
    return state


CROSSED = ("f8 g8 i9 i10", "d12 l4 k13 e3")


@pytest.mark.parametrize(
    ("spec", "moves"),
    [
        ("gomoku", 3),
        pytest.param("gomoku:rule=standard", 3, marks=pytest.mark.slow),
        pytest.param("gomoku:rule=caro", 0, marks=pytest.mark.slow),
        ("gomoku:rule=renju", 0),  # two open threes at once are a foul of black
    ],
)
def test_two_open_threes_at_once_win(spec: str, moves: int) -> None:
    state = with_stones(spec, *CROSSED)
    forced = ForceProver(state.game, memory_mb=8).prove(state, nodes=5000)
    assert forced.moves == moves
    if moves:
        assert forced.named_line(state)[0] == "i8"
        line = state.copy()
        for action in forced.line:
            line.apply(action)
        assert line.is_over
        assert line.result == 1


def test_white_presses_in_renju() -> None:
    state = with_stones("gomoku:rule=renju", CROSSED[1] + " o15", CROSSED[0])
    state.raw.to_play = 1
    assert ForceProver(state.game, memory_mb=8).prove(state, nodes=5000).moves == 3


def test_answers_to_an_open_three_are_its_points_and_own_fours() -> None:
    state = with_stones("gomoku", "g8 h8 i8 c3", "e8 o1 o2 o3")
    assert state.to_play == 0
    state.raw.to_play = 1
    names = [state.action_name(a) for a in actions_of(state.game, "answers", state)]
    assert sorted(names) == ["f8", "j8", "k8", "o4", "o5"]
