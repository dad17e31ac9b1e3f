"""Solved positions that nets are asked about, stored beside the file of a game.

The exam of my_game.py is data/my_game.exam.toml, for the game with no options changed.
"""

import tomllib
from dataclasses import dataclass
from pathlib import Path

from ludens.errors import UserError
from ludens.loading.game import Game
from ludens.solver.graded import Truth, all_positions, pack_truth
from ludens.state import State

VALUES = {"W": 1, "D": 0, "L": -1}
LETTERS = {value: letter for letter, value in VALUES.items()}

Solved = tuple[State, dict[int, int]]
"""A position and what its legal actions lead to: 1, 0, -1."""


@dataclass(frozen=True)
class PositionSet:
    """Positions of one kind, and what a net should reach in them."""

    name: str
    goal: str = ""
    goal_alone: str = ""
    """Of the net without a search."""
    positions: str = ""
    """A line for each, as `write_solved` writes it; "": all that can come up."""

    def truth(self, game: Game, most: int) -> Truth:
        """Return the positions with their values; of stored ones at most so many."""
        if not self.positions:
            return all_positions(game)
        lines = self.positions.strip().splitlines()[:most]
        try:
            return pack_truth(game, [read_solved(game, line) for line in lines])
        except (KeyError, ValueError) as error:
            what = f"the solved positions {self.name!r} of {game.spec}"
            raise UserError(f"cannot read {what}: {error}") from None


@dataclass(frozen=True)
class Exam:
    """What is asked of the nets of a game, and with how many simulations."""

    sims: int
    sets: tuple[PositionSet, ...]
    counts: str = "wrong moves"
    """Or "optimal moves": these are also counted where some move is worse."""

    def __post_init__(self) -> None:
        if not self.sets or self.counts not in ("wrong moves", "optimal moves"):
            raise ValueError("it needs sets, and counts wrong moves or optimal moves")


def find_exam(game: Game) -> Exam | None:
    """Return the exam that is stored beside a game, if there is one."""
    path = game.path.parent / "data" / f"{game.path.stem}.exam.toml"
    return None if game.changed_options or not path.is_file() else read_exam(path)


def read_exam(path: Path) -> Exam:
    """Read the file of an exam."""
    try:
        written = tomllib.loads(path.read_text(encoding="utf-8"))
        sets = tuple(PositionSet(**one) for one in written.pop("sets", ()))
        return Exam(sets=sets, **written)
    except (OSError, ValueError, TypeError, RecursionError) as error:
        raise UserError(f"cannot read {path}: {error}") from None


def write_solved(solved: Solved) -> str:
    """Return a line: the history, and a letter for each legal action."""
    state, outcomes = solved
    letters = "".join(LETTERS[outcomes[action]] for action in state.legal_actions())
    return f"{','.join(map(str, state.history))} {letters}"


def read_solved(game: Game, line: str) -> Solved:
    """Return the position that `write_solved` wrote; more words are remarks."""
    history, letters, *_ = line.split()
    state = State.replay(game, map(int, history.split(",")))
    values = (VALUES[letter] for letter in letters)
    return state, dict(zip(state.legal_actions(), values, strict=True))
