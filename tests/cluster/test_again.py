"""Positions searched again by workers: the thoughts of threads, and no others."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from played_shares import FIGURES, GAME, SEARCH, tiny_net

from ludens.cluster.again import PositionsTask, think_together
from ludens.cluster.hands import Cluster
from ludens.cluster.jobs import sha256
from ludens.cluster.thoughts import PositionsJob, pack_thoughts
from ludens.cluster.wire import unpack
from ludens.cluster.worker import Worker
from ludens.infer.evaluator import NetEvaluator, make_evaluator
from ludens.nets.weights import Net
from ludens.selfplay.again import Thoughts, search_positions

SEEDS = [2**64 - 1, 5, 6, 7, 8, 9, 10, 11, 12]
NET = tiny_net().to_bytes()


def positions() -> Any:
    """Return positions [9] after one move each."""
    states = GAME.states(GAME.num_actions)
    for cell in range(GAME.num_actions):
        GAME.rules.apply(states[cell], cell)
    return states


def here(num_trees: int = 4) -> Thoughts:
    evaluator = make_evaluator(tiny_net(), "cpu", "f32")
    found = search_positions(GAME, SEARCH, evaluator, positions(), SEEDS, num_trees)
    assert found is not None
    return found


def nobody(net: Net) -> NetEvaluator:
    raise AssertionError("it is searched here")


def task() -> PositionsTask:
    name, states = sha256(NET), positions().tobytes()
    job = PositionsJob("tic_tac_toe", name, SEARCH, SEEDS, 4, states)
    return PositionsTask(GAME, job, {name: NET}, lambda: nobody(tiny_net()))


def assert_same(one: Thoughts, other: Thoughts) -> None:
    np.testing.assert_array_equal(one.policies, other.policies)
    np.testing.assert_array_equal(one.values, other.values)


def test_a_worker_thinks_what_threads_think() -> None:
    content = Worker("cpu", "f32", 1).play(task().to_bytes(), NET)
    assert len(content) < task().max_bytes
    thoughts, figures = task().read(content)
    assert_same(thoughts, here())
    assert_same(thoughts, here(num_trees=9))
    assert figures["positions"] == len(SEEDS)


def spoiled(field: str, value: float) -> Callable[[Thoughts], bytes]:
    def spoil(thoughts: Thoughts) -> bytes:
        getattr(thoughts, field)[-1] = value
        return pack_thoughts(thoughts, FIGURES)

    return spoil


def one_less(thoughts: Thoughts) -> bytes:
    less = Thoughts(thoughts.policies[1:], thoughts.values)
    return pack_thoughts(less, FIGURES)


@pytest.mark.parametrize(
    ("spoil", "why"),
    [
        (spoiled("values", np.nan), "absurd values"),
        (spoiled("values", 1.5), "absurd values"),
        (spoiled("policies", np.nan), "policies that are none"),
        (spoiled("policies", 1.0), "policies that are none"),
        (one_less, "another number of positions"),
        (lambda thoughts: pack_thoughts(thoughts, {"seconds": -1}), "no numbers"),
    ],
)
def test_thoughts_that_no_search_has_are_refused(
    spoil: Callable[[Thoughts], bytes], why: str
) -> None:
    with pytest.raises(ValueError, match=why):
        task().read(spoil(here()))


def test_a_job_says_all_that_decides_the_thoughts() -> None:
    job = PositionsJob.of(*unpack(task().to_bytes()))
    assert job == task().job


@pytest.mark.slow  # a Ray of its own
def test_workers_of_a_cluster_think_what_threads_think(workers: Cluster) -> None:
    how = (GAME, SEARCH, tiny_net(), nobody, positions(), SEEDS, 2)
    found = think_together(workers, *how)
    assert found is not None
    assert_same(found, here())
