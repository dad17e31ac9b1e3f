"""Triple Triad: five cards each, nine cells, and higher sides take lower ones."""

import re
from collections.abc import Sequence
from itertools import permutations

import numpy as np

from ludens.boards import PLAYERS, cell_name
from ludens.game import CHANCE, OVER, Actions, Planes, Probabilities, rule
from ludens.games._cards import (
    CARDS_PER_SLOT,
    ELEMENTS,
    FIRST_UNIQUE,
    NAMES,
    read_deal,
    slot_of,
)
from ludens.games._cards_board import ELEMENTAL, HANDS, flip, margin
from ludens.games._cards_edit import EDITS as EDITS
from ludens.games._cards_edit import change
from ludens.games._cards_observe import PLANES as PLANES
from ludens.games._cards_observe import observe as observe
from ludens.games._cards_rules import RULES as RULES
from ludens.games._cards_view import draw as draw
from ludens.games._cards_view import look as look
from ludens.games._cards_view import reason as reason
from ludens.games._cards_view import scene as scene

PERMUTED = np.array(list(permutations(range(5))))
NUM_CARDS = len(NAMES)
DEAL_STEPS = 20 if ELEMENTAL else 11  # ten cards, the starter, the nine cells

STATE = np.dtype(
    [
        ("hands", "i1", (2, 5)),  # card + 1; 0 when played or not dealt yet
        ("board", "i1", 9),  # card + 1, negative if player 1 owns it
        ("elements", "i1", 9),
        ("step", "i1"),  # outcomes and actions so far
        ("starter", "i1"),
        ("to_play", "i1"),
    ]
)
NUM_ACTIONS = 45
MAX_PLIES = 9
MAX_OUTCOMES = NUM_CARDS
NUM_SYMMETRIES = 120
SHAPE = (3, 3)
BOUNDS = (-1.0, 1.25)  # what beats a card: 4 sides of 5 sixteenths
TARGETS = ("owner of the cell", "margin")
# Elo by `ludens rate` with 16 games of each two, within about 90 (95 %).
LEVELS = {
    "": {
        "random": -577,
        "mcts:sims=10": -289,
        "mcts:sims=30": -201,
        "mcts:sims=100": 0,
        "mcts:sims=300": 67,
        "mcts:sims=1000": 123,
        "net:sims=64": None,
        "net:sims=256": None,
        "net:sims=1024": None,
    }
}
TRAINING = {
    "net": {"policy": "spatial", "blocks": 3, "channels": 64, "hidden": 64},
    "search": {"sims": 64, "max_considered": 24},
    "selfplay": {"positions": 6000, "temperature_plies": 5, "opening_plies": 4},
    # On the same games, 600 steps: the decoder's loss is 0.67 with gates, 0.73 without.
    "muzero.net": {"gates": True, "dynamics": 2},
    "muzero.search": {"sims": 32},
    # With 0.75 a young net learns of values what it says itself: docs/muzero.md.
    "muzero.replay": {"q_share": 0.0},
    "muzero.learn": {"uses": 4.0},
    "small.net": {"blocks": 2, "channels": 32, "hidden": 32},
    "small.search": {"sims": 32},
    "small.selfplay": {"positions": 2000},
    "gpu.net": {"blocks": 6, "channels": 128, "hidden": 128},
}


@rule
def start(state: np.record) -> None:
    state.to_play = CHANCE


@rule
def chance(state: np.record, probabilities: Probabilities) -> int:
    if state.step == 10:
        probabilities[:2] = 0.5
        return 2
    if state.step > 10:
        probabilities[0] = 0.75
        probabilities[1:9] = 1 / 32
        return 9
    slot = int(state.step) % 5
    first = CARDS_PER_SLOT * slot if HANDS == "balanced" else 0
    last = first + CARDS_PER_SLOT if HANDS == "balanced" else NUM_CARDS
    gone = 0
    for card in state.hands.flat:
        gone += int(card > FIRST_UNIQUE and last == NUM_CARDS)
    probabilities[:first] = 0.0
    probabilities[first:last] = 1 / (last - first - gone)
    for card in state.hands.flat:
        if card > FIRST_UNIQUE:
            probabilities[card - 1] = 0.0
    return last


@rule
def apply_chance(state: np.record, outcome: int) -> None:
    step = state.step
    if step < 10:
        state.hands[step // 5, step % 5] = outcome + 1
    elif step == 10:
        state.starter = outcome
    else:
        state.elements[step - 11] = outcome
    state.step += 1
    if state.step == DEAL_STEPS:
        state.to_play = state.starter


@rule
def legal(state: np.record, actions: Actions) -> int:
    count = 0
    for slot in range(5):
        if state.hands[state.to_play, slot] != 0:
            for cell in range(9):
                if state.board[cell] == 0:
                    actions[count] = slot * 9 + cell
                    count += 1
    return count


@rule
def apply(state: np.record, action: int) -> None:
    player, slot, cell = state.to_play, action // 9, action % 9
    sign = 1 - 2 * player
    state.board[cell] = sign * state.hands[player, slot]
    state.hands[player, slot] = 0
    flip(state, cell, sign)
    state.step += 1
    state.to_play = OVER if state.step == DEAL_STEPS + 9 else 1 - player


@rule
def result(state: np.record) -> float:
    return float(np.sign(margin(state)))


@rule
def heuristic(state: np.record) -> float:
    """Return the margin of cards."""
    return float(margin(state) * (1 - 2 * state.to_play) / 10)


@rule
def transform(state: np.record, symmetry: int, image: np.record) -> None:
    for player in range(2):
        for slot in range(5):
            image.hands[player, PERMUTED[symmetry, slot]] = state.hands[player, slot]


@rule
def transform_action(action: int, symmetry: int) -> int:
    return int(PERMUTED[symmetry, action // 9]) * 9 + action % 9


@rule
def targets(state: np.record, planes: Planes) -> None:
    for cell in range(9):
        planes[0, cell // 3, cell % 3] = np.sign(state.board[cell])
    planes[1] = margin(state) / 10


def action_name(state: np.record, action: int) -> str:
    return f"{action // 9 + 1}{cell_name(action % 9 // 3, action % 3)}"


def read_action(state: np.record, text: str) -> int | None:
    match = re.fullmatch(r"(.+?)[\s@]+([a-c])([1-3])", text.lower())
    if match is None or state.to_play < 0:
        return None
    slot = slot_of(match[1], [int(card) for card in state.hands[state.to_play]])
    cell = int(match[3]) * 3 - 3 + "abc".index(match[2])
    return None if slot is None else slot * 9 + cell


def choices(state: np.record, action: int) -> tuple[str, ...]:
    return (f"card{action // 9 + 1}", cell_name(action % 9 // 3, action % 3))


def why_illegal(state: np.record, action: int) -> str:
    is_played = state.hands[state.to_play, action // 9] == 0
    return "this card has been played" if is_played else "the cell is taken"


def outcome_name(state: np.record, outcome: int) -> str:
    if state.step < 10:
        return f"player {state.step // 5} gets {NAMES[outcome]}"
    if state.step == 10:
        return f"player {outcome} starts"
    cell = cell_name((state.step - 11) // 3, (state.step - 11) % 3)
    return f"{cell} has {'no element' if outcome == 0 else ELEMENTS[outcome]}"


def setup(text: str) -> Sequence[int]:
    return read_deal(text, HANDS == "balanced")


def edit(state: np.record, words: Sequence[str]) -> None:
    """Change a card, an element or the turn; the hands must be able to go on."""
    if state.to_play == CHANCE:
        raise ValueError("the cards are being dealt")
    mover = change(state, words, ELEMENTAL)
    num_empty = int((state.board == 0).sum())
    needed = {mover: (num_empty + 1) // 2, 1 - mover: num_empty // 2}
    for player, count in needed.items():
        if (state.hands[player] > 0).sum() < count:
            who = f"the {PLAYERS[player]} player"
            raise ValueError(f"{who} would need {count} cards in hand")
    state.step = DEAL_STEPS + 9 - num_empty
    state.to_play = mover if num_empty else OVER
