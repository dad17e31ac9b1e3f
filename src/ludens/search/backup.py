"""Back up: add a leaf's value to its path to the root, and carry proofs upwards."""

from typing import Any

from ludens.game import CHANCE
from ludens.loading.compilable import compilable
from ludens.search.chance import settle_expectation
from ludens.search.tree import UNPROVEN, Tree


@compilable
def back_up(tree: Tree, leaf: int, value: float, settings: Any, bounded: bool) -> None:
    """Add a leaf's value, for player 0, to all on its path; carry proofs upwards.

    A player who has a proven draw need not play what has looked worse so far: such a
    visit counts as a draw further up.
    """
    head, index = tree.heads[0], leaf
    proven = settings.use_proofs != 0 and tree.nodes[leaf].proof != UNPROVEN
    while True:
        node = tree.nodes[index]
        node.visits += 1
        node.total += value
        node.squares += value * value
        if node.to_play == CHANCE:
            value += settle_expectation(tree, node, settings)
        if index == 0:
            return
        edge, parent = tree.edges[node.parent_edge], tree.nodes[node.parent]
        # Time passes with a player's move, not with chance's.
        discount = 1.0 if parent.to_play == CHANCE else settings.discount
        value = node.reward + discount * value
        edge.visits += 1
        edge.total += -value if parent.to_play == 1 else value
        if not bounded:
            mean = edge.total / edge.visits
            head.low, head.high = min(head.low, mean), max(head.high, mean)
        if proven:
            edge.proof = -node.proof if parent.to_play == 1 else node.proof
            if edge.proof == 0 and parent.to_play != CHANCE:
                parent.has_draw = 1
            proven = prove(tree, parent)
        if parent.has_draw != 0 and edge.total < 0.0:
            value = 0.0
        index = node.parent


@compilable
def prove(tree: Tree, node: Any) -> bool:
    """Prove a node by the proofs of its edges; tell whether this has just happened.

    A player needs one won edge to win and all edges proven to draw or lose (Winands et
    al. 2008, with draws); chance must lead to the same result whatever it does.
    """
    if node.proof != UNPROVEN:
        return False
    best, worst, is_proven = -1, 1, node.is_cut == 0
    for e in range(node.first_edge, node.first_edge + node.num_edges):
        proof = tree.edges[e].proof
        if proof == UNPROVEN:
            is_proven = False
        else:
            best, worst = max(best, proof), min(worst, proof)
    if node.to_play == CHANCE:
        is_proven = is_proven and best == worst
    elif best == 1:
        is_proven = True
    if is_proven:
        node.proof = -best if node.to_play == 1 else best
    return bool(is_proven)


@compilable
def add_pending(tree: Tree, leaf: int, change: int) -> None:
    """Change the number of waiting leaves below each edge of a path (virtual loss)."""
    index = leaf
    while index != 0:
        node = tree.nodes[index]
        tree.edges[node.parent_edge].pending += change
        index = node.parent
