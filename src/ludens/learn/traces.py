"""Positions out of episodes in environments, as they were seen."""

from collections.abc import Sequence

import numpy as np

from ludens.game import OVER
from ludens.learn.tables import Array
from ludens.selfplay.share import NOT_SEARCHED, GameRecord, Trace


def restore_traces(
    played: Sequence[GameRecord],
    states: Array,
    facts: Array,
    ends: Array,
    rewards: Array,
) -> int:
    """Write what `learn.kernel.replay` does, of episodes instead of rules.

    Returns the first game whose trace makes no sense, or -1.
    """
    row = step = 0
    for number, one in enumerate(played):
        trace, num_plies = one.trace, len(one.kinds)
        if trace is None or not _is_possible(one, trace, states.dtype):
            return number
        seen = np.zeros(num_plies + 1, states.dtype)
        seen["observation"] = trace.observations
        seen["legal"] = trace.legal
        seen["to_play"] = trace.to_play
        searched = np.flatnonzero(one.kinds != NOT_SEARCHED)
        states[row : row + len(searched)] = seen[searched]
        facts["step"][row : row + len(searched)] = step + searched
        rewards[step : step + num_plies] = trace.rewards
        ends[number] = seen[-1]
        row += len(searched)
        step += num_plies
    return -1


def _is_possible(one: GameRecord, trace: Trace, kind: np.dtype) -> bool:
    """Tell whether an episode is one of this environment, whoever wrote it."""
    num_plies, num_actions = one.policies.shape
    shapes = (
        (num_plies + 1, *kind["observation"].shape),
        (num_plies + 1, *kind["legal"].shape),
        (num_plies + 1,),
        (num_plies,),
    )
    if tuple(part.shape for part in trace) != shapes or len(one.history) != num_plies:
        return False
    plies, actions = np.arange(num_plies), one.history
    in_range = bool(((actions >= 0) & (actions < num_actions)).all())
    is_playing = bool((trace.to_play[:-1] >= 0).all() and (trace.to_play <= 1).all())
    return (
        in_range
        and is_playing
        and bool(trace.legal[plies, actions].all())
        and (trace.to_play[-1] == OVER) == one.is_over
    )
