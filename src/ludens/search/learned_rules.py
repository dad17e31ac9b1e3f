"""A learned model as rules for the search: whose turn it is and what may be tried.

What a step leads to is not known here. It is a latent, which stands beside the tree; a
network makes it, and tells the reward and, unless players simply alternate, who is
next. So these rules depend on sizes only, and are compiled once for all games and
environments that share them. `player` is whom the latent is relative to: the player to
move, at chance's turn the one who moved last.
"""

from typing import Any

import numpy as np

from ludens.game import Actions, Planes, option, rule

NUM_ACTIONS = option("actions", 1, "how many actions there are", low=1)
NUM_PLAYERS = option("players", 2, "how many players there are", low=1, high=2)
MAX_OUTCOMES = option("outcomes", 0, "how many outcomes chance can have", low=0)
ALTERNATING = option("alternating", True, "whether the players move by turns")
MAX_PLIES = 0
SHAPE = (1, 1)
PLANES = ("nothing: the network is given a latent",)
WORDS = (NUM_ACTIONS + 63) // 64
STATE = np.dtype([("legal", "u8", (WORDS,)), ("to_play", "i1"), ("player", "i1")])
"""`legal` has a bit for each action that may be tried."""
ALL = np.uint64(2**64 - 1)


@rule
def legal(state: np.record, actions: Actions) -> int:
    count = 0
    if state.to_play < 0:
        return count
    for action in range(NUM_ACTIONS):
        word = state.legal[action >> 6]
        if (word >> np.uint64(action & 63)) & np.uint64(1):
            actions[count] = action
            count += 1
    return count


@rule
def apply(state: np.record, action: int) -> float:
    if ALTERNATING:
        state.player = 1 - state.player
    state.to_play = state.player  # until the network says otherwise
    for word in range(WORDS):
        state.legal[word] = ALL
    return 0.0


@rule
def apply_chance(state: np.record, outcome: int) -> float:
    state.to_play = state.player
    for word in range(WORDS):
        state.legal[word] = ALL
    return 0.0


@rule
def observe(state: np.record, planes: Planes) -> None:
    planes[0, 0, 0] = 0


def action_name(state: np.record, action: int) -> str:
    """Return the number of the action."""
    return str(action)


def draw(state: np.record) -> str:
    """Return nothing: nobody can see a latent."""
    return ""


def scene(state: np.record) -> dict[str, Any]:
    """Return nothing to draw."""
    return {}
