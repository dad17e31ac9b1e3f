"""Search many games at once: trees, threads, and what the roots say."""

import time
import weakref
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ludens.cores import num_cores
from ludens.errors import UserError
from ludens.loading.game import Game
from ludens.rng import key
from ludens.search import kernel as search_kernel
from ludens.search.averaging import find_averaging
from ludens.search.capped import cap
from ludens.search.config import SearchConfig
from ludens.search.gumbel import Schedule, visit_schedules
from ludens.search.imagination import Answers, Imagination, pack_legal, rules_of
from ludens.search.memory import (
    allocate,
    keep_root_edges,
    keep_subtree,
    most_edges,
    sparse_zeros,
    tree_size,
)
from ludens.search.model import Evaluator, is_learned
from ludens.search.tree import UNPROVEN, Array, Forest, Work, tree_of
from ludens.solver.exact import require_provable
from ludens.solver.force import require_forcing, require_pressing
from ludens.solver.stack import make_force_stack, make_stack

LOOK_AT_CLOCK_S = 0.01


@dataclass(frozen=True)
class Roots:
    """What a search found out: B games, A actions."""

    visits: NDArray[np.float64]
    """[B, A]"""
    priors: NDArray[np.float64]
    """[B, A], before noise"""
    means: NDArray[np.float64]
    """[B, A] mean return of the action for the player to move, 0 if untried"""
    proofs: NDArray[np.float64]
    """[B, A] 1, 0, -1: won, drawn, lost; 2: not proven"""
    policy: NDArray[np.float64]
    """[B, A] the policy to learn from the search"""
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
        self.evaluator = evaluator = cap(evaluator, config.max_batch)
        self.model = evaluator if is_learned(evaluator) else None
        """The learned model that the trees are grown with, None: the game's rules."""
        self.rules = rules_of(self.model, game.compiled) if self.model else game
        """The rules that the trees are grown with."""
        _require_provable(game, config, self.model is not None)
        self.averaging = find_averaging(game, self.evaluator, config.symmetries)
        self.kernel = self.rules.kernel(search_kernel)
        self.settings = config.settings()
        self._plans: dict[int, int] = {}
        is_gumbel = config.root == "gumbel"
        self.schedule: Schedule = np.zeros((1, 2, 1), np.int32) if is_gumbel else None
        latent_size = self.model.latent_size if self.model else 0
        size = tree_size(self.rules, config, num_games, latent_size)
        self.forest = allocate(self.rules, num_games, *size)
        self.states: Array = self.forest.words.view(self.rules.plain.STATE)[..., 0]
        """[B, N] STATE, in the memory of the forest's words"""
        shown = num_games if self.model else 0
        self.roots = np.zeros((shown, *game.observation_shape), np.float32)
        """[B, P, rows, columns] what a learned model sees of the roots"""
        threads = min(threads or num_cores(), num_games)
        bounds = np.linspace(0, num_games, threads + 1).astype(int)
        self._groups = [Group(self, slice(a, b)) for a, b in pairwise(bounds)]
        self._pool = ThreadPoolExecutor(threads) if threads > 1 else None
        self._is_compiled = False
        if not is_lazy:
            self.compile()

    @property
    def tree_bytes(self) -> int:
        """The memory for a tree and its latents."""
        latent_size = self.model.latent_size if self.model else 0
        latents = 4 * latent_size * self.forest.nodes.shape[1]
        return int(latents + sum(array[:1].nbytes for array in self.forest))

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
        games = np.empty(0, np.int64)
        found = np.empty((5, 0, self.game.num_actions)), np.empty((2, 0))
        plan = (nobody, games, settings, schedule)
        entries = self._groups[0].entries(nobody) | {
            "read_roots": lambda: kernel.read_roots(*plan, *found),
            "reset": lambda: kernel.reset(nobody, games),
        }
        if self.averaging:
            nothing, see = self.game.states(0), self.averaging.observe
            entries["observe_images"] = lambda: see(nothing)
        if self.model:
            entries["describe_roots"] = lambda: self._plant(self.game.states(0), games)
        if len(self.forest.heads) > 1:
            entries["find_idle"] = lambda: kernel.find_idle(nobody, settings, games)
        if schedule is None:
            entries["prepare_roots"] = lambda: kernel.prepare_roots(*plan)
        return entries

    def reset(
        self, states: Array, seeds: Sequence[int], games: Array | None = None
    ) -> None:
        """Begin trees at states [n], those of some games [n] or of all B.

        A seed decides all that is random in a tree.
        """
        if games is None:
            games = np.arange(len(self.forest.heads))
        self._plant(states, games)
        words = [key(seed, "search") for seed in seeds]
        self.forest.rngs[games, 0] = np.array(words, np.uint64)
        self.kernel.reset(self.forest, games)

    def _plant(self, states: Array, games: Array) -> None:
        """Put states [n] at the roots of games [n]."""
        if self.model is None:
            self.states[games, 0] = states
            return
        count = len(states)
        planes = np.empty((count, *self.game.observation_shape), np.float32)
        legal = np.empty((count, self.game.num_actions), np.bool_)
        to_play = np.empty(count, np.int8)
        kernel = self.game.kernel(search_kernel)
        kernel.describe_roots(np.asarray(states), planes, legal, to_play)
        self.show_roots(planes, legal, to_play, games)

    def show_roots(
        self, planes: Array, legal: Array, to_play: Array, games: Array
    ) -> None:
        """Let a learned model see the roots of games [n]: what is legal, for whom."""
        self.roots[games] = planes
        roots = np.zeros(len(planes), self.rules.plain.STATE)
        roots["legal"] = pack_legal(legal)
        roots["to_play"], roots["player"] = to_play, np.maximum(to_play, 0)
        self.states[games, 0] = roots

    def set_budget(self, games: Array | slice, sims: int | Sequence[int]) -> None:
        """Set how many simulations games [n] shall have in all."""
        heads = self.forest.heads[games]
        heads["budget"] = sims
        heads["pause"] = heads["budget"]
        if self.config.root == "gumbel":
            heads["plan"] = [self._plan(int(budget)) for budget in heads["budget"]]
        self.forest.heads[games] = heads

    def reuse(self, g: int, state: Any) -> bool:
        """Go on from a state in a game's tree; False if a new tree was begun.

        Simulations that went through the state count towards the next search. What a
        learned model has imagined is not kept.
        """
        if self.model is not None:
            self._plant(np.array([state]), np.array([g]))
            self.kernel.reset(self.forest, np.array([g]))
            return False
        array = np.zeros(1, self.game.plain.STATE)
        array[0] = state
        count = self.forest.heads[g].num_nodes
        same = (self.forest.words[g, :count] == array.view(np.uint64)).all(1)
        found = np.flatnonzero(same & ~_is_settled(self.forest.nodes[g, :count]))
        if self.config.root == "gumbel" or len(found) == 0:
            self.states[g, 0] = state
            self.kernel.reset(self.forest, np.array([g]))
            return False
        best = int(found[self.forest.nodes[g, found]["visits"].argmax()])
        if best != 0:
            keep_subtree(tree_of(self.forest, g), best)
            if self.averaging:
                edges, node = self.edges(g, 0), self.forest.nodes[g, :1]
                self.averaging.set_priors(self.states[g, :1], node, edges)
            plan = (np.array([g]), self.settings, self.schedule)
            self.kernel.prepare_roots(self.forest, *plan)
        return True

    def restrict(self, g: int, actions: Sequence[int], num_legal: int) -> None:
        """Look only at some of the legal actions at the root of a tree just begun."""
        self.run(0)  # roots are expanded at least
        keep_root_edges(tree_of(self.forest, g), actions, num_legal)

    def run(
        self, sims: int | Sequence[int] | None = None, seconds: float | None = None
    ) -> Roots:
        """Search until each game has had its simulations or the time is over."""
        budget = self.config.sims if sims is None else sims
        deadline = None if seconds is None else time.perf_counter() + seconds
        self.set_budget(slice(None), budget)
        if self._pool is None:
            self._groups[0].run(deadline)
        else:
            list(self._pool.map(lambda group: group.run(deadline), self._groups))
        return self.read_roots()

    def step(self) -> int:
        """Take every game one evaluation further; return how many there were."""
        return sum(group.ask_once() for group in self._groups)

    def idle(self) -> Array:
        """Return the games whose search has come to its end."""
        games = np.empty(len(self.forest.heads), np.int64)
        return games[: self.kernel.find_idle(self.forest, self.settings, games)]

    def read_roots(self, games: Array | None = None) -> Roots:
        """Read what is known now of the roots of some games [n], or of all."""
        if games is None:
            games = np.arange(len(self.forest.heads))
        per_action = np.empty((5, len(games), self.game.num_actions))
        per_game = np.empty((2, len(games)))
        read = (self.forest, games, self.settings, self.schedule)
        self.kernel.read_roots(*read, per_action, per_game)
        heads = self.forest.heads[games]
        chosen, sims = per_game[1].astype(np.int64), heads["sims"].astype(np.int64)
        is_full = heads["is_full"] != 0
        visits, priors, means, proofs, policy = per_action
        return Roots(
            visits, priors, means, proofs, policy, per_game[0], chosen, sims, is_full
        )

    def sum_of_depths(self, games: Array) -> int:
        """Return how many steps down the simulations of some games [n] have gone.

        Each adds a visit to every node on its way.
        """
        counts = self.forest.heads["num_nodes"][games]
        visits = self.forest.nodes["visits"][games, 1 : counts.max(initial=1)]
        is_used = np.arange(1, visits.shape[1] + 1) < counts[:, None]
        return int(visits.sum(where=is_used))

    def edges(self, g: int, index: int) -> Array:
        """Return the edges of a node in a game's tree."""
        node = self.forest.nodes[g, index]
        return self.forest.edges[g, node.first_edge : node.first_edge + node.num_edges]

    def _plan(self, sims: int) -> int:
        """Return which schedule of visits is for so many simulations."""
        if sims not in self._plans:
            self._plans[sims] = len(self._plans)
            considered = min(self.config.max_considered, self.game.num_actions)
            self.schedule = visit_schedules(considered, list(self._plans))
        return self._plans[sims]


def _require_provable(game: Game, config: SearchConfig, is_learned: bool) -> None:
    """Refuse proofs at leaves where there cannot be any."""
    for name in ("exact_nodes", "force_nodes", "press_nodes"):
        if getattr(config, name) and is_learned:
            raise UserError(f"{name} needs the rules; a learned model has none")
    if config.exact_nodes:
        require_provable(game, "exact_nodes")
    if config.force_nodes:
        require_forcing(game, "force_nodes")
    if config.press_nodes:
        require_pressing(game, "press_nodes")


def _is_settled(nodes: Array) -> NDArray[np.bool_]:
    """Tell which nodes the solver has settled: their results are known, not moves."""
    is_leaf = (nodes["num_edges"] == 0) & (nodes["to_play"] >= 0)
    settled: NDArray[np.bool_] = is_leaf & (nodes["proof"] != UNPROVEN)
    return settled


class Group:
    """The games that one thread searches, from start to end."""

    def __init__(self, search: "Search", games: slice) -> None:
        # Not held: its trees, up to gigabytes, go at once with the last who wants them.
        self._search: Search = weakref.proxy(search)
        self._forest = Forest(*(array[games] for array in search.forest))
        self._states = search.states[games]
        config, game = search.config, search.rules
        num_leaves = len(self._forest.heads) * config.leaf_batch
        self._observes = search.evaluator is not None and search.model is None
        has_cache = self._observes and config.cache_size > 0
        size = 1 << (config.cache_size - 1).bit_length() if has_cache else 0
        self._cache = sparse_zeros((size,), search.kernel.CACHE)
        self._leaves = np.zeros((num_leaves, 2), np.int32)
        shape = (num_leaves * self._observes, *game.observation_shape)
        self._planes = np.zeros(shape, np.float32)
        self._work = Work(
            actions=np.zeros(game.num_actions, np.int32),
            priors=np.zeros(most_edges(game)),
            logits=np.zeros(most_edges(game)),
            chances=np.zeros(game.plain.MAX_OUTCOMES + 1),
            scores=np.zeros(most_edges(game)),
            spare=game.states(1).view(np.uint64).reshape(1, -1),
        )
        self._exact = None
        if config.exact_nodes:
            size = 1 << (2 * config.exact_nodes).bit_length()
            self._exact = make_stack(game, search.kernel, size)
        self._force = None
        if most := max(config.force_nodes, config.press_nodes):
            size = 1 << (4 * most).bit_length()
            self._force = make_force_stack(game, search.kernel, size)
        self._imagination = None
        if search.model is not None:
            seen = (self._forest, self._states, search.roots[games])
            self._imagination = Imagination(search.model, *seen)

    def entries(self, nobody: Forest) -> dict[str, Callable[[], object]]:
        """Return what compiles the entries that a group calls: calls without games."""
        search, work = self._search, self._work
        provers = (self._exact, self._force)
        plan = (nobody, search.settings, search.schedule)
        if search.evaluator is None:
            return {"simulate": lambda: search.kernel.simulate(*plan, work, *provers)}
        asking = (*plan, self._cache)
        logits = np.empty((0, search.game.num_actions), np.float32)
        answers = (0, logits, np.empty(0, np.float32), work)
        leaves, planes = self._leaves[:0], self._planes[:0]
        entries: dict[str, Callable[[], object]] = {
            "collect": lambda: search.kernel.collect(
                *asking, leaves, work, *provers, 0
            ),
            "absorb": lambda: search.kernel.absorb(*asking, leaves, *answers),
        }
        if self._observes:
            seen = (nobody, leaves, planes)
            entries["observe_leaves"] = lambda: search.kernel.observe_leaves(*seen)
        return entries

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
        search.kernel.simulate(*plan, self._work, self._exact, self._force)

    def _ask(self, deadline: float | None) -> None:
        """Ask the network until no leaf is left."""
        while self.ask_once() > 0:
            if deadline is not None and time.perf_counter() >= deadline:
                return

    def ask_once(self) -> int:
        """Collect leaves, ask the network, absorb its answers; return how many."""
        search = self._search
        plan = (self._forest, search.settings, search.schedule, self._cache)
        given = (self._leaves, self._work, self._exact, self._force)
        most = search.config.leaf_batch
        count: int = search.kernel.collect(*plan, *given, most)
        if count > 0:
            logits, values = self._evaluate(count)
            answers = (count, logits, values, self._work)
            search.kernel.absorb(*plan, self._leaves, *answers)
        return count

    def _evaluate(self, count: int) -> Answers:
        """Ask the network of the leaves that were collected."""
        if self._imagination is not None:
            return self._imagination.ask(self._leaves[:count])
        assert self._search.evaluator is not None
        leaves, planes = self._leaves[:count], self._planes[:count]
        self._search.kernel.observe_leaves(self._forest, leaves, planes)
        found = self._search.evaluator(planes)
        logits = np.array(found.logits, np.float32, order="C")
        answers = logits, np.array(found.values, np.float32)
        if self._search.averaging:
            self._search.averaging.replace_roots(self._states, leaves, answers)
        return answers
