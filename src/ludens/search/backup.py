"""Back up: what a leaf is worth goes into all that led to it, and so do proofs."""

from typing import Any

from ludens.game import CHANCE
from ludens.loading.compilable import compilable
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
        if node.to_play == CHANCE:
            value += settle_expectation(tree, node, settings)
        if index == 0:
            return
        edge, parent = tree.edges[node.parent_edge], tree.nodes[node.parent]
        # Time passes with a player's move, not with a throw of dice.
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
def settle_expectation(tree: Tree, node: Any, settings: Any) -> float:
    """Make the mean of chance's node exact once each of its few outcomes is known.

    Returns by how much its total changed.
    """
    if node.num_edges > settings.exact_outcomes:
        return 0.0
    mean = 0.0
    for e in range(node.first_edge, node.first_edge + node.num_edges):
        edge = tree.edges[e]
        if edge.visits == 0:
            return 0.0
        mean += edge.prior * (edge.total / edge.visits)
    change = mean * node.visits - node.total
    node.total += change
    return float(change)


@compilable
def prove(tree: Tree, node: Any) -> bool:
    """Settle a node that its edges settle; tell whether they do so just now.

    A player needs one won edge to win and all edges settled to draw or lose (Winands et
    al. 2008, with draws); chance must lead to the same result whatever it does.
    """
    if node.proof != UNPROVEN:
        return False
    best, worst, is_settled = -1, 1, node.is_cut == 0
    for e in range(node.first_edge, node.first_edge + node.num_edges):
        proof = tree.edges[e].proof
        if proof == UNPROVEN:
            is_settled = False
        else:
            best, worst = max(best, proof), min(worst, proof)
    if node.to_play == CHANCE:
        is_settled = is_settled and best == worst
    elif best == 1:
        is_settled = True
    if is_settled:
        node.proof = -best if node.to_play == 1 else best
    return bool(is_settled)
