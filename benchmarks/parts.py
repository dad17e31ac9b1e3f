"""Where the time of self-play goes: a stopwatch around its parts."""

import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import get_ident
from typing import Any

from ludens.loading.game import Game
from ludens.search import kernel as search_kernel
from ludens.search.model import Evaluator

NETWORK, COLLECT, ABSORB, MOVES, WAITING = (
    "network",
    "collect",
    "absorb",
    "moves",
    "waiting",
)


class Parts:
    """Seconds of each part, of all threads.

    The network is timed by the clock, as it has threads of its own; the others by the
    time their thread was on a core, so that what is left was spent waiting.
    """

    def __init__(self) -> None:
        self._spent: dict[str, float] = defaultdict(float)
        self._began: dict[int, float] = {}
        self._ended: dict[int, float] = {}
        self._asking_s = 0.0

    def network(self, evaluator: Evaluator) -> Evaluator:
        """Return an evaluator that is timed."""

        def ask(planes: Any) -> Any:
            clock, busy = time.perf_counter(), time.thread_time()
            self._began.setdefault(get_ident(), busy)
            answers = evaluator(planes)
            self._ended[get_ident()] = time.thread_time()
            self._spent[NETWORK] += time.perf_counter() - clock
            self._asking_s += self._ended[get_ident()] - busy
            return answers

        return ask

    def timed(self, name: str, function: Callable[..., Any]) -> Callable[..., Any]:
        """Return a function that is timed."""

        def run(*arguments: Any) -> Any:
            busy = time.thread_time()
            answer = function(*arguments)
            self._spent[name] += time.thread_time() - busy
            return answer

        return run

    def shares(self, seconds: float, num_threads: int) -> dict[str, float]:
        """Return the share of each part in the time of all threads."""
        spent = self._spent
        busy = sum(self._ended[i] - self._began[i] for i in self._began)
        moves = busy - self._asking_s - spent[COLLECT] - spent[ABSORB]
        known = spent[NETWORK] + spent[COLLECT] + spent[ABSORB] + moves
        total = seconds * num_threads
        parts = dict(spent) | {MOVES: moves, WAITING: total - known}
        order = (NETWORK, COLLECT, ABSORB, MOVES, WAITING)
        return {name: parts[name] / total for name in order}


@contextmanager
def watched(game: Game, parts: Parts) -> Iterator[None]:
    """Time the kernels that a game's search calls."""
    kernel = game.kernel(search_kernel)
    real = {name: getattr(kernel, name) for name in (COLLECT, ABSORB)}
    try:
        for name, function in real.items():
            setattr(kernel, name, parts.timed(name, function))
        yield
    finally:
        for name, function in real.items():
            setattr(kernel, name, function)
