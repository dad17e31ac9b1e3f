"""Search many games at once: trees, threads, evaluators, and what the roots say."""

import math
import mmap
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ludens.cores import num_cores
from ludens.errors import UserError
from ludens.game import Planes
from ludens.loading.game import Game
from ludens.rng import key
from ludens.search import kernel as search_kernel
from ludens.search.config import SearchConfig
from ludens.search.forest import Forest, Work
from ludens.search.gumbel import visit_schedule
from ludens.search.root import Schedule
from ludens.search.tree import EDGE, HEAD, NODE, Array

Evaluator = Callable[[Planes], tuple[NDArray[np.float32], NDArray[np.float32]]]
"""A network: planes [M, P, rows, columns] in, logits [M, A] and values [M] for the
player to move out."""
LOOK_AT_CLOCK_S = 0.01


@dataclass(frozen=True)
class Roots:
    """What a search found out, per game and action."""

    visits: NDArray[np.float64]
    """[B, A]"""
    priors: NDArray[np.float64]
    """[B, A], before noise"""
    means: NDArray[np.float64]
    """[B, A] mean return of the action for the player to move, 0 if untried"""
    proofs: NDArray[np.float64]
    """[B, A] 1, 0, -1: won, drawn, lost; 2: not proven"""
    policy: NDArray[np.float64]
    """[B, A] what to learn from the search"""
    values: NDArray[np.float64]
    """[B] for the player to move"""
    chosen: NDArray[np.int64]
    """[B] the best action, -1 if there is none to choose"""
    sims: NDArray[np.int64]
    """[B] simulations done"""
    is_full: NDArray[np.bool_]
    """[B] whether the memory for the tree was used up"""


class Search:
    """The trees of some games of one kind, and their search."""

    def __init__(
        self,
        game: Game,
        config: SearchConfig,
        num_games: int = 1,
        threads: int = 1,
        evaluator: Evaluator | None = None,
        is_lazy: bool = False,
    ) -> None:
        """Make room for the trees; compile what they need unless `is_lazy`."""
        self.game = game
        self.config = config
        self.evaluator = evaluator
        self.kernel = game.kernel(search_kernel)
        self.settings = config.settings()
        self._plans: dict[int, int] = {}
        is_gumbel = config.root == "gumbel"
        self.schedule: Schedule = np.zeros((1, 2, 1), np.int32) if is_gumbel else None
        self.forest = self._plough(num_games, *self._room(num_games))
        self._spare: Forest | None = None
        threads = min(threads or num_cores(), num_games)
        bounds = np.linspace(0, num_games, threads + 1).astype(int)
        self._groups = [Group(self, slice(a, b)) for a, b in pairwise(bounds)]
        self._pool = ThreadPoolExecutor(threads) if threads > 1 else None
        self._is_compiled = False
        if not is_lazy:
            self.compile()

    def compile(self) -> None:
        """Compile all that a search calls, so that no clock ever counts it."""
        if not self._is_compiled:
            for compile_entry in self.entries().values():
                compile_entry()
            self._is_compiled = True

    def entries(self) -> dict[str, Callable[[], object]]:
        """Return what compiles each entry of the kernel: calls that have no games."""
        kernel, settings, schedule = self.kernel, self.settings, self.schedule
        nobody = Forest(*(array[:0] for array in self.forest))
        games, group = np.empty(0, np.int64), self._groups[0]
        per_action, per_game = np.empty((5, 0, self.game.num_actions)), np.empty((2, 0))
        found = (per_action, per_game)
        entries = group.entries(nobody) | {
            "harvest": lambda: kernel.harvest(
                nobody, games, settings, schedule, *found
            ),
            "plant": lambda: kernel.plant(nobody, games),
        }
        if len(self.forest.heads) > 1:
            entries["find_idle"] = lambda: kernel.find_idle(nobody, settings, games)
        elif schedule is None:
            entries["keep_subtrees"] = lambda: self._keep(nobody, games, games, nobody)
        return entries

    def _keep(self, forest: Forest, games: Array, roots: Array, room: Forest) -> None:
        """Make nodes [N] the roots of the trees of games [N]."""
        kept = (forest, games, roots, room, self.settings, self.schedule)
        self.kernel.keep_subtrees(*kept)

    def begin(self, states: Array, seeds: Sequence[int]) -> None:
        """Plant a tree for each state [B]; a seed decides all that is random in one."""
        self.replant(np.arange(len(self.forest.heads)), states, seeds)

    def replant(self, games: Array, states: Array, seeds: Sequence[int]) -> None:
        """Plant new trees for some games [N] only."""
        self.forest.states[games, 0] = states
        words = [key(seed, "search") for seed in seeds]
        self.forest.rngs[games, 0] = np.array(words, np.uint64)
        self.kernel.plant(self.forest, games)

    def allow(self, games: Array | slice, sims: int | Sequence[int]) -> None:
        """Say how many simulations some games shall have in all."""
        heads = self.forest.heads[games]
        heads["budget"] = sims
        heads["pause"] = heads["budget"]
        if self.config.root == "gumbel":
            heads["plan"] = [self._plan(int(budget)) for budget in heads["budget"]]
        self.forest.heads[games] = heads

    def reuse(self, g: int, state: Any) -> bool:
        """Go on from a state in a game's tree; False if a new one was planted.

        Simulations that went through the state count towards the next search.
        """
        array = np.zeros(1, self.game.plain.STATE)
        array[0] = state
        count = self.forest.heads[g].num_nodes
        same = (self.forest.words[g, :count] == array.view(np.uint64)).all(1)
        found = np.flatnonzero(same)
        if self.config.root == "gumbel" or len(found) == 0:
            self.forest.states[g, 0] = state
            self.kernel.plant(self.forest, np.array([g]))
            return False
        if self._spare is None:
            room = (self.forest.nodes.shape[1], self.forest.edges.shape[1])
            self._spare = self._plough(1, *room)
        best = found[self.forest.nodes[g, found]["visits"].argmax()]
        if best != 0:
            self._keep(self.forest, np.array([g]), np.array([best]), self._spare)
        return True

    def run(
        self, sims: int | Sequence[int] | None = None, seconds: float | None = None
    ) -> Roots:
        """Search until each game has had its simulations or the time is over."""
        budget = self.config.sims if sims is None else sims
        deadline = None if seconds is None else time.perf_counter() + seconds
        self.allow(slice(None), budget)
        if self._pool is None:
            self._groups[0].run(deadline)
        else:
            list(self._pool.map(lambda group: group.run(deadline), self._groups))
        return self.roots()

    def step(self) -> int:
        """Take every game one evaluation further; return how many there were."""
        return sum(group.ask_once() for group in self._groups)

    def idle(self) -> Array:
        """Return the games whose search has come to its end."""
        games = np.empty(len(self.forest.heads), np.int64)
        return games[: self.kernel.find_idle(self.forest, self.settings, games)]

    def roots(self, games: Array | None = None) -> Roots:
        """Read what is known now of the roots of some games, or all."""
        if games is None:
            games = np.arange(len(self.forest.heads))
        per_action = np.empty((5, len(games), self.game.num_actions))
        per_game = np.empty((2, len(games)))
        read = (self.forest, games, self.settings, self.schedule)
        self.kernel.harvest(*read, per_action, per_game)
        heads = self.forest.heads[games]
        chosen, sims = per_game[1].astype(np.int64), heads["sims"].astype(np.int64)
        is_full = heads["is_full"] != 0
        visits, priors, means, proofs, policy = per_action
        return Roots(
            visits, priors, means, proofs, policy, per_game[0], chosen, sims, is_full
        )

    def edges(self, g: int, index: int) -> Array:
        """Return the edges of a node in a game's tree."""
        node = self.forest.nodes[g, index]
        return self.forest.edges[g, node.first_edge : node.first_edge + node.num_edges]

    def _plan(self, sims: int) -> int:
        """Return which schedule of visits is for so many simulations."""
        if sims not in self._plans:
            self._plans[sims] = len(self._plans)
            self.schedule = _schedules(self.game, self.config, list(self._plans))
        return self._plans[sims]

    def _room(self, num_games: int) -> tuple[int, int]:
        """Return the nodes and edges each tree may have."""
        plain, config = self.game.plain, self.config
        # A simulation adds one node of a player, and those of chance on the way.
        per_sim = 1 if plain.MAX_OUTCOMES == 0 else 5
        num_nodes = config.max_nodes or per_sim * config.sims + 2
        most_edges = max(plain.NUM_ACTIONS, plain.MAX_OUTCOMES)
        # Chance's nodes have no edges for actions.
        num_players = min(num_nodes, config.sims + 2)
        num_edges = num_players * most_edges
        num_edges += (num_nodes - num_players) * plain.MAX_OUTCOMES
        bytes_left = config.memory_mb * 2**20 // num_games
        bytes_left -= num_nodes * (NODE.itemsize + plain.STATE.itemsize)
        num_edges = min(num_edges, bytes_left // EDGE.itemsize)
        if num_edges < 2 * most_edges:
            raise UserError(
                f"memory_mb={config.memory_mb} is too little for {num_games} trees"
                f" of {num_nodes:,} nodes"
            )
        return num_nodes, num_edges

    def _plough(self, num_games: int, num_nodes: int, num_edges: int) -> Forest:
        states = np.zeros((num_games, num_nodes), self.game.plain.STATE)
        return Forest(
            heads=np.zeros(num_games, HEAD),
            states=states,
            words=states.view(np.uint64).reshape(num_games, num_nodes, -1),
            nodes=np.empty((num_games, num_nodes), NODE),
            edges=_sparse((num_games, num_edges), EDGE),
            gumbels=np.zeros((num_games, self.game.num_actions)),
            rngs=np.zeros((num_games, 1), np.uint64),
        )


class Group:
    """The games that one thread searches, from start to end."""

    def __init__(self, search: Search, games: slice) -> None:
        self._search = search
        self._forest = Forest(*(array[games] for array in search.forest))
        config, game = search.config, search.game
        num_leaves = len(self._forest.heads) * config.leaf_batch
        with_net = search.evaluator is not None
        has_cache = with_net and config.cache_size > 0
        size = 1 << (config.cache_size - 1).bit_length() if has_cache else 0
        self._cache = _sparse((size,), search.kernel.CACHE)
        self._leaves = np.zeros((num_leaves, 2), np.int32)
        shape = (num_leaves, *game.observation_shape) if with_net else (0, 1, 1, 1)
        self._planes = np.zeros(shape, np.float32)
        plain = game.plain
        most_edges = max(plain.NUM_ACTIONS, plain.MAX_OUTCOMES)
        self._work = Work(
            actions=np.zeros(plain.NUM_ACTIONS, np.int32),
            priors=np.zeros(most_edges),
            logits=np.zeros(most_edges),
            chances=np.zeros(plain.MAX_OUTCOMES + 1),
            scores=np.zeros(most_edges),
            spare=game.states(1),
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
        step = self._simulate if self._search.evaluator is None else self._ask
        heads = self._forest.heads
        chunk = 1 << 30 if deadline is None else 16
        while True:
            heads["pause"] = heads["sims"] + chunk
            before, began = heads["sims"].sum(), time.perf_counter()
            step(deadline)
            now = time.perf_counter()
            is_late = deadline is not None and now >= deadline
            is_idle = heads["sims"].sum() == before
            if is_late or is_idle or (heads["sims"] >= heads["budget"]).all():
                break
            if now - began < LOOK_AT_CLOCK_S:
                chunk = min(2 * chunk, 1 << 30)

    def _simulate(self, deadline: float | None) -> None:
        search = self._search
        search.kernel.simulate(
            self._forest, search.settings, search.schedule, self._work
        )

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
        leaf_batch = search.config.leaf_batch
        count = search.kernel.collect(
            *plan, self._leaves, self._planes, self._work, leaf_batch
        )
        if count > 0:
            logits, values = search.evaluator(self._planes[:count])
            answers = (count, logits, values, self._work)
            search.kernel.absorb(*plan, self._leaves, *answers)
        return int(count)


def _sparse(shape: tuple[int, ...], dtype: np.dtype[Any]) -> Array:
    """Return zeros in small pages, so that only those which are used cost time.

    NumPy has huge ones: 2 MB are cleared where 4 kB are touched. Growing triangle's
    trees for the first time took up to 100 us a simulation with them, and 4 without.
    """
    count = math.prod(shape)
    room = mmap.mmap(-1, max(1, count * dtype.itemsize))
    return np.frombuffer(room, dtype, count).reshape(shape)


def _schedules(
    game: Game, config: SearchConfig, plans: Sequence[int]
) -> NDArray[np.int32]:
    """Return Gumbel's schedules of visits [plans, actions considered, simulations]."""
    considered = min(config.max_considered, game.num_actions)
    schedules = np.zeros((len(plans), considered + 1, max(1, *plans)), np.int32)
    for plan, sims in enumerate(plans):
        for m in range(considered + 1):
            schedules[plan, m, :sims] = visit_schedule(m, sims)
    return schedules
