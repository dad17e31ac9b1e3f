"""Threads that think, a slice of time for each page in turn."""

import threading
from collections import deque
from collections.abc import Callable, Generator, Hashable
from typing import Any

Reply = dict[str, Any]
Work = Generator[Reply | None, None, Reply]
"""Gives an event, or None, after each slice; returns the answer."""


class Job:
    """Some work of a page; `tell` and `finish` are called from a thread."""

    def __init__(
        self,
        page: Hashable,
        begin: "Callable[[Job], Work]",
        tell: Callable[[Reply], None],
        finish: Callable[[Reply | Exception], None],
    ) -> None:
        self.page = page
        self.is_stopped = False
        self.on_stop: Callable[[], None] = _nothing
        """Ends a slice early."""
        self._work = begin(self)
        self._tell = tell
        self._finish = finish

    def stop(self) -> None:
        """Let it end with the slice it is in."""
        self.is_stopped = True
        self.on_stop()

    def advance(self) -> bool:
        """Think for a slice; return whether there is more to do."""
        has_more = self._advance()
        if not has_more:
            self._let_go()
        return has_more

    def _let_go(self) -> None:
        """Forget what thought, and its tree, though somebody may still hold the job."""
        self._work.close()
        self._work = _no_work()
        self.on_stop = _nothing
        self._tell = self._finish = _nothing  # who is told holds the job in turn

    def _advance(self) -> bool:
        if self.is_stopped:
            self._work.close()
            return False
        try:
            event = next(self._work)
        except StopIteration as end:
            self._finish(end.value)
            return False
        except Exception as error:
            self._finish(error)
            return False
        if event is not None and not self.is_stopped:
            self._tell(event)
        return True


def _nothing(*_: object) -> None:
    return None


def _no_work() -> Work:
    yield None
    return {}


class Crew:
    """Some threads and the jobs of all pages; no page waits for another's jobs."""

    def __init__(self, num_threads: int) -> None:
        self.num_threads = num_threads
        self._jobs: dict[Hashable, deque[Job]] = {}
        self._ring: deque[Hashable] = deque()
        self.num_jobs = 0
        """Submitted, and not at their end."""
        self._change = threading.Condition()
        self._is_closed = False
        self._threads = [
            threading.Thread(target=self._run, name=f"thinker {i}", daemon=True)
            for i in range(num_threads)
        ]
        for thread in self._threads:
            thread.start()

    def submit(self, job: Job) -> None:
        """Put a job behind the others of its page."""
        with self._change:
            self.num_jobs += 1
            self._queue(job)

    def _queue(self, job: Job) -> None:
        """Let a job wait for its turn; the caller holds the condition."""
        if job.page not in self._jobs:
            self._jobs[job.page] = deque()
            self._ring.append(job.page)
        self._jobs[job.page].append(job)
        self._change.notify()

    def close(self) -> None:
        """End the threads with the slices they are in."""
        with self._change:
            self._is_closed = True
            self._change.notify_all()
        for thread in self._threads:
            thread.join()

    def _run(self) -> None:
        while (job := self._take()) is not None:
            has_more = job.advance()
            with self._change:
                if has_more:
                    self._queue(job)
                else:
                    self.num_jobs -= 1

    def _take(self) -> Job | None:
        """Wait for a job of the page whose turn it is; None at the end."""
        with self._change:
            while not self._ring and not self._is_closed:
                self._change.wait()
            if self._is_closed:
                return None
            page = self._ring.popleft()
            job = self._jobs[page].popleft()
            if self._jobs[page]:
                self._ring.append(page)
            else:
                del self._jobs[page]
            return job
