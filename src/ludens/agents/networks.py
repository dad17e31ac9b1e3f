"""Networks as agents: which one, where it runs, and what it plays without a search."""

import threading
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ludens.agents.analysis import Analysis
from ludens.agents.searching import Warmth
from ludens.agents.simple import tell_scores
from ludens.infer.evaluator import DEVICES, PRECISIONS, Evaluator, make_evaluator
from ludens.loading.game import Game, parse_spec
from ludens.nets.weights import Net, NetCard, check_net, load_net
from ludens.settings import setting, verify
from ludens.state import State
from ludens.store.finding import find_net

MAX_LOADED = 32
"""Networks that stay loaded, for agents to come."""
_loading = threading.Lock()


@dataclass(frozen=True)
class NetChoice:
    """Which network an agent has, and where it runs."""

    weights: str = setting(
        "", "a file, RUN or RUN@ITERATION; default: the net that ships"
    )
    # To look for a graphics card is to load PyTorch, and what one game asks for
    # at a time is too little to gain from one.
    device: str = setting("cpu", "where the network runs", choices=DEVICES)
    precision: str = setting(
        "auto", "numerical precision of the network", choices=PRECISIONS
    )

    def __post_init__(self) -> None:
        verify(self)


class PolicyAgent:
    """Play what a network likes best, without a search."""

    def __init__(
        self, evaluator: Evaluator, seed: int, warmth: Warmth, discount: float = 1.0
    ) -> None:
        self.seed = seed
        self._evaluator = evaluator
        self._warmth = warmth
        self._discount = discount

    def choose(self, state: State) -> int:
        """Return the likeliest action, or one by lot while the temperature is on."""
        policy, _ = self._ask(state)
        return self._warmth.pick(int(policy.argmax()), policy, self.seed, state)

    def analyse(self, state: State) -> Analysis:
        """Tell how likely each move is; all have the value of the position."""
        policy, value = self._ask(state)
        priors = {action: float(policy[action]) for action in state.legal_actions()}
        values = dict.fromkeys(priors, value)
        found = tell_scores("policy", state, values, priors, ties=priors)
        return replace(found, visits=1, discount=self._discount)

    def _ask(self, state: State) -> tuple[NDArray[np.float64], float]:
        """Return the probability of each action [A] and the value."""
        logits, values = self._evaluator(state.observe()[None])
        legal = state.legal_actions()
        liked = logits[0, legal].astype(np.float64)
        policy = np.zeros(state.game.num_actions)
        policy[legal] = np.exp(liked - liked.max())
        return policy / policy.sum(), float(values[0])


def share_net(game: Game, choice: NetChoice, at_once: int) -> tuple[NetCard, Evaluator]:
    """Return a network that so many agents may ask at once; each is loaded once."""
    path = find_net(choice.weights, game).absolute()
    stamp = path.stat().st_mtime_ns if path.exists() else 0
    with _loading:
        net = _load(path, stamp)
        check_net(net, game)
        ready = _prepare(path, stamp, choice.device, choice.precision, at_once)
        return net.card, ready


def named_net(spec: str, game: Game) -> Net | None:
    """Return the network of an agent such as `net:weights=RUN`, if it has one."""
    name, given = parse_spec(spec)
    if name not in ("net", "policy"):
        return None
    net = load_net(find_net(str(given.get("weights", "")), game))
    check_net(net, game)
    return net


@lru_cache(MAX_LOADED)
def _load(path: Path, stamp: int) -> Net:
    return load_net(path)


@lru_cache(MAX_LOADED)
def _prepare(
    path: Path, stamp: int, device: str, precision: str, at_once: int
) -> Evaluator:
    return make_evaluator(_load(path, stamp), device, precision, at_once)
