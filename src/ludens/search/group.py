"""The games of one thread: walk to leaves, ask the network, look at the clock."""

import time
import weakref
from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from ludens.search.memory import most_edges, sparse_zeros
from ludens.search.tree import Forest, Work

if TYPE_CHECKING:
    from ludens.search.search import Search

LOOK_AT_CLOCK_S = 0.01


class Group:
    """The games that one thread searches, from start to end."""

    def __init__(self, search: "Search", games: slice) -> None:
        # Not held: its trees, up to gigabytes, go at once with the last who wants them.
        self._search: Search = weakref.proxy(search)
        self._forest = Forest(*(array[games] for array in search.forest))
        config, game = search.config, search.game
        num_leaves = len(self._forest.heads) * config.leaf_batch
        with_net = search.evaluator is not None
        has_cache = with_net and config.cache_size > 0
        size = 1 << (config.cache_size - 1).bit_length() if has_cache else 0
        self._cache = sparse_zeros((size,), search.kernel.CACHE)
        self._leaves = np.zeros((num_leaves, 2), np.int32)
        shape = (num_leaves, *game.observation_shape) if with_net else (0, 1, 1, 1)
        self._planes = np.zeros(shape, np.float32)
        self._work = Work(
            actions=np.zeros(game.num_actions, np.int32),
            priors=np.zeros(most_edges(game)),
            logits=np.zeros(most_edges(game)),
            chances=np.zeros(game.plain.MAX_OUTCOMES + 1),
            scores=np.zeros(most_edges(game)),
            spare=game.states(1).view(np.uint64).reshape(1, -1),
        )

    def entries(self, nobody: Forest) -> dict[str, Callable[[], object]]:
        """Return what compiles the entries that a group calls: calls without games."""
        search, work = self._search, self._work
        plan = (nobody, search.settings, search.schedule)
        if search.evaluator is None:
            return {"simulate": lambda: search.kernel.simulate(*plan, work)}
        asking = (*plan, self._cache)
        logits = np.empty((0, search.game.num_actions), np.float32)
        answers = (0, logits, np.empty(0, np.float32), work)
        leaves, planes = self._leaves[:0], self._planes[:0]
        return {
            "collect": lambda: search.kernel.collect(*asking, leaves, planes, work, 0),
            "absorb": lambda: search.kernel.absorb(*asking, leaves, *answers),
        }

    def run(self, deadline: float | None) -> None:
        """Search the games to their budgets, or until the deadline."""
        heads = self._forest.heads
        chunk = 1 << 30 if deadline is None else 16
        while True:
            heads["pause"] = heads["sims"] + chunk
            before, began = heads["sims"].sum(), time.perf_counter()
            if self._search.evaluator is None:
                self._simulate()
            else:
                self._ask(deadline)
            now = time.perf_counter()
            is_late = deadline is not None and now >= deadline
            is_idle = heads["sims"].sum() == before
            if is_late or is_idle or (heads["sims"] >= heads["budget"]).all():
                break
            if now - began < LOOK_AT_CLOCK_S:
                chunk = min(2 * chunk, 1 << 30)

    def _simulate(self) -> None:
        """Search without a network until the games pause."""
        search = self._search
        plan = (self._forest, search.settings, search.schedule)
        search.kernel.simulate(*plan, self._work)

    def _ask(self, deadline: float | None) -> None:
        """Ask the network until no leaf is left."""
        while self.ask_once() > 0:
            if deadline is not None and time.perf_counter() >= deadline:
                return

    def ask_once(self) -> int:
        """Collect leaves, ask the network, absorb its answers; return how many."""
        search = self._search
        assert search.evaluator is not None
        plan = (self._forest, search.settings, search.schedule, self._cache)
        most = search.config.leaf_batch
        count: int = search.kernel.collect(
            *plan, self._leaves, self._planes, self._work, most
        )
        if count > 0:
            found = search.evaluator(self._planes[:count])
            logits = np.ascontiguousarray(found.logits, np.float32)
            values = np.ascontiguousarray(found.values, np.float32)
            answers = (count, logits, values, self._work)
            search.kernel.absorb(*plan, self._leaves, *answers)
        return count
