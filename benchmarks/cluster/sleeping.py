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


class SleepingWorker(Worker):
    """A worker that has a network which takes its time, but no work."""

    def _evaluator(self, game: Game, name: str, content: bytes):  # type: ignore[no-untyped-def]
        num_actions = game.num_actions

        class Asleep:
            device, precision = "cpu", "f32"

            def __call__(self, planes: Planes) -> Evaluation:
                time.sleep(SLEEP_S)
                count = len(planes)
                logits = np.zeros((count, num_actions), np.float32)
                return Evaluation(logits, np.zeros(count, np.float32))

        return Asleep()


if __name__ == "__main__":
    bridge.Worker = SleepingWorker  # type: ignore[attr-defined]
    try:
        bridge.main()
    except BrokenPipeError:
        ray.shutdown()
    finally:
        os._exit(0)
