"""Who plays what: jobs are pulled by workers; late ones are given out twice."""

from collections import deque
from dataclasses import dataclass, field
from statistics import median

LATE = 2.0
"""Times the usual: a job that takes longer is also given to an idle worker."""
FEWEST = 3
"""Jobs that must be done before it is known what is usual."""
SHORTEST_S = 1.0
"""Nothing is late before."""
_REMEMBERED = 64


@dataclass
class _Hand:
    """A worker: how many jobs it plays at a time, and those it is playing."""

    slots: int
    jobs: set[int] = field(default_factory=set)


class Schedule:
    """The jobs that are to be done and the workers that do them."""

    def __init__(self) -> None:
        self._hands: dict[str, _Hand] = {}
        self._waiting: deque[int] = deque()
        self._began_s: dict[int, dict[str, float]] = {}
        """When each worker began with a job that is under way."""
        self._took_s: deque[float] = deque(maxlen=_REMEMBERED)

    @property
    def num_waiting(self) -> int:
        """How many jobs nobody plays."""
        return len(self._waiting)

    def add(self, job: int) -> None:
        """Take up a job."""
        self._waiting.append(job)

    def drop(self, job: int) -> None:
        """Forget a job; who plays it is busy until it is finished."""
        if job in self._waiting:
            self._waiting.remove(job)
        self._began_s.pop(job, None)

    def join(self, worker: str, slots: int) -> None:
        """Take up a worker that plays so many jobs at a time."""
        self._hands[worker] = _Hand(slots)

    def leave(self, worker: str) -> None:
        """Forget a worker; what it alone was playing waits again, first of all."""
        hand = self._hands.pop(worker, _Hand(0))
        for job in sorted(hand.jobs & self._began_s.keys(), reverse=True):
            self._began_s[job].pop(worker, None)
            if not self._began_s[job]:
                del self._began_s[job]
                self._waiting.appendleft(job)

    def next(self, now_s: float) -> tuple[str, int] | None:
        """Return who is to begin with which job; None if nobody has to."""
        idle = [w for w, hand in self._hands.items() if len(hand.jobs) < hand.slots]
        if not idle:
            return None
        worker = min(idle, key=lambda w: len(self._hands[w].jobs))
        if self._waiting:
            return self._begin(worker, self._waiting.popleft(), now_s)
        for job in self._late(now_s):
            for other in idle:
                if other not in self._began_s[job]:
                    return self._begin(other, job, now_s)
        return None

    def is_twice(self, job: int) -> bool:
        """Tell whether two workers play a job."""
        return len(self._began_s.get(job, ())) > 1

    def finish(self, worker: str, job: int, now_s: float) -> bool:
        """Take note that a worker has done a job; tell whether it is the first."""
        if worker in self._hands:
            self._hands[worker].jobs.discard(job)
        began_s = self._began_s.pop(job, None)
        if began_s is None:
            return False
        if worker in began_s:
            self._took_s.append(now_s - began_s[worker])
        return True

    def _begin(self, worker: str, job: int, now_s: float) -> tuple[str, int]:
        self._hands[worker].jobs.add(job)
        self._began_s.setdefault(job, {})[worker] = now_s
        return worker, job

    def _late(self, now_s: float) -> list[int]:
        """Return the jobs that one worker plays and has played for long."""
        if len(self._took_s) < FEWEST:
            return []
        most_s = max(SHORTEST_S, LATE * median(self._took_s))
        return [
            job
            for job, began_s in self._began_s.items()
            if len(began_s) == 1 and now_s - min(began_s.values()) > most_s
        ]
