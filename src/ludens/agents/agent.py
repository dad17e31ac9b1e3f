"""The one interface of all that picks moves, and the limit of how long it may think."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING

import numpy as np

from ludens.agents.analysis import Analysis
from ludens.rng import numpy_rng
from ludens.state import State

if TYPE_CHECKING:
    from ludens.search.search import Search

SLICE_S = 0.1
MANY = 2**30
"""The capacity of an agent that keeps nothing from one move to the next."""


@dataclass(frozen=True)
class Limit:
    """How long to think about a move; None: no limit of this kind.

    An agent obeys what it can count: a search sims and seconds, a solver nodes and
    seconds, all others nothing. Only a search obeys `moves`.
    """

    sims: int | None = None
    seconds: float | None = None
    nodes: int | None = None
    moves: tuple[int, ...] | None = None
    """The only actions to look at, legal ones."""

    def over(self, default: "Limit") -> "Limit":
        """Return this limit, with the default's value for each field that is None."""
        given = {f.name: getattr(self, f.name) for f in fields(self)}
        return Limit(
            **{k: getattr(default, k) if v is None else v for k, v in given.items()}
        )


NO_LIMIT = Limit()


@dataclass(frozen=True)
class Thought:
    """What an agent knows at the end of a slice of time."""

    action: int
    """The action that it would play now."""
    analyse: Callable[[int | None], Analysis] | None = None
    """Return the analysis, with main lines for so many moves (None: all)."""
    is_final: bool = False
    """Whether no more thinking can change the action."""


class Agent:
    """Picks moves, in states that do not know what chance will bring.

    The seed and the history of the state decide what is random. A limit given in a
    call wins over the agent's default limit, field by field.
    """

    name = "agent"
    is_batched = False
    """Whether asking about many games together is faster."""
    can_fail = False
    """Whether it may raise UserError because it cannot tell what to play."""

    def __init__(self, seed: int = 0, default: Limit = NO_LIMIT) -> None:
        self.seed = seed
        self.default = default

    @property
    def capacity(self) -> int:
        """How many games it can be asked about together and keep apart."""
        return 1

    @property
    def search(self) -> "Search | None":
        """The search whose tree can be shown, if there is one."""
        return None

    def compile(self) -> None:
        """Compile what is not compiled yet, so that no clock counts it."""

    def open(self) -> None:
        """Start what it needs outside of this process; raise UserError if it cannot."""

    def close(self) -> None:
        """End what it has started outside of this process."""

    def choose(self, state: State, limit: Limit = NO_LIMIT) -> int:
        """Return the action to play; raise UserError if there is no telling."""
        return self.choose_many([state], limit)[0]

    def choose_many(
        self,
        states: Sequence[State],
        limit: Limit = NO_LIMIT,
        seeds: Sequence[int] | None = None,
    ) -> list[int]:
        """Return the action to play in each of many games.

        A seed stands for its game in all calls; None: it is one game, with the agent's
        own seed. An agent defines this or `choose`.
        """
        return [self.choose(state, limit) for state in states]

    def analyse(self, state: State, limit: Limit = NO_LIMIT) -> Analysis:
        """Return what is known of each move, the best first."""
        raise NotImplementedError

    def think(
        self, state: State, limit: Limit = NO_LIMIT, slice_s: float = SLICE_S
    ) -> Iterator[Thought | None]:
        """Yield what is known after each slice of time, None while that is nothing."""
        analysis = self.analyse(state, limit)
        yield Thought(self.choose(state, limit), lambda _: analysis, is_final=True)

    def stop(self) -> None:
        """End the slice that another thread is in, if it can be ended."""

    def outlook(self, seed: int) -> float | None:
        """Return what it expected of the game of a seed when it last chose there."""
        return None

    def seeds_of(
        self, states: Sequence[State], seeds: Sequence[int] | None
    ) -> Sequence[int]:
        """Return the seed of each game."""
        return [self.seed] * len(states) if seeds is None else seeds


def move_generator(seed: int, ply: int) -> np.random.Generator:
    """Return the generator by which an agent of this seed samples a move."""
    return numpy_rng(seed, "move", ply)
