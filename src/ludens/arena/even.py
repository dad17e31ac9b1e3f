"""Positions that an agent finds even, to begin games from."""

from collections.abc import Iterator
from dataclasses import dataclass

from ludens.agents import Agent
from ludens.arena.openings import default_plies, draw_openings
from ludens.errors import UserError
from ludens.loading.game import Game
from ludens.state import State

REPEATS = 100
"""So many draws in a row that bring nothing new: there are no more positions."""
MISSES = 500
"""So many new positions in a row that are not even: others will hardly be."""
_PROOFS = {"win": 1.0, "draw": 0.0, "loss": -1.0}


@dataclass(frozen=True)
class Judged:
    """A position after random moves, and what an agent makes of it."""

    history: tuple[int, ...]
    value: float
    """For the player to move."""
    is_even: bool


def usual_plies(game: Game) -> int:
    """Return how many random moves lead to many positions that differ."""
    return 2 * default_plies(game)


def judge_openings(
    game: Game, agent: Agent, most: float, seed: int, plies: int
) -> Iterator[Judged]:
    """Yield random positions as an agent judges them, none twice if it is turned.

    It ends when there are hardly any more.
    """
    if game.num_players != 2:
        raise UserError(f"{game.name} is for one player: no position of it is even")
    known: set[bytes] = set()
    repeats = misses = 0
    for opening in draw_openings(game, seed, plies):
        state = opening.begin(game)
        position = smallest_image(state)
        repeats = repeats + 1 if position in known else 0
        if repeats == REPEATS:
            return
        if repeats:
            continue
        known.add(position)
        value = _judge(agent, state)
        is_even = abs(value) <= most
        yield Judged(opening.history, value, is_even)
        misses = 0 if is_even else misses + 1
        if misses == MISSES:
            return


def _judge(agent: Agent, state: State) -> float:
    analysis = agent.analyse(state.copy())
    return round(_PROOFS.get(analysis.proof, analysis.utility), 4) + 0.0  # no -0.0


def smallest_image(state: State) -> bytes:
    """Return what is the same for all positions that a symmetry makes of a position."""
    images = range(state.game.plain.NUM_SYMMETRIES)
    return min(bytes(state.transformed(i).raw.tobytes()) for i in images)
