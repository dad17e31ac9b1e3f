"""The arrays of a search tree, of many trees, and of the thread that works on them.

A tree is three arrays: states (as words), nodes and edges. The edges of a node stand
next to each other; each has at most one child node. A node belongs to a player or to
chance, or the game is over there. Totals are sums over visits: a node's for player 0,
an edge's for the player whose edge it is.

Shapes: B trees (games), N nodes, E edges, A actions, C outcomes of chance, W 64-bit
words of a state; K = max(A, C), the most edges that a node may have.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ludens.loading.compilable import borrow, compilable
from ludens.rng import Rng

Array = NDArray[Any]

FRESH, WAITING, EXPANDED = 0, 1, 2
"""A node: not evaluated, on its way to the evaluator, with edges (or none: the end)."""
UNPROVEN = 2
"""Otherwise a proof is 1, 0 or -1, won, drawn or lost: a node's for player 0, an edge's
for the player whose edge it is."""


def _record(*fields: tuple[Any, ...]) -> np.dtype[Any]:
    return np.dtype((np.record, np.dtype(list(fields), align=True)))


NODE = _record(
    ("total", "f8"),  # sum of returns, for player 0
    ("squares", "f8"),  # sum of their squares
    ("value", "f8"),  # the evaluator's value, for player 0
    ("reward", "f8"),  # of the step from the parent to here
    ("seen_prior", "f8"),  # sum of the priors of the edges that have a child
    ("chance_key", "u8"),  # decides the sampled outcomes of chance here and below
    ("parent", "i4"),
    ("parent_edge", "i4"),
    ("first_edge", "i4"),
    ("num_edges", "i4"),
    ("visits", "i4"),  # its own evaluation and all simulations through it
    ("to_play", "i1"),
    ("status", "i1"),
    ("proof", "i1"),
    ("is_cut", "i1"),  # edges were left out, so that "all lose" proves nothing
    ("has_draw", "i1"),  # one of its edges is proven drawn
    ("is_sorted", "i1"),  # no edge has a higher prior than one before it
)
EDGE = _record(
    ("total", "f8"),  # sum of returns, for the player whose edge it is
    ("child", "i4"),  # -1 if there is none yet
    ("visits", "i4"),
    ("prior", "f4"),
    ("logit", "f4"),  # log of the prior before noise and temperature
    ("action", "i2"),  # or chance's outcome
    ("pending", "i2"),  # leaves below it that wait for the evaluator
    ("proof", "i1"),
)
HEAD = _record(
    ("num_nodes", "i4"),
    ("num_edges", "i4"),
    ("sims", "i4"),  # simulations done
    ("budget", "i4"),  # simulations to do
    ("plan", "i4"),  # which schedule of visits Gumbel's root follows
    ("pause", "i4"),  # simulations after which to look at the clock
    ("num_waiting", "i4"),  # leaves that wait for the evaluator
    ("num_considered", "i4"),  # actions that Gumbel's root begins with
    ("low", "f8"),  # the least and the greatest mean return of an edge so far
    ("high", "f8"),
    ("is_full", "i4"),
    ("is_asked", "i4"),  # the solver has been asked of the root
)


class Tree(NamedTuple):
    """One game's tree."""

    heads: Array
    """[1] HEAD"""
    words: Array
    """[N, W] uint64: the states as 64-bit words, so that a tree is one type for all"""
    nodes: Array
    """[N] NODE"""
    edges: Array
    """[E] EDGE"""
    noise: Array
    """[A] float64: what disturbs the root's edges, Gumbel numbers or Dirichlet noise"""
    rng: Rng
    """[1] uint64"""


class Forest(NamedTuple):
    """The trees of many games, in the order of Tree's fields."""

    heads: Array
    """[B] HEAD"""
    words: Array
    """[B, N, W] uint64"""
    nodes: Array
    """[B, N] NODE"""
    edges: Array
    """[B, E] EDGE"""
    noise: Array
    """[B, A] float64"""
    rngs: Array
    """[B, 1] uint64"""


class Work(NamedTuple):
    """The scratch arrays of a thread."""

    actions: NDArray[np.int32]
    """[A] legal actions"""
    priors: NDArray[np.float64]
    """[K] of the edges of a new node, as are the logits"""
    logits: NDArray[np.float64]
    """[K]"""
    chances: NDArray[np.float64]
    """[C + 1] probabilities of outcomes"""
    scores: NDArray[np.float64]
    """[K] of the edges of a node"""
    spare: Array
    """[1, W] uint64: a state for rollouts"""


@compilable
def tree_of(forest: Forest, g: int) -> Tree:
    """Return the tree of one game."""
    return Tree(
        borrow(forest.heads)[g : g + 1],
        borrow(forest.words)[g],
        borrow(forest.nodes)[g],
        borrow(forest.edges)[g],
        borrow(forest.noise)[g],
        borrow(forest.rngs)[g],
    )


@compilable
def borrow_work(work: Work) -> Work:
    """Return the same arrays without counting references to them."""
    return Work(
        borrow(work.actions),
        borrow(work.priors),
        borrow(work.logits),
        borrow(work.chances),
        borrow(work.scores),
        borrow(work.spare),
    )


@compilable
def clear(tree: Tree) -> None:
    """Forget all nodes and edges."""
    head = tree.heads[0]
    head.num_nodes = 0
    head.num_edges = 0
    head.sims = 0
    head.num_waiting = 0
    head.low, head.high = np.inf, -np.inf
    head.is_full = 0
    head.is_asked = 0


@compilable
def add_node(tree: Tree, parent: int, edge: int, reward: float, to_play: int) -> int:
    """Make a node of the state that stands in its place; return its number."""
    index = tree.heads[0].num_nodes
    tree.heads[0].num_nodes += 1
    node = tree.nodes[index]
    node.total = 0.0
    node.squares = 0.0
    node.value = 0.0
    node.reward = reward
    node.seen_prior = 0.0
    node.chance_key = 0
    node.parent = parent
    node.parent_edge = edge
    node.first_edge = tree.heads[0].num_edges
    node.num_edges = 0
    node.visits = 0
    node.to_play = to_play
    node.status = FRESH
    node.proof = UNPROVEN
    node.is_cut = 0
    node.has_draw = 0
    node.is_sorted = 0
    return int(index)


@compilable
def add_edge(tree: Tree, action: int, prior: float, logit: float) -> None:
    """Append an edge without a child."""
    edge = tree.edges[tree.heads[0].num_edges]
    tree.heads[0].num_edges += 1
    edge.total = 0.0
    edge.child = -1
    edge.visits = 0
    edge.prior = prior
    edge.logit = logit
    edge.action = action
    edge.pending = 0
    edge.proof = UNPROVEN


@compilable
def add_edges(tree: Tree, index: int, count: int, work: Work, settings: Any) -> None:
    """Give a player's node its edges: the first `count` actions in `work`."""
    node, head = tree.nodes[index], tree.heads[0]
    node.first_edge = head.num_edges
    for i in range(count):
        add_edge(tree, work.actions[i], work.priors[i], work.logits[i])
    node.num_edges = count
    node.status = EXPANDED
    is_cut = 0 < settings.max_edges < count
    if settings.widening > 0.0 or is_cut:
        sort_by_prior(tree.edges, node.first_edge, count)
        node.is_sorted = 1
    if is_cut:
        node.num_edges = settings.max_edges
        node.is_cut = 1
        head.num_edges = node.first_edge + node.num_edges


@compilable
def sort_by_prior(edges: Array, first: int, count: int) -> None:
    """Sort new edges by descending prior; equal ones keep their order."""
    for i in range(first + 1, first + count):
        action, prior, logit = edges[i].action, edges[i].prior, edges[i].logit
        j = i
        while j > first and edges[j - 1].prior < prior:
            edges[j].action = edges[j - 1].action
            edges[j].prior = edges[j - 1].prior
            edges[j].logit = edges[j - 1].logit
            j -= 1
        edges[j].action = action
        edges[j].prior = prior
        edges[j].logit = logit
