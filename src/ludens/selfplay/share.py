"""Self-play in shares, which any thread or machine may play; the games they bring."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, fields
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ludens.selfplay.config import SelfplayConfig

SHARES = 32
"""That games are cut into, if none gets more than ..."""
MOST_GAMES = 64
"""... so many."""
ENDINGS = ("played", "resigned", "cut")
NOT_SEARCHED, FAST, FULL = 0, 1, 2
"""Kinds of moves: random opening, fast search (teaches a value only), full search."""


class Trace(NamedTuple):
    """What an environment showed in an episode of P actions: no rules can tell it."""

    observations: NDArray[np.float32]
    """[P + 1, numbers] before each action, and after the last"""
    legal: NDArray[np.bool_]
    """[P + 1, A]"""
    to_play: NDArray[np.int8]
    """[P + 1] who was to move, or OVER"""
    rewards: NDArray[np.float32]
    """[P] 0 with two players"""

    def is_like(self, other: "Trace") -> bool:
        """Tell whether two traces are the same to the last bit."""
        pairs: Iterable[tuple[NDArray[Any], NDArray[Any]]] = zip(
            self, other, strict=True
        )
        return all(np.array_equal(mine, theirs) for mine, theirs in pairs)


class Packed(NamedTuple):
    """Policies, and the bytes that they were unpacked from."""

    policies: NDArray[np.float16]
    """[P, A]"""
    content: bytes


@dataclass(frozen=True)
class GameRecord:
    """One game with its P actions, of the A there are; positions come by replaying."""

    number: int
    """Unique in the run."""
    seed: int
    net: int
    """The version (iteration) of the net that finished it."""
    history: NDArray[np.int32]
    """Actions and chance outcomes in order."""
    kinds: NDArray[np.uint8]
    """[P] NOT_SEARCHED, FAST or FULL"""
    policies: NDArray[np.float16]
    """[P, A] improved policy or shares of visits, zeros where not searched"""
    values: NDArray[np.float32]
    """[P] value of the root for the player to move, 0 where not searched"""
    result: float
    """For player 0; in a single-player game the score."""
    is_over: bool
    """False if resigned or cut at the limit of moves."""
    ending: str
    """One of ENDINGS."""
    trace: Trace | None = None
    """What an environment showed; None: the rules tell."""
    packed: Packed | None = None
    """The policies as a worker packed them, if a run may keep them so."""

    @property
    def num_positions(self) -> int:
        """How many positions were searched."""
        return int(np.count_nonzero(self.kinds))


@dataclass(frozen=True)
class Share:
    """A piece of an iteration; with net and settings it decides every move in it."""

    number: int
    seed: int
    """Of the run."""
    net: int
    """The version of the net that plays."""
    first_game: int
    """The number of its first new game ..."""
    stride: int
    """... and how much further that of the next one is."""
    slots: int
    """Games played at a time."""
    quota: int
    """Positions to search; games in progress then stay unfinished."""
    unfinished: Sequence[GameRecord] = ()
    """Games to go on with, one a slot from the first."""
    num_games: int = 0
    """Games that are played to their ends, whatever the quota; 0: go by the quota."""


@dataclass
class Tally:
    """What self-play did, in numbers."""

    positions: int = 0
    games: int = 0
    evals: int = 0
    sims: int = 0
    batches: int = 0
    room: int = 0
    """Evaluations that the batches had room for."""
    depth: int = 0
    """Steps that simulations went down from their roots, all together."""
    resigned: int = 0
    control: int = 0
    """Games that would have been resigned, had they not been in the control sample."""
    control_wrong: int = 0
    """Of these, the ones that were not lost."""
    dropped: int = 0
    """Games that could not be gone on with: their environment did something else."""

    def __add__(self, other: "Tally") -> "Tally":
        sums = {
            f.name: getattr(self, f.name) + getattr(other, f.name) for f in fields(self)
        }
        return Tally(**sums)


RUNNING = ("positions", "games", "evals", "sims", "batches", "room", "depth")
"""What is told of a share while it is played."""


@dataclass(frozen=True)
class SharePlayed:
    """What a share brought, or all shares of an iteration together."""

    games: list[GameRecord]
    """Those that have ended."""
    unfinished: list[GameRecord]
    """Games in progress, for the next iteration to go on with."""
    tally: Tally = field(default_factory=Tally)
    next_game: int = 0
    """A number above those of all games."""


def cut_shares(
    config: SelfplayConfig,
    seed: int,
    net: int,
    first_game: int = 0,
    unfinished: Sequence[GameRecord] = (),
) -> list[Share]:
    """Cut an iteration into shares: so many as the settings say, or one a thread."""
    num_shares = min(config.shares or config.num_threads, config.games)
    quota = -(-config.positions // num_shares)
    bounds = np.linspace(0, config.games, num_shares + 1).astype(int).tolist()
    return [
        Share(
            number=number,
            seed=seed,
            net=net,
            first_game=first_game + number,
            stride=num_shares,
            slots=end - start,
            quota=quota,
            unfinished=unfinished[start:end],
        )
        for number, (start, end) in enumerate(pairwise(bounds))
    ]


def cut_games(num_games: int, seed: int, net: int, first_game: int = 0) -> list[Share]:
    """Cut so many games, from one on, into shares that play them to their ends."""
    size = max(1, min(MOST_GAMES, num_games // SHARES))
    return [
        Share(
            number=number,
            seed=seed,
            net=net,
            first_game=first,
            stride=1,
            slots=min(size, num_games - first),
            quota=0,
            num_games=min(size, num_games - first),
        )
        for number, first in enumerate(range(first_game, num_games, size))
    ]


def join_shares(parts: Iterable[SharePlayed]) -> SharePlayed:
    """Put together what the shares of an iteration brought, given in their order."""
    parts = list(parts)
    games = [game for part in parts for game in part.games]
    return SharePlayed(
        games=sorted(games, key=lambda game: game.number),
        unfinished=[game for part in parts for game in part.unfinished],
        tally=sum((part.tally for part in parts), Tally()),
        next_game=max(part.next_game for part in parts),
    )
