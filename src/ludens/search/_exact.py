"""Proofs at leaves and at the root: wins by force, and what the solver settles.

A part of the kernel. What it finds are proofs, which are backed up like those of games
that are over. All of it depends on the state alone, so a tree does not depend on what
else a thread has searched.
"""

from typing import Any

from ludens.game import OVER, rule
from ludens.loading.compilable import records
from ludens.loading.complete import kernel_rules
from ludens.search._force import ROOT_SHARE, Force, force_leaf, is_root_forced
from ludens.search.model import Model
from ludens.search.tree import EXPANDED, FRESH, UNPROVEN, Tree, Work
from ludens.solver._alpha_beta import UNSETTLED, settle
from ludens.solver.stack import Stack, borrow_stack

model: Model = kernel_rules()

STATE = model.STATE
Exact = Stack | None
"""What leaves are settled with, None: they are not."""


@rule
def prove_leaf(
    tree: Tree, leaf: int, settings: Any, exact: Exact, force: Force
) -> None:
    """Prove a new leaf by a win by force or by the solver; it then has no edges."""
    force_leaf(tree, leaf, settings, force)
    settle_leaf(tree, leaf, settings, exact)


@rule
def settle_leaf(tree: Tree, leaf: int, settings: Any, exact: Exact) -> None:
    """Prove a new leaf if the solver settles it."""
    if exact is None:
        return
    node = tree.nodes[leaf]
    if leaf == 0 or node.status != FRESH or node.to_play < 0:
        return
    stack = borrow_stack(exact)
    stack.states[0] = records(tree.words, STATE)[leaf]
    outcome = settle(stack, settings.exact_nodes)
    if outcome != UNSETTLED:
        node.status = EXPANDED
        node.proof = -outcome if node.to_play == 1 else outcome
        node.value = node.proof


@rule
def is_root_proven(
    tree: Tree, settings: Any, work: Work, exact: Exact, force: Force
) -> bool:
    """Ask about a root once; tell whether its result and a move are proven."""
    if exact is None and force is None:
        return False
    head = tree.heads[0]
    if head.is_asked != 0 or tree.nodes[0].status != EXPANDED:
        return False
    head.is_asked = 1
    return is_root_forced(tree, settings, force) or is_root_settled(
        tree, settings, work, exact
    )


@rule
def is_root_settled(tree: Tree, settings: Any, work: Work, exact: Exact) -> bool:
    """Tell whether the solver settles a root, and prove it and its moves.

    A result alone is not enough at the root, so all moves are settled as well. A lost
    root is searched on, for the move that resists.
    """
    if exact is None:
        return False
    root = tree.nodes[0]
    stack = borrow_stack(exact)
    stack.states[0] = records(tree.words, STATE)[0]
    outcome = settle(stack, ROOT_SHARE * settings.exact_nodes)
    if outcome == UNSETTLED or outcome == -1:
        return False
    best = stack.frames[0].best_action
    for e in range(root.first_edge, root.first_edge + root.num_edges):
        edge = tree.edges[e]
        if edge.proof == UNPROVEN:
            edge.proof = settle_move(tree, edge.action, settings, work, stack)
        if edge.action == best:
            edge.proof = outcome
        if edge.proof == outcome:
            root.proof = -outcome if root.to_play == 1 else outcome
    return bool(root.proof != UNPROVEN)


@rule
def settle_move(
    tree: Tree, action: int, settings: Any, work: Work, stack: Stack
) -> int:
    """Return what a move of the root leads to for its player, if that is settled."""
    spare, mover = records(work.spare, STATE), tree.nodes[0].to_play
    spare[0] = records(tree.words, STATE)[0]
    model.step(spare[0], action)
    outcome, player = UNPROVEN, spare[0].to_play
    if player == OVER:
        outcome, player = int(model.result(spare[0])), 0
    elif player >= 0:
        stack.states[0] = spare[0]
        outcome = settle(stack, settings.exact_nodes)
        if outcome == UNSETTLED:
            return UNPROVEN
    return outcome if player == mover or outcome == UNPROVEN else -outcome
