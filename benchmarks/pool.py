"""Run jobs in threads, with results in the order of the jobs."""

import time
from collections import deque
from collections.abc import Callable, Generator, Iterable
from concurrent.futures import Future
from queue import SimpleQueue
from threading import Thread
from typing import TypeVar

T = TypeVar("T")
_Job = tuple["Future[T]", Callable[[], T]]

AHEAD = 4
"""Jobs under way or waiting for each thread, so that none idles behind a long one."""
GRACE_S = 2.0
"""How long to wait, in all, for jobs that nobody wants any more."""


def in_order(
    jobs: Iterable[Callable[[], T]], num_threads: int
) -> Generator[T, None, None]:
    """Yield the results of the jobs; an error of one is raised at its turn.

    The threads are daemons: one that is deep in a search does not hold up the exit.
    """
    queue: SimpleQueue[_Job[T] | None] = SimpleQueue()
    waiting: deque[Future[T]] = deque()
    threads = [
        Thread(target=_work, args=(queue,), daemon=True) for _ in range(num_threads)
    ]
    for thread in threads:
        thread.start()
    try:
        for job in jobs:
            waiting.append(Future())
            queue.put((waiting[-1], job))
            if len(waiting) >= AHEAD * num_threads:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()
    finally:
        for future in waiting:
            future.cancel()
        for _ in threads:
            queue.put(None)
        end_s = time.monotonic() + GRACE_S
        for thread in threads:
            thread.join(max(0.0, end_s - time.monotonic()))


def _work(queue: "SimpleQueue[_Job[T] | None]") -> None:
    """Do jobs until told to stop."""
    while (item := queue.get()) is not None:
        future, job = item
        if future.set_running_or_notify_cancel():
            try:
                future.set_result(job())
            except BaseException as error:
                future.set_exception(error)
