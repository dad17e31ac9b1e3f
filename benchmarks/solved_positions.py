"""Solve the positions that nets are asked about; connect four takes an hour.

python benchmarks/solved_positions.py GAME

It prints the lines of src/ludens/games/data/GAME.exam.toml, of all sets by turns.
Those of connect four follow Pascal Pons' test sets (blog.gamesolver.org, part 2), by
which solvers and AlphaZero.jl were measured: random games, cut somewhere, not over, no
win on the next move. Stage and difficulty are bounded as in those files.
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated

import numpy as np
import typer

from ludens.bench.solved import Solved, write_solved
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
CELLS = 42
STAGES = {"opening": range(10, 15), "middle": range(15, 29), "end": range(29, 41)}
"""Stones on the board. Before the tenth, solving takes minutes for a position."""
DIFFICULTIES = {"easy": range(15), "medium": range(15, 29), "hard": range(29, 43)}
"""Plies to the end under perfect play."""
SIZES = {
    ("easy", "opening"): 500,
    ("easy", "middle"): 500,
    ("easy", "end"): 500,
    ("medium", "opening"): 500,
    ("medium", "middle"): 500,
    ("hard", "opening"): 100,
}
"""Positions of each set."""


@dataclass(frozen=True)
class Position:
    """A position of connect four and its exact value."""

    solved: str
    """As `write_solved` writes it."""
    score: int
    """As `ludens solve --score` counts: 0 for a draw, a quick win is high."""

    @property
    def num_stones(self) -> int:
        """How many stones are on the board."""
        return len(self.solved.split()[0].split(","))

    @property
    def set_name(self) -> tuple[str, str]:
        """Difficulty and stage."""
        left, stones = self.plies_left, self.num_stones
        return (
            next(name for name, plies in DIFFICULTIES.items() if left in plies),
            next(name for name, most in STAGES.items() if stones < most.stop),
        )

    @property
    def plies_left(self) -> int:
        """How many plies perfect play takes to the end."""
        stones, winner = self.num_stones, CELLS // 2 + 1 - abs(self.score)
        if self.score == 0:
            return CELLS - stones
        if self.score > 0:
            return 2 * (winner - stones // 2) - 1
        return 2 * (winner - (stones + 1) // 2)

    def __str__(self) -> str:
        return f"{self.solved} {self.score}"


def read_position(line: str) -> Position:
    """Return the position of a line."""
    solved, _, score = line.rpartition(" ")
    return Position(solved, int(score))


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
    solved = write_solved((state, solver.outcomes(state)))
    return Position(solved, solver.score(state))


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
