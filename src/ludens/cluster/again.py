"""Positions to search again, spread over a cluster: the thoughts of threads."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from threading import Event
from typing import Any

import numpy as np

from ludens.cluster.checking import MAX_VALUE, SLACK
from ludens.cluster.hands import Cluster, in_order
from ludens.cluster.jobs import portable_spec, read_figures, sha256
from ludens.cluster.thoughts import PositionsJob
from ludens.cluster.wire import Facts, unpack
from ludens.loading.game import Game
from ludens.nets.weights import Net
from ludens.search.config import SearchConfig
from ludens.search.model import Evaluator
from ludens.selfplay.again import Thoughts, join_thoughts

PARTS = 32
"""Jobs that positions are cut into, if none gets fewer than are searched at a time."""
_SPARE_BYTES = 2**16


@dataclass(frozen=True)
class PositionsTask:
    """Positions to search with a net, on a worker or here."""

    game: Game
    job: PositionsJob
    nets: Mapping[str, bytes]
    """The one that is asked, by its name."""
    evaluator: Callable[[], Evaluator]
    """Returns the net, ready to be asked here."""

    @property
    def max_bytes(self) -> int:
        """The most that an honest worker can answer."""
        return _SPARE_BYTES + len(self.job.seeds) * (2 * self.game.num_actions + 4)

    def to_bytes(self) -> bytes:
        """Return it as a job."""
        return self.job.to_bytes()

    def read(self, content: bytes) -> tuple[Thoughts, Facts]:
        """Return what a worker thinks; ValueError if it cannot be."""
        facts, contents = unpack(content)
        shapes = (len(self.job.seeds), self.game.num_actions), len(self.job.seeds)
        sizes = [2 * int(np.prod(shapes[0])), 4 * shapes[1]]
        if [len(part) for part in contents] != sizes:
            raise ValueError("it has thoughts of another number of positions")
        policies = np.frombuffer(contents[0], np.float16).reshape(shapes[0])
        thoughts = Thoughts(policies, np.frombuffer(contents[1], np.float32))
        _check(thoughts, self.game)
        return thoughts, {**read_figures(facts), "positions": len(self.job.seeds)}

    def play(self, stop: Event) -> Thoughts:
        """Search here."""
        return self.job.think(self.game, self.evaluator())


def _check(thoughts: Thoughts, game: Game) -> None:
    """Refuse numbers that no search finds."""
    most = 1.0 if game.num_players == 2 else MAX_VALUE
    sums = thoughts.policies.astype(np.float32).sum(1)
    if not (np.abs(thoughts.values) <= most).all():
        raise ValueError("it has absurd values")
    if not (thoughts.policies >= 0).all() or not (np.abs(sums - 1) <= SLACK).all():
        raise ValueError("it has policies that are none")


def think_together(
    cluster: Cluster,
    game: Game,
    search: SearchConfig,
    net: Net,
    make_evaluator: Callable[[Net], Evaluator],
    states: Any,
    seeds: Sequence[int],
    num_trees: int,
    should_stop: Callable[[], bool] = lambda: False,
) -> Thoughts | None:
    """Search positions [N] on a cluster; None if somebody wants to stop."""
    content = net.to_bytes()
    name, make = sha256(content), cache(lambda: make_evaluator(net))
    size, tasks = max(num_trees, -(-len(seeds) // PARTS)), []
    for first in range(0, len(seeds), size):
        part = slice(first, first + size)
        some = np.ascontiguousarray(states[part]).tobytes()
        job = PositionsJob(
            portable_spec(game), name, search, seeds[part], num_trees, some
        )
        tasks.append(PositionsTask(game, job, {name: content}, make))
    found = list(in_order(cluster.spread(tasks, should_stop)))
    return join_thoughts(found) if len(found) == len(tasks) else None
