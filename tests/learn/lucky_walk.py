"""Walk of two to a goal, in which dice may let a player move again or throw again."""

import numpy as np

from ludens.boards import text
from ludens.game import CHANCE, OVER, Actions, Planes, Probabilities, Shape, rule

STATE = np.dtype(
    [("place", "i1", 2), ("mover", "i1"), ("to_play", "i1"), ("ply", "i1")]
)
GOAL = 6
NUM_ACTIONS = 3
MAX_PLIES = 12
MAX_OUTCOMES = 3
SHAPE = (1, GOAL)
PLANES = ("own place", "opponent's place", "late")
TARGETS = ("reached",)


@rule
def legal(state: np.record, actions: Actions) -> int:
    actions[0], actions[1], actions[2] = 0, 1, 2
    return 3 if state.place[state.mover] > 1 else 2


@rule
def walk(state: np.record, steps: int, moves_again: bool) -> None:
    state.place[state.mover] = min(GOAL, state.place[state.mover] + steps)
    if not moves_again:
        state.mover = 1 - state.mover
    state.to_play = state.mover
    if max(state.place[0], state.place[1]) == GOAL or state.ply == MAX_PLIES:
        state.to_play = OVER


@rule
def apply(state: np.record, action: int) -> None:
    state.ply += 1
    if action == 1:
        state.to_play = CHANCE
    else:
        walk(state, 1, action == 2)


@rule
def chance(state: np.record, probabilities: Probabilities) -> int:
    probabilities[0], probabilities[1], probabilities[2] = 0.25, 0.25, 0.5
    return 3


@rule
def apply_chance(state: np.record, outcome: int) -> None:
    """Lose the turn, walk on and move again, or walk on and throw again."""
    walk(state, outcome, outcome > 0)
    if outcome == 2 and state.to_play >= 0:
        state.to_play = CHANCE


@rule
def result(state: np.record) -> float:
    return float(int(state.place[0] == GOAL) - int(state.place[1] == GOAL))


@rule
def observe(state: np.record, planes: Planes) -> None:
    planes[0, 0, : state.place[state.mover]] = 1
    planes[1, 0, : state.place[1 - state.mover]] = 1
    planes[2] = state.ply / MAX_PLIES


@rule
def targets(state: np.record, planes: Planes) -> None:
    planes[0, 0, : state.place[0]] = 1


def action_name(state: np.record, action: int) -> str:
    return ("walk", "throw", "run")[action]


def draw(state: np.record) -> str:
    return f"{state.place[0]} : {state.place[1]}"


def scene(state: np.record) -> list[Shape]:
    names = [action_name(state, action) for action in range(NUM_ACTIONS)]
    return [text(i, 0, name, choice=name) for i, name in enumerate(names)]
