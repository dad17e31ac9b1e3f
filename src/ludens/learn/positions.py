"""Positions out of played games, and the distinct ones among them."""

from collections.abc import Iterable, Sequence

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
    Groups,
    HeldOut,
    Samples,
)
from ludens.learn.traces import restore_traces
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
    facts = np.zeros(len(states), FACT)
    if game.environment is None:
        broken = kernel.replay(games, states, facts, ends, rewards, config.discount)
    else:
        broken = restore_traces(played, states, facts, ends, rewards)
    if broken >= 0:
        number = played[broken].number
        raise UserError(f"game {number} does not follow the rules of {game.spec}")
    kernel.set_facts(games, ends, rewards, facts)
    span, discount = config.n_steps, config.discount
    if game.num_players == 2:
        kernel.set_results(games, states, facts, config.q_share, span, discount)
    else:
        kernel.set_returns(games, ends, rewards, facts, span, discount)
    shares = _shares(game, played, len(states))
    return Columns(states, shares, facts, ends, games.results, games.steps)


def join(older: Columns, newer: Columns) -> Columns:
    """Put newer positions after older ones."""
    newer.facts["end"] += len(older.ends)
    newer.facts["step"] += len(older.steps)
    pairs: Iterable[tuple[Array, Array]] = zip(older, newer, strict=True)
    return Columns(*(np.concatenate(pair) for pair in pairs))


def drop(columns: Columns, num_games: int, num_positions: int) -> Columns:
    """Leave out the oldest games, which have so many positions."""
    facts = columns.facts[num_positions:]
    num_steps = int(facts["step"][0]) if len(facts) else len(columns.steps)
    facts["end"] -= num_games
    facts["step"] -= num_steps
    return Columns(
        columns.states[num_positions:],
        columns.policies[num_positions:],
        facts,
        columns.ends[num_games:],
        columns.results[num_games:],
        columns.steps[num_steps:],
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
    is_newest = newest == np.arange(num_rows)
    rows = np.flatnonzero(is_newest).astype(np.int32)
    policy_rows = np.empty(len(rows), np.int32)
    targets = np.empty((len(rows), 2), np.float32)
    num_merged = kernel.average(columns.facts, rows, older, targets, policy_rows)
    merged = np.empty((num_merged, game.num_actions), np.uint16)
    kernel.average_policies(columns, rows, older, policy_rows, merged)
    num_held_out = int(np.count_nonzero(newest < 0))
    numbers = np.cumsum(is_newest, dtype=np.int32) - 1
    of_rows = np.where(newest < 0, np.int32(-1), numbers[newest])
    return Samples(rows, policy_rows, targets, merged, of_rows, num_held_out)


def group_rows(samples: Samples) -> Groups:
    """Bring together the rows that have the same position."""
    counts = np.bincount(samples.of_rows + 1, minlength=len(samples.rows) + 1)
    rows = np.argsort(samples.of_rows, kind="stable").astype(np.int32)
    return Groups(np.cumsum(counts), rows)


def _no_columns(game: Game) -> Columns:
    """Return columns without a row."""
    policies = np.empty((0, game.num_actions), np.uint16)
    results, steps = np.empty(0, np.float32), np.empty(0, np.int32)
    none = game.states(0)
    return Columns(none, policies, np.zeros(0, FACT), none, results, steps)


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
