"""Solve the positions that nets are asked about; connect four takes an hour.

python benchmarks/solved_positions.py GAME > src/ludens/bench/data/GAME.txt
"""

from collections import Counter
from collections.abc import Iterator
from typing import Annotated

import numpy as np
import typer

from ludens.bench.solved import (
    LETTERS,
    SIZES,
    STAGES,
    Position,
    Solved,
    write_solved,
)
from ludens.errors import UserError, nearest
from ludens.loading.game import Game, load_game
from ludens.solver.exact import Solver
from ludens.state import State
from positions import random_state, solve_many
from script import run

NUM_DEALS = 400
NUM_PLIES = 8
"""Triple Triad after none to seven plies; the last two are hardly a choice."""
DEALS_SEED = 2**40
"""Of the deals and of the random moves that follow."""


def make_positions(seed: int = 0) -> Iterator[Position]:
    """Yield positions of connect four until all sets are full."""
    game = load_game("connect_four")
    for stage in STAGES:
        missing = Counter({n: size for n, size in SIZES.items() if n[1] == stage})
        states = _random_states(game, stage, seed)
        for position in solve_many(game, states, grade_position):
            if missing[position.set_name] > 0:
                missing[position.set_name] -= 1
                yield position
            if not missing.total():
                break


def grade_position(solver: Solver, state: State) -> Position:
    """Solve a position of connect four and all that can be played in it."""
    score = solver.score(state)
    outcomes = solver.outcomes(state)
    letters = (LETTERS[outcomes[c]] if c in outcomes else "-" for c in range(7))
    moves = "".join(str(int(step) + 1) for step in state.history)
    return Position(moves, score, "".join(letters))


def _random_states(game: Game, stage: str, seed: int) -> Iterator[State]:
    """Yield different positions of a stage, each number of stones as often."""
    seen: set[bytes] = set()
    generator = np.random.default_rng((seed, list(STAGES).index(stage)))
    while True:
        stones = int(generator.choice(STAGES[stage]))
        state = random_state(game, stones, generator)
        if state.raw.tobytes() not in seen:
            seen.add(state.raw.tobytes())
            yield state


def make_deals() -> Iterator[Solved]:
    """Solve random positions of Triple Triad, as many after each number of plies."""
    game = load_game("triple_triad")
    generator = np.random.default_rng(DEALS_SEED)
    states = (
        random_state(game, number % NUM_PLIES, generator) for number in range(NUM_DEALS)
    )
    return solve_many(game, states, _solve)


def _solve(solver: Solver, state: State) -> Solved:
    return state, solver.outcomes(state)


def main(
    game: Annotated[str, typer.Argument(help="connect_four or triple_triad.")],
) -> None:
    """Print solved positions of a game, a line for each; connect four takes an hour."""
    makers = {
        "connect_four": lambda: map(str, make_positions()),
        "triple_triad": lambda: map(write_solved, make_deals()),
    }
    if game not in makers:
        raise UserError(f"there are no sets of {game!r}{nearest(game, makers)}")
    for line in makers[game]():
        print(line, flush=True)


if __name__ == "__main__":
    run(main)
