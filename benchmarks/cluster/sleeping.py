"""A bridge whose workers ask a network that sleeps: waiting costs no core.

So many workers can be tried on one machine, and what is lost is what a cluster loses.
"""

import os
import time

import numpy as np
import ray

from ludens.cluster import bridge
from ludens.cluster.worker import Worker
from ludens.game import Planes
from ludens.loading.game import Game
from ludens.search.model import Evaluation

SLEEP_S = 0.02


class Asleep:
    """A network that takes its time, but no work."""

    device, precision = "cpu", "f32"

    def __init__(self, num_actions: int) -> None:
        self._num_actions = num_actions

    def __call__(self, planes: Planes) -> Evaluation:
        """Return that nothing is known of positions, after a while."""
        time.sleep(SLEEP_S)
        count = len(planes)
        logits = np.zeros((count, self._num_actions), np.float32)
        return Evaluation(logits, np.zeros(count, np.float32))


class SleepingWorker(Worker):
    """A worker that asks such a network.

    It travels to its process as it is here: what its methods name has to be known.
    """

    def _evaluator(self, game: Game, name: str, content: bytes) -> Asleep:
        return Asleep(game.num_actions)


if __name__ == "__main__":
    bridge.Worker = SleepingWorker  # type: ignore[attr-defined]
    try:
        bridge.main()
    except BrokenPipeError:
        ray.shutdown()
    finally:
        os._exit(0)
