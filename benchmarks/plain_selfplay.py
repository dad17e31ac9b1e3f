"""Self-play as small Python systems do it: objects for a tree, PyTorch as it comes.

One game at a time, one leaf at a time; the same Gumbel search as ours otherwise.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np
import torch
from numpy.typing import NDArray

from ludens.loading.game import Game
from ludens.nets.torch_ops import TorchNet
from ludens.nets.weights import Net
from ludens.search.config import SearchConfig
from ludens.search.gumbel import EPSILON, visit_schedule
from ludens.state import State

Numbers = NDArray[np.float64]


@dataclass
class Node:
    """A position with what is known of its K actions."""

    state: State
    actions: list[int]
    logits: Numbers
    value: float
    """For player 0."""
    visits: Numbers = field(init=False)
    totals: Numbers = field(init=False)
    """Sums of returns for the player to move."""
    children: dict[int, "Node"] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.visits = np.zeros(len(self.actions))
        self.totals = np.zeros(len(self.actions))


class PlainSearch:
    """A tree of objects that asks the network about one position at a time."""

    def __init__(self, net: Net, config: SearchConfig, seed: int) -> None:
        self._net = TorchNet(net.card.config.for_play(), net.card.sizes)
        self._net.load(net.tensors)
        self._net.requires_grad_(False)
        self._config = config
        self._rng = np.random.default_rng(seed)

    def search(self, state: State) -> tuple[list[int], Numbers]:
        """Return the legal actions and the improved policy."""
        root, sims = self._expand(state), self._config.sims
        gumbels = self._rng.gumbel(size=len(root.actions))
        num_considered = min(self._config.max_considered, len(root.actions))
        for turn in visit_schedule(num_considered, sims):
            scores = gumbels + root.logits + self._sigma(root)
            scores[root.visits != turn] = -math.inf
            self._simulate(root, int(scores.argmax()))
        return root.actions, self._improve(root)

    def _simulate(self, root: Node, first: int) -> None:
        """Walk to a new leaf and carry its value back."""
        node, path = root, [(root, first)]
        while path[-1][1] in node.children:
            node = node.children[path[-1][1]]
            if not node.actions:
                break
            path.append((node, self._select(node)))
        parent, chosen = path[-1]
        if chosen not in parent.children:
            state = parent.state.copy()
            state.apply(parent.actions[chosen])
            parent.children[chosen] = node = self._expand(state)
        for above, i in path:
            above.visits[i] += 1
            above.totals[i] += node.value if above.state.to_play == 0 else -node.value

    def _expand(self, state: State) -> Node:
        if state.is_over:
            return Node(state, [], np.zeros(0), state.result or 0.0)
        logits, value = self._ask(state)
        actions = state.legal_actions()
        own = logits[actions].astype(np.float64)
        own -= own.max()
        own -= math.log(np.exp(own).sum())
        return Node(state, actions, own, value if state.to_play == 0 else -value)

    def _ask(self, state: State) -> tuple[NDArray[np.float32], float]:
        with torch.inference_mode():
            outputs = self._net(torch.from_numpy(state.observe()[None]))
            value = self._net.expected_value(outputs.value)
        return outputs.policy[0].numpy(), float(value[0])

    def _sigma(self, node: Node) -> Numbers:
        """Return sigma(completed Q), as in `ludens.search.gumbel`."""
        tried, priors = node.visits > 0, np.exp(node.logits)
        own = node.value if node.state.to_play == 0 else -node.value
        means = node.totals / np.maximum(1, node.visits)
        if tried.any():
            visits, weight = node.visits.sum(), priors[tried].sum()
            weighted = (priors * means)[tried].sum() / weight
            own = (own + visits * weighted) / (visits + 1)
        values = np.where(tried, means, own)
        low, high = values.min(), values.max()
        scale = (self._config.c_visit + node.visits.max()) * self._config.c_scale
        spread = max(high - low, self._config.least_spread, EPSILON)
        sigma: Numbers = scale * (values - low) / spread
        return sigma

    def _improve(self, node: Node) -> Numbers:
        scores = node.logits + self._sigma(node)
        weights = np.exp(scores - scores.max())
        policy: Numbers = weights / weights.sum()
        return policy

    def _select(self, node: Node) -> int:
        lag = self._improve(node) - node.visits / (1 + node.visits.sum())
        return int(lag.argmax())


def plain_positions(
    game: Game, net: Net, config: SearchConfig, warm_plies: int
) -> Iterator[int]:
    """Play game after game; yield the action of each position searched."""
    rng = np.random.default_rng(1)
    search = PlainSearch(net, config, seed=1)
    while True:
        state = game.new(seed=1)
        while not state.is_over:
            actions, policy = search.search(state)
            best = int(policy.argmax())
            if state.num_plies < warm_plies:
                best = int(rng.choice(len(actions), p=policy))
            state.apply(actions[best])
            yield actions[best]
