"""What the rules of a game do, as a short text that is the same on every machine."""

import hashlib
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ludens.state import State

if TYPE_CHECKING:
    from ludens.loading.game import Game

NUM_GAMES = 4
MAX_STEPS = 100
NUM_WATCHED = 16


def behaviour_of(game: "Game") -> str:
    """Play some games, each step decided by all before it; hash what was seen.

    Nets and databases keep it: unlike a hash of the code it survives another version
    of Python or Numba, another processor, and changes that change nothing. Of an
    environment only the sizes count: what it does may be different each time.
    """
    digest = hashlib.sha256()
    if game.environment is not None:
        digest.update(repr(tuple(game.environment.spaces)).encode())
        return digest.hexdigest()[:24]
    for _ in range(NUM_GAMES):
        state = State(game)
        for _ in range(MAX_STEPS):
            if state.is_over:
                break
            _step(state, digest)
        digest.update(f"{state.result} {state.score:.4f}".encode())
    return digest.hexdigest()[:24]


class TurnOrder(NamedTuple):
    """Who moves after whom."""

    alternates: bool
    """Whether two players simply move by turns."""
    has_chance: bool
    """Whether chance moves after a player has; a deal before the start does not count.
    """


def turn_order_of(game: "Game") -> TurnOrder:
    """Watch who moves after whom in some games, the same ones each time."""
    alternates = game.num_players == 2
    for number in range(NUM_WATCHED):
        state = State(game)
        digest = hashlib.sha256(bytes([number]))
        mover = -1
        for _ in range(MAX_STEPS):
            if state.is_over:
                break
            if not state.is_chance:
                alternates &= state.to_play != mover
                mover = state.to_play
            elif mover >= 0:
                return TurnOrder(False, has_chance=True)
            _step(state, digest)
    return TurnOrder(alternates, has_chance=False)


def _step(state: State, digest: Any) -> None:
    if state.is_chance:
        outcomes = state.chance()
        digest.update(repr([(i, round(p, 6)) for i, p in outcomes]).encode())
        state.apply_chance(outcomes[_pick(digest, len(outcomes))][0])
        return
    actions = state.legal_actions()
    digest.update(repr((state.to_play, actions)).encode())
    digest.update(np.rint(256 * state.observe()).astype("<i4").tobytes())
    state.apply(actions[_pick(digest, len(actions))])


def _pick(digest: Any, count: int) -> int:
    return int.from_bytes(digest.digest()[:8], "little") % count
