"""Networks as agents: which one, where it runs, and what it plays without a search."""

import threading
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from hashlib import blake2b
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ludens.agents.agent import MANY, NO_LIMIT, Agent, Limit
from ludens.agents.analysis import Analysis
from ludens.agents.searching import Temperature
from ludens.agents.simple import tell_scores
from ludens.game import Planes
from ludens.infer.evaluator import DEVICES, PRECISIONS, NetEvaluator, make_evaluator
from ludens.loading.game import Game, parse_spec
from ludens.nets.fitting import fit_net
from ludens.nets.weights import Net, NetCard, load_net
from ludens.search.averaging import Averaging
from ludens.search.model import Evaluation
from ludens.settings import setting, verify
from ludens.state import State
from ludens.store.finding import find_net

MAX_LOADED = 32
"""Networks that stay loaded, for agents to come."""
MAX_KNOWN = 50_000
"""Positions whose answers are kept, twice: those of late, and those before them."""
Answer = tuple[NDArray[np.float32], np.float32]
"""Logits [A] and a value."""
_loading = threading.Lock()


@dataclass(frozen=True)
class NetChoice:
    """Which network an agent has, and where it runs."""

    weights: str = setting(
        "", "a file, RUN, RUN@ITERATION or muzero; default: the net that ships"
    )
    # To look for a graphics card is to load PyTorch, and what one game asks for
    # at a time is too little to gain from one.
    device: str = setting("cpu", "where the network runs", choices=DEVICES)
    precision: str = setting(
        "auto", "numerical precision of the network", choices=PRECISIONS
    )

    def __post_init__(self) -> None:
        verify(self)


@dataclass(frozen=True)
class Symmetries:
    """How a network looks at a position without a search."""

    symmetries: int = setting(1, "symmetries that its answer is averaged over", low=1)

    def __post_init__(self) -> None:
        verify(self)


class PolicyAgent(Agent):
    """Play what a network likes best, without a search."""

    name = "policy"
    capacity = MANY
    is_batched = True

    def __init__(
        self,
        evaluator: NetEvaluator,
        seed: int,
        temperature: Temperature,
        discount: float = 1.0,
        game: Game | None = None,
        averaging: Averaging | None = None,
    ) -> None:
        super().__init__(seed)
        self._game = game  # as the network sees it, where it sees another
        self._evaluator = evaluator
        self._averaging = averaging
        self._temperature = temperature
        self._discount = discount

    def choose_many(
        self,
        states: Sequence[State],
        limit: Limit = NO_LIMIT,
        seeds: Sequence[int] | None = None,
    ) -> list[int]:
        """Return the likeliest actions, or sampled ones if the temperature is on."""
        policies, _ = self._ask(states)
        games = zip(states, policies, self.seeds_of(states, seeds), strict=True)
        return [
            self._temperature.pick(int(policy.argmax()), policy, seed, state)
            for state, policy, seed in games
        ]

    def analyse(self, state: State, limit: Limit = NO_LIMIT) -> Analysis:
        """Return how likely each move is; all have the value of the position."""
        [policy], [value] = self._ask([state])
        priors = {action: float(policy[action]) for action in state.legal_actions()}
        values = dict.fromkeys(priors, float(value))
        found = tell_scores(self.name, state, values, priors, ties=priors)
        return replace(found, visits=1, discount=self._discount)

    def _ask(
        self, states: Sequence[State]
    ) -> tuple[NDArray[np.float64], NDArray[np.float32]]:
        """Return the probability of each action [n, A] and the values [n]."""
        found = self._evaluate(states)
        policies = np.zeros(found.logits.shape)
        for policy, row, state in zip(policies, found.logits, states, strict=True):
            legal = state.legal_actions()
            liked = row[legal].astype(np.float64)
            policy[legal] = np.exp(liked - liked.max())
        return policies / policies.sum(1, keepdims=True), found.values

    def _evaluate(self, states: Sequence[State]) -> Evaluation:
        if self._averaging is None:
            return self._evaluator(np.stack([s.observe(self._game) for s in states]))
        return self._averaging(np.array([s.raw for s in states]))


class Memory:
    """A network that remembers its latest answers, for all who ask it.

    An answer does not depend on what else is in a batch, so nobody can tell but by the
    time it takes. Both sides of a match look at the same positions again and again: of
    those that two searches with one net of connect four ask for, half are known.
    """

    def __init__(self, evaluator: NetEvaluator) -> None:
        self.device, self.precision = evaluator.device, evaluator.precision
        self.evaluator = evaluator
        self._lock = threading.Lock()
        self._known: dict[bytes, Answer] = {}
        self._older: dict[bytes, Answer] = {}

    def __call__(self, planes: Planes) -> Evaluation:
        """Evaluate positions [M, P, rows, columns]."""
        keys = [blake2b(rows.tobytes(), digest_size=16).digest() for rows in planes]
        found = {key: answer for key in keys if (answer := self._recall(key))}
        asked = {key: i for i, key in enumerate(keys) if key not in found}
        if asked:
            new = self.evaluator(planes[list(asked.values())])
            answers = zip(new.logits, new.values, strict=True)
            found |= (learnt := dict(zip(asked, answers, strict=True)))
            self._learn(learnt)
        logits, values = zip(*(found[key] for key in keys), strict=True)
        return Evaluation(np.stack(logits), np.array(values))

    def _recall(self, key: bytes) -> "Answer | None":
        return self._known.get(key) or self._older.get(key)

    def _learn(self, answers: "dict[bytes, Answer]") -> None:
        """Keep answers; the older half of all is forgotten when there are many."""
        with self._lock:
            if len(self._known) + len(answers) > MAX_KNOWN:
                self._older, self._known = self._known, {}
            self._known |= answers


@dataclass(frozen=True)
class Shared:
    """A network that agents ask, and the game as it sees it."""

    game: Game
    card: NetCard
    memory: Memory


def share_net(game: Game, choice: NetChoice, at_once: int) -> Shared:
    """Return a network that so many agents may ask at once; each is loaded once."""
    path = find_net(choice.weights, game).absolute()
    stamp = path.stat().st_mtime_ns if path.exists() else 0
    with _loading:
        net, seen = fit_net(_load(path, stamp), game)
        key = (path, stamp, seen.behaviour, choice.device, choice.precision, at_once)
        return Shared(seen, net.card, _prepare(net, key))


def named_net(spec: str, game: Game) -> Net | None:
    """Return the network of an agent such as `net:weights=RUN`, if it has one."""
    name, given = parse_spec(spec)
    if name not in ("net", "policy"):
        return None
    net = load_net(find_net(str(given.get("weights", "")), game))
    return fit_net(net, game)[0]


@lru_cache(MAX_LOADED)
def _load(path: Path, stamp: int) -> Net:
    return load_net(path)


def _prepare(net: Net, key: tuple[Path, int, str, str, str, int]) -> Memory:
    """Return a network that is ready to be asked; `key` has all that it depends on."""
    if key not in _ready:
        if len(_ready) == MAX_LOADED:
            del _ready[next(iter(_ready))]
        _ready[key] = Memory(make_evaluator(net, *key[-3:]))
    return _ready[key]


_ready: dict[tuple[Path, int, str, str, str, int], Memory] = {}
