"""Exact play: against brute force, published scores and hand-worked positions."""

from functools import cache

import numpy as np
import pytest

from ludens import Game, State, UserError, load_game
from ludens.solver import kernel as solver_kernel
from ludens.solver.exact import Solver, Unsolved, Value

SLOW = pytest.mark.slow  # what a game's options change has tests of its own
# From the published sets of test positions for connect four solvers.
PUBLISHED = [
    ("32164625", 11),
    ("2252576253462244111563365343671351441", -1),
    ("7422341735647741166133573473242566", 1),
]


def brute_force(state: State) -> int:
    """Return 100 - plies for a win, plies - 100 for a loss: look at everything."""

    @cache
    def value(raw: bytes) -> int:
        at = State(state.game)
        at._array[:] = np.frombuffer(raw, at._array.dtype)
        best = -100
        for action in at.legal_actions():
            child = at.copy()
            child.apply(action)
            if child.is_over:
                mine = int(child.result or 0) * (1 if at.to_play == 0 else -1) * 100
            else:
                mine = -value(child._array.tobytes())
            mine -= np.sign(mine)
            best = max(best, int(mine))
        return best

    return value(state._array.tobytes())


def as_brute_force(value: Value) -> int:
    return 0 if value.plies is None else value.outcome * (100 - value.plies)


def random_state(game: Game, plies: int, seed: int) -> State:
    """Return a position that is not over, after so many random moves."""
    generator = np.random.default_rng((seed, plies))
    while True:
        state = game.new(seed=int(generator.integers(1000)))
        for _ in range(plies):
            if not state.is_over:
                state.apply(int(generator.choice(state.legal_actions())))
        if not state.is_over:
            return state


@pytest.mark.parametrize(
    ("spec", "plies", "count"),
    [
        ("tic_tac_toe", 0, 1),
        ("tic_tac_toe", 1, 9),
        ("tic_tac_toe", 3, 30),
        pytest.param(*("connect_four:rows=4,columns=4,connect=3", 2, 4), marks=SLOW),
        pytest.param("connect_four:rows=4,columns=4", 8, 20, marks=SLOW),
        pytest.param("connect_four:rows=5,columns=4", 10, 10, marks=SLOW),
        ("connect_four", 33, 20),
        pytest.param("gomoku:size=5,row=4", 18, 10, marks=SLOW),
        pytest.param("gomoku:size=5,rule=standard,row=3", 18, 10, marks=SLOW),
        pytest.param("gomoku:size=5,rule=renju", 19, 10, marks=SLOW),
        pytest.param("gomoku:size=5,rule=renju", 18, 10, marks=SLOW),
        pytest.param("gomoku:size=5,rule=caro", 18, 10, marks=SLOW),
        pytest.param("pyrga", 24, 15, marks=SLOW),
        ("triple_triad", 4, 6),
        pytest.param(
            "triple_triad:same=true,plus=true,elemental=true", 5, 6, marks=SLOW
        ),
    ],
)
def test_solver_agrees_with_brute_force(spec: str, plies: int, count: int) -> None:
    game = load_game(spec)
    solver = Solver(game, memory_mb=8)
    for seed in range(count):
        state = random_state(game, plies, seed)
        assert as_brute_force(solver.value(state)) == brute_force(state), state


def test_values_of_all_moves_and_best_moves_agree_with_brute_force() -> None:
    game = load_game("tic_tac_toe")
    solver = Solver(game, memory_mb=1)
    for seed in range(20):
        state = random_state(game, 3, seed)
        values = {a: as_brute_force(v) for a, v in solver.values(state).items()}
        top = brute_force(state)
        assert max(values.values()) == top
        best = solver.solve(state).best
        assert best == tuple(a for a, value in values.items() if value == top)


@pytest.mark.parametrize(
    ("spec", "plies"),
    [
        ("tic_tac_toe", 2),
        pytest.param("pyrga", 24, marks=SLOW),
        ("triple_triad", 4),
    ],
)
def test_outcomes_of_all_moves_are_the_values_without_the_distance(
    spec: str, plies: int
) -> None:
    game = load_game(spec)
    solver = Solver(game, memory_mb=1)
    for seed in range(10):
        state = random_state(game, plies, seed)
        values = solver.values(state)
        outcomes = {action: value.outcome for action, value in values.items()}
        assert solver.outcomes(state) == outcomes


def test_line_of_perfect_play_ends_as_promised() -> None:
    game = load_game("connect_four")
    solver = Solver(game, memory_mb=16)
    for seed in range(20):
        state = random_state(game, 22, seed)
        solution = solver.solve(state)
        at = state.copy()
        for action in solution.line:
            at.apply(action)
        sign = 1 if state.to_play == 0 else -1
        assert at.is_over
        assert at.result == solution.value.outcome * sign
        if solution.value.plies is not None:
            assert len(solution.line) == solution.value.plies


def test_tic_tac_toe_is_a_draw_whatever_the_first_move() -> None:
    game = load_game("tic_tac_toe")
    solution = Solver(game, memory_mb=1).solve(game.new())
    assert solution.value == Value(0, None)
    assert solution.best == tuple(range(9))


def test_what_is_solved_in_a_time_limit_was_compiled_before() -> None:
    game = load_game("tic_tac_toe")
    solver = Solver(game, memory_mb=1)
    entry = game.kernel(solver_kernel).search
    compiled = list(entry.signatures)
    assert compiled
    solver.solve(game.new(), seconds=60)
    assert entry.signatures == compiled


@pytest.mark.parametrize(("moves", "score"), PUBLISHED)
def test_connect_four_scores_are_the_published_ones(moves: str, score: int) -> None:
    game = load_game("connect_four")
    state = game.new()
    state.apply_moves(moves)
    assert Solver(game, memory_mb=64).score(state) == score


def test_small_table_changes_nothing_but_time() -> None:
    game = load_game("connect_four")
    tiny, roomy = Solver(game, memory_mb=1), Solver(game, memory_mb=64)
    for seed in range(10):
        state = random_state(game, 20, seed)
        assert tiny.value(state) == roomy.value(state)


def test_whole_deal_of_triple_triad_is_solved() -> None:
    game = load_game("triple_triad")
    solution = Solver(game, memory_mb=64).solve(game.new(seed=1))
    assert len(solution.line) == 9
    assert solution.best


def test_limits_of_nodes_and_seconds_are_kept() -> None:
    game = load_game("connect_four")
    solver = Solver(game, memory_mb=1)
    with pytest.raises(Unsolved, match=r"not solved within 1,000 nodes \("):
        solver.solve(game.new(), nodes=1000)
    assert solver.nodes <= 1001
    with pytest.raises(Unsolved, match=r"not solved within 0.05 s \("):
        solver.solve(game.new(), seconds=0.05)
    state = game.new()
    state.apply_moves("32164625")
    assert solver.score(state) == 11


@pytest.mark.parametrize(
    ("spec", "words"),
    [("triangle", "one player"), ("tic_tac_toe", "over")],
)
def test_what_cannot_be_solved_is_refused(spec: str, words: str) -> None:
    game = load_game(spec)
    state = game.new()
    while not state.is_over:
        state.apply(state.legal_actions()[0])
    for ask in (Solver.solve, Solver.score):
        with pytest.raises(UserError, match=words):
            ask(Solver(game, memory_mb=1), state)


def test_search_runs_uncompiled_too() -> None:
    game = load_game("tic_tac_toe", compiled=False)
    state = game.new()
    state.apply_moves("b2 a2 a1")
    assert str(Solver(game, memory_mb=1).value(state)) == "loss in 4 plies"
