"""The arrays that the window, its kernel and the learner share."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]
WHOLE = 65535
"""A policy is kept as 16-bit shares of this: exact sums, and 2 bytes an action."""
NEXT, END, RESULT, UNKNOWN = 0, 1, 2, 3
"""What follows the action of a row and chance after it: the next row, the end of the
game, only the result of a game that has no end, or nothing that is known."""
FACT_FIELDS = [
    ("value", np.float32),  # what is to be learned, for the player to move
    ("draw", np.float32),  # share of a draw in it
    ("priority", np.float32),
    ("reward", np.float32),  # what the action brought, and chance after it
    ("plies_left", np.int32),
    ("step", np.int32),  # where its action is among the steps of all games
    ("num_outcomes", np.int32),  # of chance after its action
    ("end", np.int32),  # the game
    ("has_end", np.bool_),  # whether the game was played to its end
    ("teaches", np.bool_),  # whether its policy is worth learning
    ("has_reply", np.bool_),  # whether the next row is the next ply, and teaches
    ("after", np.int8),  # NEXT, END, RESULT or UNKNOWN
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
    results: NDArray[np.float32]
    """[G] for player 0"""
    steps: NDArray[np.int32]
    """[H] actions and outcomes of chance of all games"""


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
    of_rows: NDArray[np.int32]
    """[N] which of these each row is, -1 if it is held out"""
    num_held_out: int

    @property
    def size_bytes(self) -> int:
        """The memory that the samples take."""
        return sum(column.nbytes for column in self[:5])


class Groups(NamedTuple):
    """The rows of each of D samples."""

    first: NDArray[np.int64]
    """[D + 1] where those of a sample begin"""
    rows: NDArray[np.int32]
    """[N] those held out, then those of the samples in order"""


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


class Steps(NamedTuple):
    """What followed B rows: S = K + 1 positions, the row itself first, and K choices.

    A choice is an action, or A + an outcome of chance; a random action where the game
    is over or nothing more is known of it.
    """

    choices: NDArray[np.int64]
    """[K, B] what leads from one step to the next"""
    rows: NDArray[np.int32]
    """[S, B] the row of a player's position, -1 elsewhere"""
    players: NDArray[np.int8]
    """[S, B] for whom the targets are, -1 where there are none"""
    targets: NDArray[np.float32]
    """[S, B, 2] as in Samples; for whom, see Unrolled"""
    has_value: NDArray[np.bool_]
    """[S, B] whether there are targets"""
    rewards: NDArray[np.float32]
    """[S, B] of the choice that led there"""
    has_reward: NDArray[np.bool_]
    """[S, B]"""
    turns: NDArray[np.int8]
    """[S, B] a class of TURNS, -1 where it is unknown"""
    outcomes: NDArray[np.int32]
    """[S, B] what chance is about to give, -1 where it is not its turn"""


class Unrolled(NamedTuple):
    """B samples and what followed each in K steps, to learn a model from.

    S = K + 1; step 0 is the sample itself. Steps come first, so that those of all
    samples are one batch for the net. Values are for the player to move; on chance's
    turn, and when the game is over, for the one who moved last. If the players always
    alternate, so do they in what a model makes of a game that is over: values are for
    the one whose turn it would be. Weights are 0 where there is nothing to learn.
    """

    planes: NDArray[np.float32]
    """[S, B, planes, rows, columns], or [1, B, ...] where only the first are wanted"""
    policies: NDArray[np.float32]
    """[S, B, A]"""
    policy_weights: NDArray[np.float32]
    """[S, B]"""
    values: NDArray[np.float32]
    """[S, B]"""
    outcomes: NDArray[np.float32]
    """[S, B, 3] win, draw, loss"""
    value_weights: NDArray[np.float32]
    """[S, B]"""
    ownership: NDArray[np.float32]
    """[S, B, targets, rows, columns] for whom the values are"""
    has_ownership: NDArray[np.bool_]
    """[S, B]"""
    plies_left: NDArray[np.float32]
    """[B] as in Batch, and so are the next two"""
    replies: NDArray[np.float32]
    has_reply: NDArray[np.bool_]
    indices: NDArray[np.int64]
    choices: NDArray[np.int64]
    """[K, B] actions, or A + outcomes of chance"""
    rewards: NDArray[np.float32]
    """[S, B] of the choice that led there; chance's are part of the action's before"""
    reward_weights: NDArray[np.float32]
    """[S, B]"""
    turns: NDArray[np.int8]
    """[S, B] a class of TURNS"""
    turn_weights: NDArray[np.float32]
    """[S, B]"""
    chances: NDArray[np.int32]
    """[S, B] the outcome that chance is about to give"""
    chance_weights: NDArray[np.float32]
    """[S, B]"""
    legal: NDArray[np.bool_]
    """[S, B, A]"""
    position_weights: NDArray[np.float32]
    """[S, B] of what is legal and of planes: not 0 where a player is to move"""
