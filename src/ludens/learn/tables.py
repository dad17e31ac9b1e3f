"""The arrays that the window, its kernel and the learner share."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]
WHOLE = 65535
"""A policy is kept as 16-bit shares of this: exact sums, and 2 bytes an action."""
FACT_FIELDS = [
    ("value", np.float32),  # what is to be learned, for the player to move
    ("draw", np.float32),  # share of a draw in it
    ("priority", np.float32),
    ("plies_left", np.int32),
    ("end", np.int32),  # the game
    ("has_end", np.bool_),  # whether the game was played to its end
    ("teaches", np.bool_),  # whether its policy is worth learning
    ("has_reply", np.bool_),  # whether the next row is the next ply, and teaches
]
FACT = np.dtype((np.record, np.dtype(FACT_FIELDS, align=True)))


class Games(NamedTuple):
    """GameRecord games end to end: G games, their H steps and P actions."""

    steps: NDArray[np.int32]
    """[H]"""
    first_step: NDArray[np.int64]
    """[G + 1]"""
    kinds: NDArray[np.uint8]
    """[P] as in GameRecord"""
    values: NDArray[np.float32]
    """[P] as in GameRecord"""
    first_action: NDArray[np.int64]
    """[G + 1]"""
    results: NDArray[np.float32]
    """[G] for player 0"""
    is_cut: NDArray[np.bool_]
    """[G]"""


class Columns(NamedTuple):
    """Positions in the order they were played, N rows of G games."""

    states: Array
    """[N] packed states"""
    policies: NDArray[np.uint16]
    """[N, A] shares of WHOLE"""
    facts: Array
    """[N] FACT"""
    ends: Array
    """[G] the last state of each game"""


class HeldOut(NamedTuple):
    """Positions never to be learned from, with all their images, in a hash table."""

    words: NDArray[np.uint64]
    """[K, 64-bit words of a state]"""
    table: NDArray[np.int32]


class Samples(NamedTuple):
    """D distinct positions."""

    rows: NDArray[np.int32]
    """[D] the newest row with the position"""
    policy_rows: NDArray[np.int32]
    """[D] the row with the policy, -1 if none, from N on: of `merged`"""
    targets: NDArray[np.float32]
    """[D, 2] value for the player to move, share of a draw in it"""
    merged: NDArray[np.uint16]
    """[M, A] averaged policies"""
    num_held_out: int

    @property
    def size_bytes(self) -> int:
        """The memory that the samples take."""
        return sum(column.nbytes for column in self[:4])


class Batch(NamedTuple):
    """B samples for a step of the learner; all but `indices` and flags are float32."""

    planes: NDArray[np.float32]
    """[B, planes, rows, columns]"""
    policies: NDArray[np.float32]
    """[B, A], each with the sum 1, or all 0 where there is none to learn"""
    policy_weights: NDArray[np.float32]
    """[B] 0 where there is no policy to learn, else as value_weights"""
    values: NDArray[np.float32]
    """[B] for the player to move"""
    outcomes: NDArray[np.float32]
    """[B, 3] win, draw, loss; win - loss is the value. 0 in single-player games"""
    value_weights: NDArray[np.float32]
    """[B] 1, or by how much a sample that is drawn more often counts less"""
    plies_left: NDArray[np.float32]
    """[B] to be learned where has_ownership"""
    ownership: NDArray[np.float32]
    """[B, targets, rows, columns] for the player to move"""
    has_ownership: NDArray[np.bool_]
    """[B] whether the game was played to its end"""
    replies: NDArray[np.float32]
    """[B, A] the policy one ply later"""
    has_reply: NDArray[np.bool_]
    """[B]"""
    indices: NDArray[np.int64]
    """[B] for Window.update"""
