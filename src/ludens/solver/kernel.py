"""Kernel: exact play and wins by force.

What they search with is in `_alpha_beta.py` and `_force.py`.
"""

from ludens.game import entry
from ludens.solver._alpha_beta import (
    ENTRY,
    FRAME,
    HAS_CHANCE,
    STOPPED,
    WIN,
    alpha_beta,
    down,
    up,
)
from ludens.solver._force import FORCE_ENTRY, FORCE_FRAME, UNWON, WON, win_by_force
from ludens.solver.stack import ForceStack, Stack, borrow_force_stack, borrow_stack

__all__ = [
    "ENTRY",
    "FORCE_ENTRY",
    "FORCE_FRAME",
    "FRAME",
    "HAS_CHANCE",
    "STOPPED",
    "UNWON",
    "WIN",
    "WON",
    "down",
    "force",
    "search",
    "up",
]


@entry
def search(stack: Stack, window: tuple[int, int], max_nodes: int) -> int:
    """Return the value of `stack.states[0]`, or a bound outside the window."""
    return alpha_beta(borrow_stack(stack), window[0], window[1], max_nodes)


@entry
def force(stack: ForceStack, max_nodes: int, max_pressing: int) -> int:
    """Tell whether the player to move at `stack.states[0]` wins by force."""
    return win_by_force(borrow_force_stack(stack), max_nodes, max_pressing)
