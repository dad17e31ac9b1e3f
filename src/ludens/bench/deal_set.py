"""Triple Triad positions of deals of their own, with what every move leads to."""

from collections.abc import Iterator
from importlib.resources import files

import numpy as np

from ludens.bench.four_sets import LETTERS, VALUES
from ludens.bench.solver import random_state
from ludens.bench.solving import solve_many
from ludens.loading.game import Game, load_game
from ludens.solver.exact import Solver
from ludens.state import State

NUM_POSITIONS = 400
NUM_PLIES = 8
"""After none to seven plies; the last two are hardly a choice."""
SEED = 2**40
"""Of the deals and of the random moves that follow."""

Solved = tuple[State, dict[int, int]]
"""A position and what its legal actions lead to: 1, 0, -1."""


def load_deals(game: Game) -> list[Solved]:
    """Return the positions as they are stored."""
    text = (files("ludens.bench") / "data" / "triple_triad.txt").read_text("ascii")
    return [read_solved(game, line) for line in text.splitlines()]


def make_deals() -> Iterator[Solved]:
    """Solve random positions, as many after each number of plies."""
    game = load_game("triple_triad")
    generator = np.random.default_rng(SEED)
    states = (
        random_state(game, number % NUM_PLIES, generator)
        for number in range(NUM_POSITIONS)
    )
    return solve_many(game, states, solve)


def solve(solver: Solver, state: State) -> Solved:
    """Return a position with what its actions lead to."""
    return state, solver.outcomes(state)


def write_solved(solved: Solved) -> str:
    """Return a line: the cards dealt and played, and a letter for each action."""
    state, outcomes = solved
    letters = "".join(LETTERS[outcomes[action]] for action in state.legal_actions())
    return f"{','.join(map(str, state.history))} {letters}"


def read_solved(game: Game, line: str) -> Solved:
    """Return what a line tells."""
    history, letters = line.split()
    state = State.replay(game, map(int, history.split(",")))
    values = (VALUES[letter] for letter in letters)
    return state, dict(zip(state.legal_actions(), values, strict=True))


def main() -> None:
    """Print the positions, a line for each."""
    for solved in make_deals():
        print(write_solved(solved), flush=True)
