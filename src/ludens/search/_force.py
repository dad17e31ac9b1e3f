"""Wins by force: leaves and the root are proven where forcing moves alone win.

A part of the kernel, which asks it before the solver: it is far quicker where a game
has such moves.
"""

from typing import Any

from ludens.game import rule
from ludens.loading.compilable import records
from ludens.loading.complete import kernel_rules
from ludens.search.model import Model
from ludens.search.tree import EXPANDED, FRESH, Tree
from ludens.solver._force import WON, win_by_force
from ludens.solver.stack import ForceStack, borrow_force_stack

model: Model = kernel_rules()

STATE = model.STATE
ROOT_SHARE = 4  # times the nodes of a leaf: it is asked about once
Force = ForceStack | None
"""What wins by force are looked for with, None: they are not."""


@rule
def force_leaf(tree: Tree, leaf: int, settings: Any, force: Force) -> None:
    """Prove a new leaf if its player wins by force; it then has no edges."""
    if force is None:
        return
    node = tree.nodes[leaf]
    if leaf == 0 or node.status != FRESH or node.to_play < 0:
        return
    stack = borrow_force_stack(force)
    stack.states[0] = records(tree.words, STATE)[leaf]
    if is_won(stack, settings, 1):
        node.status = EXPANDED
        node.proof = 1 - 2 * node.to_play
        node.value = node.proof


@rule
def is_won(stack: ForceStack, settings: Any, share: int) -> bool:
    """Tell whether a position is won by force, with so many times a leaf's nodes."""
    nodes, pressing = share * settings.force_nodes, share * settings.press_nodes
    return win_by_force(stack, nodes, pressing) == WON


@rule
def is_root_forced(tree: Tree, settings: Any, force: Force) -> bool:
    """Tell whether the root is won by force, and prove it and its move."""
    if force is None:
        return False
    root = tree.nodes[0]
    stack = borrow_force_stack(force)
    stack.states[0] = records(tree.words, STATE)[0]
    if not is_won(stack, settings, ROOT_SHARE):
        return False
    best = stack.actions[0, stack.frames[0].next - 1]
    for e in range(root.first_edge, root.first_edge + root.num_edges):
        if tree.edges[e].action == best:
            tree.edges[e].proof = 1
            root.proof = 1 - 2 * root.to_play
            return True
    return False
