"""Solved positions that nets are asked about: what every move leads to.

`benchmarks/solved_positions.py` makes them. Those of connect four follow Pascal Pons'
test sets (blog.gamesolver.org, part 2), by which solvers and AlphaZero.jl were
measured: random games, cut somewhere, not over, no win on the next move. Stage and
difficulty are bounded as in those files.
"""

from dataclasses import dataclass
from importlib.resources import files

from ludens.loading.game import Game
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

Solved = tuple[State, dict[int, int]]
"""A position and what its legal actions lead to: 1, 0, -1."""


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
    """Return the stored sets of connect four by difficulty and stage."""
    sets: dict[tuple[str, str], list[Position]] = {name: [] for name in SIZES}
    for line in _stored("connect_four"):
        moves, score, outcomes = line.split()
        position = Position(moves, int(score), outcomes)
        sets[position.set_name].append(position)
    return sets


def load_deals(game: Game) -> list[Solved]:
    """Return the stored positions of Triple Triad, each of a deal of its own."""
    return [read_solved(game, line) for line in _stored("triple_triad")]


def write_solved(solved: Solved) -> str:
    """Return a line: the history, and a letter for each action."""
    state, outcomes = solved
    letters = "".join(LETTERS[outcomes[action]] for action in state.legal_actions())
    return f"{','.join(map(str, state.history))} {letters}"


def read_solved(game: Game, line: str) -> Solved:
    """Return the position that `write_solved` wrote."""
    history, letters = line.split()
    state = State.replay(game, map(int, history.split(",")))
    values = (VALUES[letter] for letter in letters)
    return state, dict(zip(state.legal_actions(), values, strict=True))


def _stored(game: str) -> list[str]:
    text = (files("ludens.bench") / "data" / f"{game}.txt").read_text("ascii")
    return text.splitlines()
