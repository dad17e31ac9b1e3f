"""Connect four positions by stage and difficulty, with what every move leads to.

They are made as Pascal Pons made his test sets (blog.gamesolver.org, part 2), by which
solvers and AlphaZero.jl were measured: games at random, cut somewhere, not over, no win
on the next move. Stage and difficulty are bounded as in those files.
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.resources import files

import numpy as np

from ludens.bench.solver import random_state
from ludens.bench.solving import solve_many
from ludens.loading.game import Game, load_game
from ludens.solver.exact import Solver
from ludens.state import State

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
VALUES = {"W": 1, "D": 0, "L": -1}
LETTERS = {value: letter for letter, value in VALUES.items()}


@dataclass(frozen=True)
class Position:
    """A position of connect four and its exact value."""

    moves: str
    """Columns from 1 to 7."""
    score: int
    """As `ludens solve --score` counts: 0 for a draw, a quick win is high."""
    outcomes: str
    """Of each column [7]: W, D or L for who plays it, - if it is full."""

    @property
    def set_name(self) -> tuple[str, str]:
        """Difficulty and stage."""
        left, stones = self.plies_left, len(self.moves)
        return (
            next(name for name, plies in DIFFICULTIES.items() if left in plies),
            next(name for name, most in STAGES.items() if stones < most.stop),
        )

    @property
    def plies_left(self) -> int:
        """How many plies perfect play takes to the end."""
        stones, winner = len(self.moves), CELLS // 2 + 1 - abs(self.score)
        if self.score == 0:
            return CELLS - stones
        if self.score > 0:
            return 2 * (winner - stones // 2) - 1
        return 2 * (winner - (stones + 1) // 2)

    @property
    def values(self) -> dict[int, int]:
        """What each column that is open leads to: 1, 0, -1."""
        return {
            column: VALUES[letter]
            for column, letter in enumerate(self.outcomes)
            if letter in VALUES
        }

    def state(self, game: Game) -> State:
        """Return the position on the board."""
        return State.replay(game, (int(column) - 1 for column in self.moves))

    def __str__(self) -> str:
        return f"{self.moves} {self.score} {self.outcomes}"


def load_positions() -> dict[tuple[str, str], list[Position]]:
    """Return the sets by difficulty and stage, as they are stored."""
    text = (files("ludens.bench") / "data" / "connect_four.txt").read_text("ascii")
    sets: dict[tuple[str, str], list[Position]] = {name: [] for name in SIZES}
    for line in text.splitlines():
        moves, score, outcomes = line.split()
        position = Position(moves, int(score), outcomes)
        sets[position.set_name].append(position)
    return sets


def make_positions(seed: int = 0) -> Iterator[Position]:
    """Yield positions until all sets are full."""
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
    """Solve a position and all that can be played in it."""
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


def main() -> None:
    """Print the positions, a line for each."""
    for position in make_positions():
        print(position, flush=True)
