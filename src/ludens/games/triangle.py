"""Triangle: place drawn shapes on a board of triangles; complete lines are cleared.

A move names a slot and the cell for its shape's anchor, the first triangle of the upper
row.
"""

from collections.abc import Sequence
from itertools import permutations

import numpy as np

from ludens.boards import cell_name
from ludens.game import CHANCE, OVER, Actions, Probabilities, rule
from ludens.games._triangle_board import (
    ANCHOR,
    AREA,
    CELLS,
    CLEAR_REWARD,
    COLUMNS,
    FIRST,
    NUM_SHAPES,
    NUM_SLOTS,
    NUM_WORDS,
    NUMBER,
    OVER_REWARD,
    PLACE_REWARD,
    PLACEMENT,
    PROBABILITY,
    SIZE,
    SURVIVE_REWARD,
    fits,
    is_free,
    place,
)
from ludens.games._triangle_board import SHAPE as SHAPE
from ludens.games._triangle_observe import PLANES as PLANES
from ludens.games._triangle_observe import observe as observe
from ludens.games._triangle_observe import targets as targets
from ludens.games._triangle_rules import IN_HAND
from ludens.games._triangle_rules import PICTURES as PICTURES
from ludens.games._triangle_rules import RULES as RULES
from ludens.games._triangle_view import draw as draw
from ludens.games._triangle_view import look as look
from ludens.games._triangle_view import scene as scene

# A slot holds the number of its shape, from 1, or 0.
STATE = np.dtype(
    [
        ("occupied", "u8", NUM_WORDS),
        ("slots", "i1", (NUM_SLOTS,)),
        ("to_play", "i1"),
        ("has_begun", "i1"),
    ]
)
NUM_PLAYERS = 1
NUM_ACTIONS = NUM_SLOTS * AREA
MAX_PLIES = 0
MAX_OUTCOMES = NUM_SHAPES
BOUNDS = (-1.0, float(SHAPE[0]))  # cells cleared, in rows: at most the whole board
TARGETS = ("filled at the end",)
SLOT_NAMES = tuple(map(str, range(1, NUM_SLOTS + 1)))
EDITS = (
    "toggle CELL",
    f"slot {'|'.join(SLOT_NAMES)} empty|{'|'.join(map(str, range(1, NUM_SHAPES + 1)))}",
)
# Draws are independent, so slots may change places. The board cannot be turned: no turn
# or mirror image takes the shapes with their weights to themselves.
ORDERS = np.array(list(permutations(range(NUM_SLOTS))))
NUM_SYMMETRIES = len(ORDERS)
TRAINING = {
    # With a discount, 200 is more than any position can still bring.
    "net": {
        "policy": "spatial",
        "value": "categorical",
        "bins": 101,
        "value_low": 0.0,
        "value_high": 200.0,
    },
    # Stretched less, and learned from more often: 32 instead of 14 points after four
    # iterations.
    "search": {"discount": 0.99, "c_scale": 0.5, "least_spread": 2.0},
    # What chance has spread less teaches more: with 10 steps 31 points, not 39, after
    # eight iterations.
    "replay": {"discount": 0.99, "n_steps": 3},
    # Games are cut so that what they teach is not old; a cut game counts on.
    "selfplay": {"temperature_plies": 0, "opening_share": 0.0, "max_plies": 300},
    "evaluate": {"solved_positions": 0},
    # An evaluation takes 0.45 of the time of laptop's net.
    "small.net": {"blocks": 2, "channels": 16, "hidden": 32},
    "small.learn": {"uses": 6.0},
    "laptop.net": {"blocks": 3, "channels": 32, "hidden": 64},
    "laptop.selfplay": {"positions": 6000, "games": 96},
    "laptop.learn": {"uses": 6.0},
    "laptop.budget": {"minutes": 120.0},
}


@rule
def start(state: np.record) -> None:
    state.to_play = CHANCE


@rule
def legal(state: np.record, actions: Actions) -> int:
    count = 0
    for slot in range(NUM_SLOTS):
        value = state.slots[slot]
        for placement in range(FIRST[value], FIRST[value + 1]):
            actions[count] = slot * AREA + ANCHOR[placement]
            count += int(is_free(state, placement))
    return count


@rule
def apply(state: np.record, action: int) -> float:
    slot = action // AREA
    value = state.slots[slot]
    state.slots[slot] = 0
    state.has_begun = 1
    cleared = place(state, PLACEMENT[value, action % AREA])
    if num_filled(state) == 0:
        state.to_play = CHANCE
    else:
        go_on(state)
    reward = PLACE_REWARD * SIZE[value] + CLEAR_REWARD * cleared
    return float(reward + fate_reward(state))


@rule
def num_filled(state: np.record) -> int:
    """Return how many slots hold a shape."""
    count = 0
    for slot in range(NUM_SLOTS):
        count += int(state.slots[slot] != 0)
    return count


@rule
def go_on(state: np.record) -> None:
    """Let the player move if a shape fits; else end the game."""
    for slot in range(NUM_SLOTS):
        if fits(state, state.slots[slot]):
            state.to_play = 0
            return
    state.to_play = OVER


@rule
def fate_reward(state: np.record) -> float:
    """Return the reward for surviving or losing, 0 if a refill is yet to decide it."""
    if state.to_play == CHANCE:
        return 0.0
    return OVER_REWARD if state.to_play == OVER else SURVIVE_REWARD


@rule
def chance(state: np.record, probabilities: Probabilities) -> int:
    for shape in range(NUM_SHAPES):
        probabilities[shape] = PROBABILITY[shape]
    return NUM_SHAPES


@rule
def apply_chance(state: np.record, outcome: int) -> float:
    slot = 0
    while state.slots[slot] != 0:
        slot += 1
    state.slots[slot] = outcome + 1
    if num_filled(state) == NUM_SLOTS:
        go_on(state)
    # The first refill comes before any move, so nothing has been survived.
    return fate_reward(state) if state.has_begun != 0 else 0.0


@rule
def transform(state: np.record, symmetry: int, image: np.record) -> None:
    for slot in range(NUM_SLOTS):
        image.slots[ORDERS[symmetry, slot]] = state.slots[slot]


@rule
def transform_action(action: int, symmetry: int) -> int:
    return int(ORDERS[symmetry, action // AREA]) * AREA + action % AREA


def choices(state: np.record, action: int) -> tuple[str, ...]:
    row, column = divmod(action % AREA, COLUMNS)
    return f"slot{action // AREA + 1}", cell_name(row, column)


def action_name(state: np.record, action: int) -> str:
    return "".join(choices(state, action)).removeprefix("slot")


def why_illegal(state: np.record, action: int) -> str:
    slot, anchor = divmod(action, AREA)
    value = int(state.slots[slot])
    if value == 0:
        return "the slot is empty"
    is_inside = anchor in ANCHOR[FIRST[value] : FIRST[value + 1]]
    return "the shape lies on others" if is_inside else "the shape lies off the board"


def outcome_name(state: np.record, outcome: int) -> str:
    return f"shape {outcome + 1}"


def reason(state: np.record) -> str:
    return "no shape fits"


def read_shape(word: str) -> int:
    """Return the number of a shape, from 1."""
    if not (word.isdecimal() and 1 <= int(word) <= NUM_SHAPES):
        raise ValueError(f"{word!r} is not a shape; they go from 1 to {NUM_SHAPES}")
    return int(word)


def setup(text: str) -> Sequence[int]:
    """Read the shapes of the first refill, by their numbers."""
    numbers = [read_shape(word) for word in text.split()]
    if len(numbers) != NUM_SLOTS:
        such = " ".join(("3", "7", "12", "1", "20")[:NUM_SLOTS])
        raise ValueError(f"name {IN_HAND}, such as {such}, not {len(numbers)}")
    return [number - 1 for number in numbers]


def edit(state: np.record, words: Sequence[str]) -> None:
    """Toggle a cell or set a slot; a completed line is cleared without a reward."""
    match [word.lower() for word in words]:
        case ["toggle", cell]:
            toggle(state, cell)
        case ["slot", slot, shape] if slot in SLOT_NAMES:
            if state.to_play == CHANCE:
                raise ValueError("the slots are being refilled")
            state.slots[int(slot) - 1] = 0 if shape == "empty" else read_shape(shape)
        case _:
            raise ValueError("write toggle d4, slot 1 7 or slot 1 empty")
    if state.to_play != CHANCE:
        if not state.slots.any():
            raise ValueError("one slot must keep a shape")
        go_on(state)


def toggle(state: np.record, name: str) -> None:
    """Fill an empty cell, or empty a filled one."""
    cell = {cell_name(*cell): cell for cell in CELLS}.get(name)
    if cell is None:
        raise ValueError(f"{name!r} is not a playable cell")
    # One of the shapes of one triangle fits here, whichever way the cell points.
    single = int(PLACEMENT[SIZE == 1, cell[0] * COLUMNS + cell[1]].max())
    if is_free(state, single):
        place(state, single)
    else:
        state.occupied[NUMBER[cell] // 64] ^= np.uint64(1 << NUMBER[cell] % 64)
