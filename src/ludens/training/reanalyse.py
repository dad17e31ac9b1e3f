"""Search games of the replay window again with the newest net (MuZero Reanalyse)."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from ludens.learn.window import Window
from ludens.loading.game import Game
from ludens.rng import key, numpy_rng
from ludens.search.config import SearchConfig
from ludens.search.model import Evaluator
from ludens.search.search import Search
from ludens.selfplay.share import FULL, NOT_SEARCHED, GameRecord


def choose_games(
    window: Window, num_positions: int, seed: int, number: int
) -> list[int]:
    """Return games with about so many positions, drawn at random, oldest first."""
    chosen: set[int] = set()
    rng, left = numpy_rng(seed, "renewing", number), num_positions
    sizes = window.game_sizes()
    for game in rng.permutation(sorted(sizes)).tolist():
        if left <= 0:
            break
        chosen.add(game)
        left -= sizes[game]
    return [game for game in sizes if game in chosen]


def search_again(
    game: Game,
    config: SearchConfig,
    evaluator: Evaluator,
    games: Sequence[GameRecord],
    states: Any,
    num_trees: int,
    threads: int,
    number: int,
    should_stop: Callable[[], bool] = lambda: False,
) -> list[GameRecord]:
    """Return games with what the net thinks of their positions now.

    `states` [N] are the positions that were searched, in order; `number` is that of the
    iteration, and decides with the seeds of the games all that is random.
    """
    searched = [np.flatnonzero(one.kinds != NOT_SEARCHED) for one in games]
    seeds = [
        key(one.seed, "reanalyse", number, int(ply))
        for one, plies in zip(games, searched, strict=True)
        for ply in plies
    ]
    search = Search(game, config, num_trees, threads, evaluator)
    policies = np.empty((len(states), game.num_actions), np.float16)
    values = np.empty(len(states), np.float32)
    for first in range(0, len(states), num_trees):
        if should_stop():
            return []
        rows = np.arange(first, first + num_trees).clip(max=len(states) - 1)
        search.reset(states[rows], [seeds[row] for row in rows])
        roots, count = search.run(), min(num_trees, len(states) - first)
        policies[first : first + count] = roots.policy[:count]
        values[first : first + count] = roots.values[:count]
    found, first = [], 0
    for one, plies in zip(games, searched, strict=True):
        part = slice(first, first + len(plies))
        found.append(_renew(one, plies, policies[part], values[part]))
        first += len(plies)
    return found


def _renew(one: GameRecord, plies: Any, policies: Any, values: Any) -> GameRecord:
    """Return a game with new policies and values at some of its plies."""
    kinds, all_policies = one.kinds.copy(), one.policies.copy()
    all_values = one.values.copy()
    kinds[plies], all_policies[plies], all_values[plies] = FULL, policies, values
    return replace(one, kinds=kinds, policies=all_policies, values=all_values)
