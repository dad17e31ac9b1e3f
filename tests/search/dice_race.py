"""Race of two to a goal: walk one step, or throw a die that gives 0, 2 or 3."""

import numpy as np

from ludens.boards import text
from ludens.game import CHANCE, OVER, Actions, Planes, Probabilities, Shape, rule

STATE = np.dtype(
    [("place", "i1", 2), ("mover", "i1"), ("to_play", "i1"), ("ply", "i1")]
)
GOAL = 5
NUM_ACTIONS = 2
MAX_PLIES = 7
MAX_OUTCOMES = 3
SHAPE = (1, GOAL)
PLANES = ("own place", "opponent's place", "late")
STEPS = np.array([0, 2, 3])


@rule
def legal(state: np.record, actions: Actions) -> int:
    actions[0], actions[1] = 0, 1
    return 2


@rule
def advance(state: np.record, steps: int) -> None:
    state.place[state.mover] = min(GOAL, state.place[state.mover] + steps)
    state.ply += 1
    state.to_play = 1 - state.mover
    if state.place[state.mover] == GOAL or state.ply == MAX_PLIES:
        state.to_play = OVER
    state.mover = 1 - state.mover


@rule
def apply(state: np.record, action: int) -> None:
    if action == 0:
        advance(state, 1)
    else:
        state.to_play = CHANCE


@rule
def chance(state: np.record, probabilities: Probabilities) -> int:
    probabilities[0] = 0.5
    probabilities[1] = 0.25
    probabilities[2] = 0.25
    return 3


@rule
def apply_chance(state: np.record, outcome: int) -> None:
    advance(state, STEPS[outcome])


@rule
def result(state: np.record) -> float:
    return float(int(state.place[0] == GOAL) - int(state.place[1] == GOAL))


@rule
def observe(state: np.record, planes: Planes) -> None:
    planes[0, 0, : state.place[state.mover]] = 1
    planes[1, 0, : state.place[1 - state.mover]] = 1
    planes[2] = state.ply / MAX_PLIES


def action_name(state: np.record, action: int) -> str:
    return ("walk", "throw")[action]


def draw(state: np.record) -> str:
    return f"{state.place[0]} : {state.place[1]}"


def scene(state: np.record) -> list[Shape]:
    names = [action_name(state, action) for action in range(NUM_ACTIONS)]
    return [text(i, 0, name, choice=name) for i, name in enumerate(names)]
