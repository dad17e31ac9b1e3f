"""Guess what a die will show, round after round, or take a small sure reward."""

import numpy as np

from ludens.boards import text
from ludens.game import (
    CHANCE,
    OVER,
    Actions,
    Planes,
    Probabilities,
    Shape,
    option,
    rule,
)

SIDES = option("sides", 4, "sides of the die", low=2, high=20)
ROUNDS = option("rounds", 2, "rounds of a game", low=1, high=20)
SURE = option("sure", 0.4, "reward for not guessing; a right guess brings 1")

STATE = np.dtype([("turn", "i1"), ("guess", "i1"), ("to_play", "i1")])
NUM_PLAYERS = 1
NUM_ACTIONS = SIDES + 1  # the last one does not guess
MAX_PLIES = ROUNDS
MAX_OUTCOMES = SIDES
SHAPE = (1, 1)
PLANES = ("rounds over",)


@rule
def legal(state: np.record, actions: Actions) -> int:
    for action in range(NUM_ACTIONS):
        actions[action] = action
    return NUM_ACTIONS


@rule
def go_on(state: np.record) -> None:
    state.guess = 0
    state.turn += 1
    state.to_play = OVER if state.turn == ROUNDS else 0


@rule
def apply(state: np.record, action: int) -> float:
    if action == SIDES:
        go_on(state)
        return SURE
    state.guess = action
    state.to_play = CHANCE
    return 0.0


@rule
def chance(state: np.record, probabilities: Probabilities) -> int:
    probabilities[:SIDES] = 1 / SIDES
    return SIDES


@rule
def apply_chance(state: np.record, outcome: int) -> float:
    reward = 1.0 if state.guess == outcome else 0.0
    go_on(state)
    return reward


@rule
def observe(state: np.record, planes: Planes) -> None:
    planes[0] = state.turn / ROUNDS


def action_name(state: np.record, action: int) -> str:
    return "sure" if action == SIDES else f"guess{action + 1}"


def draw(state: np.record) -> str:
    return f"round {state.turn + 1}"


def scene(state: np.record) -> list[Shape]:
    names = [action_name(state, action) for action in range(NUM_ACTIONS)]
    return [text(i, 0, name, choice=name) for i, name in enumerate(names)]
