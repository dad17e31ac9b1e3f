"""An environment's states as records: what was seen, what was legal, whose turn it was.

What an action leads to is not known here: the environment says it. So these rules only
depend on sizes. What a net sees of a recorded state is what the environment showed.
"""

import numpy as np

from ludens.game import OVER, Actions, Planes, Shape, option, rule

NUM_ACTIONS = option("actions", 1, "how many actions there are", low=1)
NUM_PLAYERS = option("players", 1, "how many players there are", low=1, high=2)
NUM_PLANES = option("planes", 1, "planes of an observation", low=1)
ROWS = option("rows", 1, "rows of a plane", low=1)
COLUMNS = option("columns", 1, "columns of a plane", low=1)
MAX_PLIES = option("max_plies", 0, "where episodes are cut; 0: nobody knows", low=0)
SHAPE = (ROWS, COLUMNS)
PLANES = tuple(f"plane {number}" for number in range(NUM_PLANES))
CELLS = ROWS * COLUMNS
STATE = np.dtype(
    [
        ("observation", "f4", (NUM_PLANES * CELLS,)),
        ("legal", "u1", (NUM_ACTIONS,)),
        ("result", "f4"),
        ("to_play", "i1"),
    ]
)


@rule
def legal(state: np.record, actions: Actions) -> int:
    count = 0
    for action in range(NUM_ACTIONS):
        if state.legal[action] != 0:
            actions[count] = action
            count += 1
    return count


@rule
def apply(state: np.record, action: int) -> float:
    state.to_play = OVER  # what comes next, only the environment knows
    return 0.0


@rule
def result(state: np.record) -> float:
    return float(state.result)


@rule
def observe(state: np.record, planes: Planes) -> None:
    for plane in range(NUM_PLANES):
        for cell in range(CELLS):
            seen = state.observation[plane * CELLS + cell]
            planes[plane, cell // COLUMNS, cell % COLUMNS] = seen


def action_name(state: np.record, action: int) -> str:
    """Return the number of the action."""
    return str(action)


def draw(state: np.record) -> str:
    """Return the numbers that are seen; of planes, which one is set in each cell."""
    seen = np.array(state.observation).reshape(NUM_PLANES, ROWS, COLUMNS)
    if CELLS == 1:
        return " ".join(f"{number:.3f}" for number in seen.reshape(-1))
    if NUM_PLAYERS == 2:
        seen = seen[:-1]  # the last one says whose turn it is
    if set(np.unique(seen)) <= {0.0, 1.0} and len(seen) > 1:
        marks, signs = (seen.argmax(0) + 1) * (seen.max(0) > 0), ".123456789+"
    else:  # how bright it is
        light, signs = np.abs(seen).sum(0), ".-+*#"
        marks = np.rint(4 * light / max(float(light.max()), 1e-9)).astype(int)
    last = len(signs) - 1
    return "\n".join("".join(signs[min(m, last)] for m in row) for row in marks)


def scene(state: np.record) -> list[Shape]:
    """Return nothing to draw."""
    return []
