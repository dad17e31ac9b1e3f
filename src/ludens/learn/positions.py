"""Positions out of played games, and the distinct ones among them."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ludens.errors import UserError
from ludens.learn import kernel as learn_kernel
from ludens.learn.config import ReplayConfig
from ludens.learn.tables import (
    FACT,
    WHOLE,
    Array,
    Columns,
    Games,
    HeldOut,
    Samples,
)
from ludens.loading.game import Game
from ludens.selfplay.share import GameRecord


def replay_games(
    game: Game, config: ReplayConfig, played: Sequence[GameRecord]
) -> Columns:
    """Replay games by the rules into the positions that were searched."""
    if not played:
        return _no_columns(game)
    for one in played:
        if one.policies.shape != (len(one.kinds), game.num_actions):
            raise UserError(f"game {one.number} has other actions than {game.spec}")
    games = _end_to_end(played)
    states = game.states(int(np.count_nonzero(games.kinds)))
    ends = game.states(len(played))
    rewards = np.zeros(len(games.kinds), np.float32)
    kernel = game.kernel(learn_kernel)
    broken = kernel.replay(games, states, ends, rewards, config.discount)
    if broken >= 0:
        number = played[broken].number
        raise UserError(f"game {number} does not follow the rules of {game.spec}")
    facts = np.zeros(len(states), FACT)
    kernel.set_facts(games, ends, facts)
    if game.num_players == 2:
        kernel.set_results(games, states, facts, config.q_share)
    else:
        span, discount = config.n_steps, config.discount
        kernel.set_returns(games, ends, rewards, facts, span, discount)
    return Columns(states, _shares(game, played, len(states)), facts, ends)


def join(older: Columns, newer: Columns) -> Columns:
    """Put newer positions after older ones."""
    newer.facts["end"] += len(older.ends)
    pairs = zip(older, newer, strict=True)
    return Columns(*(np.concatenate(pair) for pair in pairs))


def drop(columns: Columns, num_games: int, num_positions: int) -> Columns:
    """Leave out the oldest games, which have so many positions."""
    facts = columns.facts[num_positions:]
    facts["end"] -= num_games
    return Columns(
        columns.states[num_positions:],
        columns.policies[num_positions:],
        facts,
        columns.ends[num_games:],
    )


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


def _no_columns(game: Game) -> Columns:
    """Return columns without a row."""
    policies = np.empty((0, game.num_actions), np.uint16)
    return Columns(game.states(0), policies, np.zeros(0, FACT), game.states(0))


def _shares(game: Game, played: Sequence[GameRecord], num_rows: int) -> Array:
    """Return the policies of searched positions, game by game to spare memory."""
    shares = np.empty((num_rows, game.num_actions), np.uint16)
    row = 0
    for one in played:
        policies = one.policies[one.kinds != 0].astype(np.float32)
        shares[row : row + len(policies)] = np.rint(policies * WHOLE)
        row += len(policies)
    return shares


def _end_to_end(played: Sequence[GameRecord]) -> Games:
    return Games(
        _joined([one.history for one in played], np.int32),
        _starts([len(one.history) for one in played]),
        _joined([one.kinds for one in played], np.uint8),
        _joined([one.values for one in played], np.float32),
        _starts([len(one.kinds) for one in played]),
        np.array([one.result for one in played], np.float32),
        np.array([one.ending == "cut" for one in played], np.bool_),
    )


def _joined(arrays: Sequence[Array], kind: type) -> Array:
    return np.concatenate(arrays).astype(kind, copy=False)


def _starts(lengths: Sequence[int]) -> Array:
    return np.concatenate(([0], np.cumsum(lengths))).astype(np.int64)


def _words(states: Array) -> NDArray[np.uint64]:
    num_words = states.dtype.itemsize // 8
    return states.view(np.uint64).reshape(len(states), num_words)


def _empty_table(num_keys: int) -> NDArray[np.int32]:
    """Return a table that is at most half full with so many keys."""
    return np.full(1 << (2 * num_keys).bit_length(), -1, np.int32)
