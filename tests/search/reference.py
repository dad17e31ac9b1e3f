"""A slow, literal search in plain Python, to be read against the papers.

PUCT: Silver et al. 2018; first-play urgency, forced playouts and pruned targets: Wu
2019. Gumbel: Danihelka et al. 2022. Proofs: Winands et al. 2008, with draws. Scores are
normalised as in Schrittwieser et al. 2020.

It shares definitions with the compiled search, not code: of equal edges the first wins,
a node's visits include its own evaluation, priors and logits are rounded to float32,
and random numbers come from one generator in the order of their use.
"""

import math
from collections.abc import Iterator
from typing import Any, Protocol

import numpy as np

from ludens import Game
from ludens.game import CHANCE, OVER
from ludens.rng import below, gamma, gumbel, key, mix, next_word, pick, spread_fraction
from ludens.search.config import SearchConfig
from ludens.search.model import Evaluator


def rounded(number: float) -> float:
    """Return a number as float32 would keep it."""
    return float(np.float32(number))


class Node:
    """A position in the tree; totals are for player 0."""

    def __init__(self, state: Any, reward: float) -> None:
        self.state = state
        self.to_play = int(state[0].to_play)
        self.reward = reward
        self.priors: dict[int, float] = {}
        self.logits: dict[int, float] = {}
        self.children: dict[int, Node] = {}
        self.is_expanded = False
        self.is_cut = False
        self.visits = 0
        self.total = 0.0
        self.squares = 0.0
        self.gain = 0.0
        """Sum of the returns of the step to here: reward + discount * what follows.

        A throw of dice takes no time: there the discount is 1.
        """
        self.value = 0.0
        self.proof: int | None = None
        self.chance_key = np.uint64(0)
        """Draws the outcomes here, and those below moves from here."""

    @property
    def sign(self) -> int:
        """-1 if what is good for player 0 is bad for whom the node belongs to."""
        return -1 if self.to_play == 1 else 1

    def n(self, action: int) -> int:
        """Return the visits of an action."""
        return self.children[action].visits if action in self.children else 0

    def q(self, action: int) -> float:
        """Return the mean return of an action that was tried, for its player."""
        return self.sign * self.children[action].gain / self.children[action].visits

    def proven(self, action: int) -> int | None:
        """Return 1, 0 or -1 if the action is proven to win, draw or lose."""
        child = self.children.get(action)
        return None if child is None or child.proof is None else self.sign * child.proof


class Judge(Protocol):
    """What settles positions."""

    def __call__(self, raw: Any, nodes: int) -> tuple[int | None, int]:
        """Return who wins, for player 0, and a move for it; None: too many nodes."""


class Reference:
    """One tree, grown one simulation after the other."""

    def __init__(
        self,
        game: Game,
        config: SearchConfig,
        evaluator: Evaluator | None = None,
        judge: Judge | None = None,
    ) -> None:
        """Make an empty tree; a judge settles leaves."""
        self.judge = judge
        self.game = game
        self.config = config
        self.evaluator = evaluator
        self.is_bounded = game.num_players == 2
        self.has_chance = bool(game.plain.MAX_OUTCOMES)
        self.low, self.high = math.inf, -math.inf
        self.rng = np.zeros(1, np.uint64)
        self.gumbels: dict[int, float] = {}
        self.settled: dict[int, int | None] = {}
        """What the moves of a root that the solver knows lead to, for player 0."""
        self.sims = 0

    def run(self, raw: Any, seed: int, sims: int) -> Node:
        """Search a position and return the root of the tree."""
        with np.errstate(over="ignore"):  # the generator wraps around in 64 bits
            self.rng[0] = key(seed, "search")
            state = self.game.states(1)
            state[0] = raw
            root = Node(state, 0.0)
            if self.has_chance:
                root.chance_key = next_word(self.rng)
            root.visits, root.total = 1, self.evaluate(root)
            root.squares = root.total**2
            self.prepare(root)
            self.settle_root(root)
            turns = halving(min(self.config.max_considered, len(root.priors)), sims)
            while self.sims < sims and root.proof is None:
                self.simulate(root, next(turns))
                self.sims += 1
        return root

    def simulate(self, root: Node, turn: int) -> None:
        """Walk down to a leaf, find out its value, and tell all on the way."""
        node, path = root, [root]
        while self.is_inner(node, root):
            action = self.select(node, root, turn)
            if action not in node.children:
                node.children[action] = self.child(node, action)
            node = node.children[action]
            path.append(node)
        if self.judge and not node.is_expanded and node.proof is None:
            node.proof, _ = self.judge(node.state[0], self.config.exact_nodes)
            node.value = float(node.proof or 0)
        if node.proof is not None:
            self.back_up(path, float(node.proof))
        elif node.to_play == OVER:
            self.back_up(path, node.value)
        else:
            self.back_up(path, self.evaluate(node))

    def settle_root(self, root: Node) -> None:
        """Prove a root that the solver knows not to be lost, and its moves."""
        if self.judge is None:
            return
        nodes = self.config.exact_nodes
        proof, best = self.judge(root.state[0], 4 * nodes)
        if proof is None or root.sign * proof == -1:
            return
        for action in root.priors:
            child = self.child(root, action)
            if child.proof is None:
                child.proof, _ = self.judge(child.state[0], nodes)
            self.settled[action] = proof if action == best else child.proof
        root.proof = proof

    def is_inner(self, node: Node, root: Node) -> bool:
        """Tell whether a simulation goes on below a node."""
        return node.is_expanded and (node is root or node.proof is None)

    def child(self, node: Node, action: int) -> Node:
        """Return the position after an action or outcome."""
        rules: Any = self.game.rules
        state = node.state.copy()
        step = rules.step_chance if node.to_play == CHANCE else rules.step
        child = Node(state, float(step(state[0], action)))
        child.chance_key = node.chance_key
        if node.to_play == CHANCE:
            child.chance_key = mix(node.chance_key ^ mix(np.uint64(action + 1)))
        if child.to_play == CHANCE:
            chances = np.zeros(self.game.plain.MAX_OUTCOMES + 1)
            count = rules.chance(state[0], chances)
            possible = {i: p for i, p in enumerate(chances[:count]) if p > 0}
            child.priors = {i: rounded(p) for i, p in possible.items()}
            child.is_expanded = True
        elif child.to_play == OVER and self.is_bounded:
            child.value = float(rules.result(state[0]))
            child.proof = int(child.value) if self.config.proofs else None
        return child

    # Evaluate and expand.

    def evaluate(self, node: Node) -> float:
        """Give a node its priors; return its value for player 0."""
        actions = np.zeros(self.game.num_actions, np.int32)
        count = self.game.rules.legal(node.state[0], actions)
        legal = [int(action) for action in actions[:count]]
        if self.evaluator is None:
            priors = self.guess(node.state[0], legal)
            self.expand(node, priors, {a: math.log(p) for a, p in priors.items()})
            games = [self.roll_out(node) for _ in range(self.config.rollouts)]
            node.value = sum(games) / max(1, len(games))
            return node.value
        planes = np.zeros((1, *self.game.observation_shape), np.float32)
        self.game.rules.observe(node.state[0], planes[0])
        logits, values = self.evaluator(planes)[:2]
        highest = max(float(logits[0, a]) for a in legal)
        shifted = {a: float(logits[0, a]) - highest for a in legal}
        total = sum(math.exp(x) for x in shifted.values())
        self.expand(node, {a: math.exp(x) / total for a, x in shifted.items()}, shifted)
        node.value = node.sign * float(values[0])
        return node.value

    def guess(self, raw: Any, legal: list[int]) -> dict[int, float]:
        """Return equal priors; those that the game calls likely have more, and lead."""
        likely = set(self.likely(raw, -1, -1) if self.config.rollouts else ())
        share = self.config.likely if likely else 0.0
        order = sorted(legal, key=lambda a: a not in likely)
        rest = (1 - share) / len(legal)
        return {a: rest + share / len(likely) if a in likely else rest for a in order}

    def likely(self, raw: Any, before: int, last: int) -> list[int]:
        """Return the actions that the game calls likely, none if all are alike."""
        rules: Any = self.game.rules
        if not self.game.plain.HAS_LIKELY or self.config.likely == 0:
            return []
        actions = np.zeros(self.game.num_actions, np.int32)
        count = rules.likely(raw, before, last, actions)
        return [int(action) for action in actions[:count]]

    def expand(
        self, node: Node, priors: dict[int, float], scores: dict[int, float]
    ) -> None:
        """Give a node its actions; the likeliest come first if only some may be tried.

        Logits are the logs of the priors, from scores that differ from them by a
        constant.
        """
        constant = math.log(sum(math.exp(x) for x in scores.values()))
        order = list(priors)
        most = self.config.max_edges or len(order)
        if self.config.widening > 0 or most < len(order):
            order.sort(key=lambda a: -rounded(priors[a]))
        node.is_cut = most < len(order)
        node.priors = {a: rounded(priors[a]) for a in order[:most]}
        node.logits = {a: rounded(scores[a] - constant) for a in order[:most]}
        node.is_expanded = True

    def roll_out(self, node: Node) -> float:
        """Play a random game; return what player 0 gets from here on."""
        rules: Any = self.game.rules
        state, gained, weight, plies = node.state.copy(), 0.0, 1.0, 0
        actions = np.zeros(self.game.num_actions, np.int32)
        chances = np.zeros(self.game.plain.MAX_OUTCOMES + 1)
        before, last = -1, -1
        while state[0].to_play != OVER and plies < self.config.rollout_plies:
            if state[0].to_play == CHANCE:
                outcome = pick(self.rng, chances, rules.chance(state[0], chances))
                gained += weight * rules.step_chance(state[0], outcome)
            else:
                choice = self.likely(state[0], before, last)
                if not choice:
                    choice = list(actions[: rules.legal(state[0], actions)])
                before, last = last, int(choice[below(self.rng, len(choice))])
                gained += weight * rules.step(state[0], last)
                weight *= self.config.discount
                plies += 1
        if self.is_bounded:
            return float(rules.result(state[0])) if state[0].to_play == OVER else 0.0
        return gained

    def prepare(self, root: Node) -> None:
        """Draw what is random at the root, and change its priors."""
        config = self.config
        if config.root == "gumbel":
            self.gumbels = {
                a: config.gumbel_scale * gumbel(self.rng) for a in root.priors
            }
            return
        if config.root_temperature != 1:
            top = max(root.logits.values())
            heat = config.root_temperature
            warm = {a: math.exp((x - top) / heat) for a, x in root.logits.items()}
            total = sum(warm.values())
            root.priors = {a: rounded(x / total) for a, x in warm.items()}
        if config.noise_fraction > 0:
            alpha = config.noise_total / len(root.priors)
            drawn = {a: gamma(self.rng, alpha) for a in root.priors}
            total = sum(drawn.values())
            for a, p in root.priors.items():
                noise = drawn[a] / total
                root.priors[a] = rounded(p + config.noise_fraction * (noise - p))

    # Select.

    def select(self, node: Node, root: Node, turn: int) -> int:
        """Return the action or outcome that a simulation follows."""
        if node.to_play == CHANCE:
            return self.select_outcome(node)
        if self.config.root == "puct":
            return self.select_puct(node, is_root=node is root)
        if node is root:
            return self.select_halving(node, turn)
        return self.select_lagging(node)

    def select_outcome(self, node: Node) -> int:
        """Take few outcomes in due proportion, many by lot."""
        if len(node.priors) <= self.config.exact_outcomes:
            due = {o: p * (node.visits + 1) - node.n(o) for o, p in node.priors.items()}
            return first_best(due)
        if self.config.outcomes:
            room = self.config.outcomes * (node.visits + 1) ** (
                self.config.outcomes_power
            )
            opened = [o for o in node.priors if o in node.children]
            if len(opened) >= max(1.0, room):
                return min(opened, key=node.n)
        left = spread_fraction(node.chance_key, node.visits)
        for outcome, probability in node.priors.items():
            left -= probability
            if left < 0:
                return outcome
        return list(node.priors)[-1]

    def normalised(self, mean: float) -> float:
        """Map returns of a game for one from [low, high] to [-1, 1]."""
        if self.is_bounded:
            return mean
        if not self.high > self.low:
            return 0.0
        return 2 * (mean - self.low) / (self.high - self.low) - 1

    def spread(self, node: Node) -> float:
        """Return the standard deviation of values; 0.4 counts as two further visits."""
        n, mean = node.visits, node.total / node.visits
        variance = max(0.0, node.squares / n - mean**2)
        if not self.is_bounded:
            far = self.normalised(mean + 1) - self.normalised(mean)
            variance *= far**2
        return math.sqrt((n * variance + 2 * 0.4**2) / (n + 2))

    def puct(self, node: Node, action: int, visits: int) -> float:
        """Return w_v Q + w_p c(N) sqrt(N) P / (1 + n), were it visited so often."""
        config, n = self.config, node.visits
        c = config.c_puct + config.c_log * math.log(
            (n + config.c_base + 1) / config.c_base
        )
        c *= 1 + config.spread_weight * (self.spread(node) / 0.4 - 1)
        proof = node.proven(action)
        if proof is not None:
            q = float(proof)
        elif action in node.children:
            q = self.normalised(node.q(action))
        elif config.fpu == "constant":
            q = config.fpu_value
        else:
            tried = sum(node.priors[a] for a in node.children)
            mean = self.normalised(node.sign * node.total / n)
            q = mean - config.fpu_reduction * math.sqrt(tried)
        explore = c * math.sqrt(n) * node.priors[action] / (1 + visits)
        return config.value_weight * q + config.prior_weight * explore

    def num_forced(self, root: Node, action: int) -> float:
        """Return sqrt(k P(a) sum of visits): how many playouts a root action must have.

        Only actions that were tried at all must.
        """
        played = sum(root.n(a) for a in root.priors)
        return math.sqrt(self.config.forced * root.priors[action] * played)

    def select_puct(self, node: Node, is_root: bool) -> int:
        """Return the action of the best score among those open and not settled.

        At the root, only lost ones are left out: the others' visits are the answer.
        """
        actions = list(node.priors)
        if self.config.widening > 0:
            growth = node.visits**self.config.widening_power
            actions = actions[: max(1, math.ceil(self.config.widening * growth))]
        settled = (-1,) if is_root else (-1, 0, 1)
        scores = {
            a: self.puct(node, a, node.n(a))
            for a in actions
            if node.proven(a) not in settled
        }
        for a in scores if is_root else ():
            if 0 < node.n(a) < self.num_forced(node, a):
                scores[a] = math.inf
        if scores:
            return first_best(scores)
        unknown = [a for a in node.priors if node.proven(a) is None]
        return unknown[0] if unknown else actions[0]

    def sigma(self, node: Node) -> dict[int, float]:
        """Return (c_visit + max n) c_scale q of completed, rescaled q."""
        tried = [a for a in node.priors if node.n(a) > 0]
        mixed = node.sign * node.value
        if tried:
            n = sum(node.n(a) for a in tried)
            mass = sum(node.priors[a] for a in tried)
            mean = sum(node.priors[a] * node.q(a) for a in tried) / mass
            mixed = (mixed + n * mean) / (n + 1)
        completed = {a: node.q(a) if a in tried else mixed for a in node.priors}
        for a in node.priors:
            proof = node.proven(a)
            completed[a] = completed[a] if proof is None else float(proof)
        low, high = min(completed.values()), max(completed.values())
        most = max(node.n(a) for a in node.priors)
        scale = (self.config.c_visit + most) * self.config.c_scale
        width = max(high - low, self.config.least_spread, 1e-8)
        return {a: scale * ((q - low) / width) for a, q in completed.items()}

    def improved(self, node: Node) -> dict[int, float]:
        """Return softmax(logits + sigma(completed q))."""
        sigma = self.sigma(node)
        scores = {a: sigma[a] + node.logits[a] for a in node.priors}
        top = max(scores.values())
        powers = {a: math.exp(x - top) for a, x in scores.items()}
        total = sum(powers.values())
        return {a: x / total for a, x in powers.items()}

    def select_lagging(self, node: Node) -> int:
        """Return the action that is furthest behind the improved policy."""
        policy = self.improved(node)
        total = sum(node.n(a) for a in node.priors)
        lag = {
            a: policy[a] - node.n(a) / (1 + total)
            for a in node.priors
            if node.proven(a) is None
        }
        return first_best(lag) if lag else next(iter(node.priors))

    def select_halving(self, root: Node, turn: int) -> int:
        """Return the best of the actions whose turn it is: they have `turn` visits."""
        sigma, top = self.sigma(root), max(root.logits.values())
        scores = {
            a: self.gumbels[a] + root.logits[a] - top + sigma[a]
            if root.proven(a) != -1
            else -1e9
            for a in root.priors
            if root.n(a) == turn
        }
        return first_best(scores) if scores else next(iter(root.priors))

    # Back up.

    def back_up(self, path: list[Node], value: float) -> None:
        """Add a leaf's value for player 0 to all nodes on its path."""
        while path:
            node = path.pop()
            node.visits += 1
            node.total += value
            node.squares += value**2
            if node.to_play == CHANCE:
                value += self.settle(node)
            if self.config.proofs and node.proof is None:
                node.proof = proof_of(node)
            if path:
                is_throw = path[-1].to_play == CHANCE
                value = node.reward + (1 if is_throw else self.config.discount) * value
                node.gain += value
                if not self.is_bounded:
                    self.low = min(self.low, node.gain / node.visits)
                    self.high = max(self.high, node.gain / node.visits)
                value = self.or_draw(path[-1], node, value)

    def or_draw(self, parent: Node, child: Node, value: float) -> float:
        """Let a visit of what has looked worse than a draw in hand count as a draw."""
        if parent.to_play == CHANCE or not self.config.proofs:
            return value
        has_draw = any(parent.proven(a) == 0 for a in parent.children)
        return 0.0 if has_draw and parent.sign * child.gain < 0 else value

    def settle(self, node: Node) -> float:
        """Make chance's total exact if its outcomes are few and all known."""
        is_few = len(node.priors) <= self.config.exact_outcomes
        if not is_few or len(node.children) < len(node.priors):
            return 0.0
        change = sum(p * node.q(o) for o, p in node.priors.items()) * node.visits
        change -= node.total
        node.total += change
        return change

    # What the root says in the end.

    def eligible(self, root: Node) -> list[int]:
        """Return the actions that keep what is proven, or are not proven lost."""
        if root.proof is None:
            return [a for a in root.priors if root.proven(a) != -1]
        if root.proof in self.settled.values():
            return [a for a in root.priors if self.settled[a] == root.proof]
        return [a for a in root.priors if root.proven(a) == root.sign * root.proof]

    def choice(self, root: Node) -> int:
        """Return the action to play: the most visited, with Gumbel the best of them.

        If all that were kept are lost, others may not be: the likeliest is played.
        """
        visits = {a: root.n(a) for a in self.eligible(root)}
        if not visits:
            return next(iter(root.priors))
        if not any(visits.values()) and root.proof is not None:
            return first_best({a: root.priors[a] for a in visits})
        if self.config.root == "puct" or root.proof is not None:
            return first_best(visits)
        return self.select_halving(root, max(visits.values()))

    def lesson(self, root: Node) -> dict[int, float]:
        """Return the policy to learn."""
        if root.proof is not None:
            weights = dict.fromkeys(self.eligible(root), 1.0)
        elif self.config.root == "gumbel":
            return self.improved(root)
        else:
            weights = {a: float(self.pruned(root, a)) for a in self.eligible(root)}
        if sum(weights.values()) == 0:
            weights = {a: root.priors[a] for a in self.eligible(root) or root.priors}
        total = sum(weights.values())
        return {a: weights.get(a, 0.0) / total for a in root.priors}

    def pruned(self, root: Node, action: int) -> int:
        """Return the visits of an action without those that were only forced.

        As many as were forced go, as long as PUCT would still prefer the best action;
        an action that only one visit is left of goes altogether.
        """
        best, n = self.choice(root), root.n(action)
        if self.config.forced == 0 or action == best or n == 0:
            return n
        target = self.puct(root, best, root.n(best))
        for _ in range(math.ceil(self.num_forced(root, action))):
            if n > 0 and self.puct(root, action, n - 1) < target:
                n -= 1
        return n if n > 1 else 0


def first_best(scores: dict[int, float]) -> int:
    """Return the first key of the highest value."""
    return max(scores, key=lambda a: scores[a])


def halving(considered: int, sims: int) -> Iterator[int]:
    """Yield the visits of the actions whose turn it is, by sequential halving.

    Each of the log2(considered) rounds has the same share of the simulations, and each
    of its survivors the same share of that; half of them reach the next round.
    """
    visits, survivors = 0, considered
    rounds = math.ceil(math.log2(considered)) if considered > 1 else 1
    while True:
        for _ in range(max(1, sims // (rounds * survivors))):
            yield from [visits] * survivors
            visits += 1
        survivors = max(min(2, considered), survivors // 2)


def proof_of(node: Node) -> int | None:
    """Return what the actions of a node prove for player 0."""
    if not node.is_expanded:
        return None
    proofs = [node.proven(a) for a in node.priors]
    if node.to_play != CHANCE and 1 in proofs:
        return node.sign
    known = [p for p in proofs if p is not None]
    if len(known) < len(proofs) or node.is_cut:
        return None
    if node.to_play == CHANCE and len(set(known)) > 1:
        return None
    return node.sign * max(known)
