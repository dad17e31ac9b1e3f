"""The distinct positions of a window, each with what all its occurrences taught."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ludens.learn import kernel as learn_kernel
from ludens.learn.tables import Array, Columns
from ludens.loading.game import Game


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


def hold_out(game: Game, states: Array) -> HeldOut:
    """Prepare to leave out states [K] and their symmetric images."""
    kernel = game.kernel(learn_kernel)
    images = game.states(len(states) * game.plain.NUM_SYMMETRIES)
    kernel.write_images(np.array(states), images)
    words, table = _words(images), _empty_table(len(images))
    kernel.enter_all(table, words)
    return HeldOut(words, table)


def gather(game: Game, columns: Columns, held_out: HeldOut, merge: bool) -> Samples:
    """Find the distinct positions and average what their rows say."""
    kernel = game.kernel(learn_kernel)
    num_rows = len(columns.states)
    links = np.empty((2, num_rows), np.int32)
    table = _empty_table(num_rows) if merge else np.empty(0, np.int32)
    kernel.find_distinct(_words(columns.states), table, *held_out, links)
    newest, older = links
    # What is thought of a position held out is not learned one ply before it either.
    columns.facts["has_reply"][:-1] &= newest[1:] >= 0
    rows = np.flatnonzero(newest == np.arange(num_rows)).astype(np.int32)
    policy_rows = np.empty(len(rows), np.int32)
    targets = np.empty((len(rows), 2), np.float32)
    num_merged = kernel.average(columns.facts, rows, older, targets, policy_rows)
    merged = np.empty((num_merged, game.num_actions), np.uint16)
    kernel.average_policies(columns, rows, older, policy_rows, merged)
    num_held_out = int(np.count_nonzero(newest < 0))
    return Samples(rows, policy_rows, targets, merged, num_held_out)


def _words(states: Array) -> NDArray[np.uint64]:
    num_words = states.dtype.itemsize // 8
    return states.view(np.uint64).reshape(len(states), num_words)


def _empty_table(num_keys: int) -> NDArray[np.int32]:
    """Return a table that is at most half full with so many keys."""
    return np.full(1 << (2 * num_keys).bit_length(), -1, np.int32)
