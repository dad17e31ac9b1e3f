"""Search games of the replay window again with the newest net (MuZero Reanalyse)."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from ludens.learn.window import Window
from ludens.rng import key, numpy_rng
from ludens.selfplay.again import Thoughts
from ludens.selfplay.share import FULL, NOT_SEARCHED, GameRecord

Think = Callable[[Any, Sequence[int]], Thoughts | None]
"""Searches positions [N] with their seeds; returns None if somebody wants to stop."""


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
    games: Sequence[GameRecord], states: Any, number: int, think: Think
) -> list[GameRecord]:
    """Return games with what a net thinks of their positions now; none if it stops.

    `states` [N] are the positions that were searched, in order; `number` is that of the
    iteration, and decides with the seeds of the games all that is random.
    """
    searched = [np.flatnonzero(one.kinds != NOT_SEARCHED) for one in games]
    seeds = [
        key(one.seed, "reanalyse", number, int(ply))
        for one, plies in zip(games, searched, strict=True)
        for ply in plies
    ]
    thoughts = think(states, seeds)
    found, first = list[GameRecord](), 0
    if thoughts is None:
        return found
    for one, plies in zip(games, searched, strict=True):
        part = slice(first, first + len(plies))
        found.append(_renew(one, plies, thoughts.policies[part], thoughts.values[part]))
        first += len(plies)
    return found


def _renew(one: GameRecord, plies: Any, policies: Any, values: Any) -> GameRecord:
    """Return a game with new policies and values at some of its plies."""
    kinds, all_policies = one.kinds.copy(), one.policies.copy()
    all_values = one.values.copy()
    kinds[plies], all_policies[plies], all_values[plies] = FULL, policies, values
    return replace(one, kinds=kinds, policies=all_policies, values=all_values)
