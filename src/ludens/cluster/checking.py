"""What a worker brings is checked like a stranger's file, before a run keeps it."""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from ludens.game import OVER
from ludens.learn.config import ReplayConfig
from ludens.learn.positions import replay_games
from ludens.loading.game import Game
from ludens.selfplay import kernel as selfplay_kernel
from ludens.selfplay.share import FULL, NOT_SEARCHED, GameRecord, Share, SharePlayed
from ludens.selfplay.worker import game_seed

MAX_VALUE = 1e6
"""Of a position in a single-player game."""
SLACK = 0.02
"""Of a policy's sum: numbers of 16 bits have three digits."""


def check_played(game: Game, share: Share, played: SharePlayed) -> None:
    """Refuse, with a ValueError, what cannot have come of a share."""
    _check_counts(share, played)
    if played.tally.dropped > (len(share.unfinished) if game.environment else 0):
        raise ValueError("it has dropped games that it need not drop")
    _check_numbers(share, played)
    games = [*played.games, *played.unfinished]
    before = {one.number: one for one in share.unfinished}
    for one in games:
        _check_record(game, share, one, before.get(one.number))
    new = sum(one.num_positions for one in games)
    old = sum(one.num_positions for one in share.unfinished)
    if new - old != played.tally.positions and not played.tally.dropped:
        raise ValueError("it has other positions than it counts")
    ends = replay_games(game, ReplayConfig(), games).ends
    for one, end in zip(games, ends, strict=True):
        _check_end(game, one, end, is_finished=one.number in _numbers(played.games))


def _check_counts(share: Share, played: SharePlayed) -> None:
    tally, most = played.tally, share.quota + share.slots
    if not share.num_games and not share.quota <= tally.positions <= most:
        raise ValueError(f"it has {tally.positions:,} positions, not {share.quota:,}")
    wanted = share.num_games or tally.games, 0 if share.num_games else share.slots
    found = len(played.games), len(played.unfinished)
    if tally.games != found[0] or found != wanted:
        raise ValueError("it has another number of games than the share")


def _check_numbers(share: Share, played: SharePlayed) -> None:
    """Refuse games that were not begun in the share, or are there twice."""
    begun = range(share.first_game, played.next_game, share.stride)
    found = [one.number for one in (*played.games, *played.unfinished)]
    dropped = played.tally.dropped
    is_fine = len(begun) + len(share.unfinished) == len(found) + dropped
    if is_fine:
        expected = {*begun, *_numbers(share.unfinished)}
        is_fine = len(set(found)) == len(found) and set(found) <= expected
    if not is_fine or played.next_game != begun.start + len(begun) * begun.step:
        raise ValueError("it has games that are not of the share")


def _numbers(games: Sequence[GameRecord]) -> set[int]:
    return {one.number for one in games}


def _check_record(
    game: Game, share: Share, one: GameRecord, before: GameRecord | None
) -> None:
    """Refuse a game with another seed or net, other beginnings, or absurd numbers."""
    seed = game_seed(share, one.number) if before is None else before.seed
    if (one.seed, one.net) != (seed, share.net):
        raise ValueError(f"game {one.number} has another seed or net")
    if before is not None:
        kept = len(before.kinds)
        same = (
            np.array_equal(one.history[: len(before.history)], before.history)
            and np.array_equal(one.kinds[:kept], before.kinds)
            and np.array_equal(one.values[:kept], before.values)
            and np.array_equal(one.policies[:kept], before.policies)
        )
        if not same:
            raise ValueError(f"game {one.number} does not go on as it began")
    most = 1.0 if game.num_players == 2 else MAX_VALUE
    if np.abs(one.values).max(initial=0.0) > most:
        raise ValueError(f"game {one.number} has absurd values")
    sums = one.policies.astype(np.float32).sum(1)
    searched = one.kinds == FULL
    if (np.abs(sums[searched] - 1) > SLACK).any() or sums[
        one.kinds == NOT_SEARCHED
    ].any():
        raise ValueError(f"game {one.number} has policies that are none")


def _check_end(game: Game, one: GameRecord, end: Any, is_finished: bool) -> None:
    """Refuse a game whose end or result is not what the rules say."""
    is_over = bool(end["to_play"] == OVER)
    if one.is_over != is_over or (not is_finished and is_over):
        raise ValueError(f"game {one.number} does not end where it says")
    if is_over != (one.ending == "played") or (not is_finished and one.ending != "cut"):
        raise ValueError(f"game {one.number} does not end as it says")
    if not is_result(game, one, end):
        raise ValueError(f"game {one.number} has another result")


def is_result(game: Game, one: GameRecord, end: Any) -> bool:
    """Tell whether a game has the result that its end, or its rewards, say.

    Rewards are kept with seven digits, and a score is a sum of those with sixteen.
    """
    expected = _result_of(game, one, end)
    return math.isclose(one.result, expected, rel_tol=1e-4, abs_tol=1e-4)


def _result_of(game: Game, one: GameRecord, end: Any) -> float:
    if game.num_players == 1 and one.trace is not None:
        return float(sum(one.trace.rewards.tolist()))
    if game.num_players == 1:
        movers, states = np.empty(len(one.history), np.int8), game.states(1)
        kernel, history = game.kernel(selfplay_kernel), one.history.astype(np.int32)
        score, _ = kernel.retrace(states, 0, game.states(1), history, movers)
        return float(score)
    if one.ending == "resigned":
        return 1.0 if end["to_play"] == 1 else -1.0
    return float(game.rules.result(end)) if one.is_over else 0.0
