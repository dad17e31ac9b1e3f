"""Triangle: place drawn shapes on a board of triangles; complete lines are cleared.

A move names a slot and the cell for its shape's anchor, the first triangle of the upper
row. Only playable cells are numbered: cell k is bit k % 64 of word k // 64.
"""

from collections.abc import Sequence
from itertools import permutations
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ludens.boards import cell_name, draw_grid, paint
from ludens.game import (
    CHANCE,
    OVER,
    Actions,
    Planes,
    Probabilities,
    Shape,
    option,
    require,
    rule,
)
from ludens.games._triangles import (
    HEIGHT,
    Polyform,
    bits_of,
    draw_slot,
    find_lines,
    find_placements,
    glyph,
    is_up,
    read_board,
    read_polyforms,
    slot_scene,
    triangle,
)

Counts = NDArray[np.int64]
Words = NDArray[np.uint64]

COLUMNS = option("columns", 15, "columns of the board", low=6, high=26)
PLAYABLE = option(
    "playable",
    "3-12/2-13/1-14/0-15/0-15/1-14/2-13/3-12",
    "the playable columns of each row, as first-end without the end",
)
PLACE_REWARD = option("place_reward", 0.01, "reward for each triangle placed")
CLEAR_REWARD = option("clear_reward", 0.5, "reward for each triangle cleared")
SURVIVE_REWARD = option(
    "survive_reward",
    0.005,
    "reward for a move after which the game goes on",
)
OVER_REWARD = option(
    "over_reward", 0.0, "reward for a move after which the game is over"
)
LINE_FEATURES = option(
    "line_features", True, "the observation counts lines and placements"
)

CELLS = read_board(PLAYABLE, COLUMNS)
NUMBER = {cell: number for number, cell in enumerate(CELLS)}
SHAPES = read_polyforms(Path(__file__).parent / "data" / "triangle_shapes.json")
NUM_SHAPES = len(SHAPES)
# A shape spans two rows, so fewer than 64 cells, and lies in two adjacent words.
NUM_WORDS = max(2, -(-len(CELLS) // 64))
SHAPE = (PLAYABLE.count("/") + 1, COLUMNS)
AREA = SHAPE[0] * SHAPE[1]

# A slot holds the number of its shape, from 1, or 0.
STATE = np.dtype(
    [
        ("occupied", "u8", NUM_WORDS),
        ("slots", "i1", 3),
        ("to_play", "i1"),
        ("has_begun", "i1"),
    ]
)
NUM_PLAYERS = 1
NUM_ACTIONS = 3 * AREA
MAX_PLIES = 0
MAX_OUTCOMES = NUM_SHAPES
SLOTS = (1, 2, 3)
SLOPES = {"level": 0, "falling": 1, "rising": -1}
OFFSETS = sorted({cell for shape in SHAPES for cell in shape.cells})
"""Where, as seen from its anchor, a shape may have a triangle."""
PLANES = (
    "occupied",
    "death",
    "points up",
    "slots left",
    *(
        f"shape of slot {slot}: {what}"
        for slot in SLOTS
        for what in ("points up", *(f"has {row}, {col}" for row, col in OFFSETS))
    ),
)
FIRST_OF_SHAPES = 4
FIRST_OF_LINES = len(PLANES)
if LINE_FEATURES:
    PLANES += (
        *(f"shape of slot {slot} fits" for slot in SLOTS),
        *(f"cells cleared by slot {slot}" for slot in SLOTS),
        *(f"places left for slot {slot}" for slot in SLOTS),
        *(f"chance that the next shape fits after slot {slot}" for slot in SLOTS),
        *(f"places for the next shape after slot {slot}" for slot in SLOTS),
        *(f"places for the other slots after slot {slot}" for slot in SLOTS),
        *(f"share filled of the {slope} line" for slope in SLOPES),
        *(f"nearness of the end of the {slope} line" for slope in SLOPES),
        "chance that the next shape fits",
        "places for the next shape",
    )
TARGETS = ("filled at the end",)
EDITS = (
    "toggle CELL",
    f"slot 1|2|3 empty|{'|'.join(str(i + 1) for i in range(NUM_SHAPES))}",
)
# Draws are independent, so slots may change places. The board cannot be turned: no turn
# or mirror image takes the shapes with their weights to themselves.
ORDERS = np.array(list(permutations(range(3))))
NUM_SYMMETRIES = len(ORDERS)

WEIGHT = np.array([shape.weight for shape in SHAPES])
TOTAL_WEIGHT = int(WEIGHT.sum())
PROBABILITY = WEIGHT / TOTAL_WEIGHT
SIZE = np.array([0, *(len(shape.cells) for shape in SHAPES)])
BY_SHAPE = [find_placements(shape, CELLS) for shape in SHAPES]
PLACED = [[NUMBER[cell] for cell in cells] for many in BY_SHAPE for cells in many]
require(len(PLACED) > 0, "no shape fits on the board; make more cells playable")
# The placements of slot value v are FIRST[v] to FIRST[v + 1]. Unsigned indices:
# compiled loops then need not look out for negative ones.
FIRST = np.cumsum([0, 0, *map(len, BY_SHAPE)], dtype=np.uint64)
WORD = np.array([min(cells[0] // 64, NUM_WORDS - 2) for cells in PLACED], np.uint64)
MASK = np.array(
    [bits_of(cells, int(word), 2) for cells, word in zip(PLACED, WORD, strict=True)],
    np.uint64,
)
ROW, COLUMN = np.ascontiguousarray(np.array(CELLS).T)
ANCHOR = np.array([ROW[cells[0]] * COLUMNS + COLUMN[cells[0]] for cells in PLACED])
VALUE = np.repeat(np.arange(1, NUM_SHAPES + 1), [len(many) for many in BY_SHAPE])
PLACEMENT = np.full((NUM_SHAPES + 1, AREA), -1)
PLACEMENT[VALUE, ANCHOR] = np.arange(len(PLACED))

BY_SLOPE = [find_lines(CELLS, slope) for slope in SLOPES.values()]
LINES = [{NUMBER[cell] for cell in line} for lines in BY_SLOPE for line in lines]
LINE = np.array([bits_of(line, 0, NUM_WORDS) for line in LINES], np.uint64)
LINE = LINE.reshape(len(LINES), NUM_WORDS)
TOUCHED = [[n for n, line in enumerate(LINES) if line & {*cells}] for cells in PLACED]
MOST_TOUCHED = max(map(len, TOUCHED))
TOUCHES = np.full((len(PLACED), MOST_TOUCHED), -1)
for touches, lines in zip(TOUCHES, TOUCHED, strict=True):
    touches[: len(lines)] = lines

UP = (np.indices(SHAPE).sum(0) % 2).astype(np.float32)
DEATH = np.ones(SHAPE, np.float32)
DEATH[ROW, COLUMN] = 0
CODE = np.zeros((NUM_SHAPES + 1, 1 + len(OFFSETS)), np.float32)
"""What the observation tells of a slot's shape, everywhere on the board."""
for code, shape in zip(CODE[1:], SHAPES, strict=True):
    code[0] = shape.anchor_up
    code[1:] = [cell in shape.cells for cell in OFFSETS]
SLOPE = np.repeat(np.arange(3), [len(lines) for lines in BY_SLOPE])
LENGTH = np.array([len(line) for line in LINES])
ON_LINE = np.full((len(CELLS), 3), -1)  # [cell, slope]: the line, if any
for n, line in enumerate(LINES):
    ON_LINE[list(line), SLOPE[n]] = n
# How many cells of each line that it touches a placement fills.
COVERS = np.zeros_like(TOUCHES)
for covers, lines, cells in zip(COVERS, TOUCHED, PLACED, strict=True):
    covers[: len(lines)] = [len(LINES[n] & {*cells}) for n in lines]
# The placements of a shape are bits, in words of its own: number k is bit k % 64.
NUM_BITS = 64 * -(-max(map(len, BY_SHAPE)) // 64)
BIT = np.concatenate([v * NUM_BITS + np.arange(len(m)) for v, m in enumerate(BY_SHAPE)])
PER_SHAPE = NUM_BITS // 64
FILLED_BY = np.zeros((len(CELLS), NUM_SHAPES * NUM_BITS), np.bool_)  # [cell, bit]
for bit, cells in zip(BIT, PLACED, strict=True):
    FILLED_BY[cells, bit] = True
ON_CELL = np.packbits(FILLED_BY, axis=1, bitorder="little").view(np.uint64)
FILLS = np.zeros((len(PLACED), SIZE.max()), np.uint64)  # [placement, number]: a cell
for fills, cells in zip(FILLS, PLACED, strict=True):
    fills[: len(cells)] = cells


@rule
def start(state: np.record) -> None:
    state.to_play = CHANCE


@rule
def is_free(state: np.record, placement: int) -> bool:
    word = WORD[placement]
    low = state.occupied[word] & MASK[placement, 0]
    high = state.occupied[word + np.uint64(1)] & MASK[placement, 1]
    return bool(low | high == 0)


@rule
def fits(state: np.record, value: int) -> bool:
    for placement in range(FIRST[value], FIRST[value + 1]):
        if is_free(state, placement):
            return True
    return False


@rule
def legal(state: np.record, actions: Actions) -> int:
    count = 0
    for slot in range(3):
        value = state.slots[slot]
        for placement in range(FIRST[value], FIRST[value + 1]):
            actions[count] = slot * AREA + ANCHOR[placement]
            count += int(is_free(state, placement))
    return count


@rule
def is_complete(state: np.record, line: int) -> bool:
    for word in range(NUM_WORDS):
        if LINE[line, word] & ~state.occupied[word] != 0:
            return False
    return True


@rule
def count_cells(cells: np.uint64) -> int:
    count = 0
    while cells != 0:
        cells &= cells - np.uint64(1)
        count += 1
    return count


@rule
def clear_lines(state: np.record, placement: int) -> int:
    """Clear the lines a placement has completed; return how many cells that frees."""
    complete = 0
    for i in range(MOST_TOUCHED):
        line = TOUCHES[placement, i]
        if line >= 0 and is_complete(state, line):
            complete |= 1 << i
    cleared = 0
    for word in range(NUM_WORDS if complete else 0):
        cells = np.uint64(0)
        for i in range(MOST_TOUCHED):
            if complete >> i & 1:
                cells |= LINE[TOUCHES[placement, i], word]
        state.occupied[word] &= ~cells
        cleared += count_cells(cells)
    return cleared


@rule
def place(state: np.record, placement: int) -> int:
    """Fill the cells of a placement; return how many the lines it completes free."""
    word = WORD[placement]
    state.occupied[word] |= MASK[placement, 0]
    state.occupied[word + np.uint64(1)] |= MASK[placement, 1]
    return clear_lines(state, placement)


@rule
def go_on(state: np.record) -> None:
    """Let the player move if a shape fits; else end the game."""
    for slot in range(3):
        if fits(state, state.slots[slot]):
            state.to_play = 0
            return
    state.to_play = OVER


@rule
def fate_reward(state: np.record) -> float:
    """Return the reward for going on, or not; a refill that decides pays it itself."""
    if state.to_play == CHANCE:
        return 0.0
    return OVER_REWARD if state.to_play == OVER else SURVIVE_REWARD


@rule
def apply(state: np.record, action: int) -> float:
    slot = action // AREA
    value = state.slots[slot]
    state.slots[slot] = 0
    state.has_begun = 1
    cleared = place(state, PLACEMENT[value, action % AREA])
    if state.slots[0] == 0 and state.slots[1] == 0 and state.slots[2] == 0:
        state.to_play = CHANCE
    else:
        go_on(state)
    reward = PLACE_REWARD * SIZE[value] + CLEAR_REWARD * cleared
    return float(reward + fate_reward(state))


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
    if state.slots[0] != 0 and state.slots[1] != 0 and state.slots[2] != 0:
        go_on(state)
    # The first refill comes before any move, so nothing has been survived.
    return fate_reward(state) if state.has_begun != 0 else 0.0


@rule
def is_filled(state: np.record, number: int) -> bool:
    bit = np.uint64(1) << np.uint64(number & 63)
    return bool(state.occupied[number >> 6] & bit != 0)


@rule
def targets(state: np.record, planes: Planes) -> None:
    for number in range(len(ROW)):
        planes[0, ROW[number], COLUMN[number]] = is_filled(state, number)


@rule
def observe(state: np.record, planes: Planes) -> None:
    targets(state, planes)
    planes[1] = DEATH
    planes[2] = UP
    for slot in range(3):
        value = state.slots[slot]
        planes[3] += np.float32(int(value != 0) / 3)
        for i in range(CODE.shape[1]):
            planes[FIRST_OF_SHAPES + slot * CODE.shape[1] + i] = CODE[value, i]
    if LINE_FEATURES:
        free, empty = np.zeros_like(ON_CELL[0]), np.zeros_like(LENGTH)
        find_free(state, free)
        find_empty(state, empty)
        for slot in range(3):
            if state.slots[slot] != 0:
                show_places(
                    state, slot, free, empty, planes[FIRST_OF_LINES + slot :: 3]
                )
        show_lines(empty, planes[FIRST_OF_LINES + 18 :])
        places = np.zeros_like(WEIGHT)
        count_places(free, places)
        planes[FIRST_OF_LINES + 24] = chance_to_fit(places)
        planes[FIRST_OF_LINES + 25] = expected_places(places)


@rule
def show_places(
    state: np.record, slot: int, free: Words, empty: Counts, planes: Planes
) -> None:
    """Show where a slot's shape fits, what it would clear there and leave to others."""
    value, count = state.slots[slot], 0
    left, places = np.zeros_like(free), np.zeros_like(WEIGHT)
    for placement in range(FIRST[value], FIRST[value + 1]):
        if is_free(state, placement):
            row, column = divmod(ANCHOR[placement], COLUMNS)
            cleared = num_cleared(empty, placement)
            planes[0, row, column] = 1
            planes[1, row, column] = cleared / COLUMNS
            if cleared > 0:
                find_free_after(state, placement, left)
            else:
                keep_free(free, placement, value, left)
            count_places(left, places)
            planes[3, row, column] = chance_to_fit(places)
            planes[4, row, column] = expected_places(places)
            planes[5, row, column] = room_for_others(state, slot, places)
            count += 1
    planes[2] = count / len(ROW)


@rule
def find_free(state: np.record, free: Words) -> None:
    """Write the free placements of each shape as bits."""
    for word in range(len(free)):
        shape, part = divmod(word, PER_SHAPE)
        bits, first = np.uint64(0), FIRST[shape + 1] + np.uint64(64 * part)
        last = min(first + np.uint64(64), FIRST[shape + 2])
        for placement in range(first, last):
            bit = np.uint64(placement - first)
            bits |= np.uint64(is_free(state, placement)) << bit
        free[word] = bits


@rule
def find_free_after(state: np.record, placement: int, left: Words) -> None:
    """Write what is free after a placement that clears lines."""
    kept = state.occupied.copy()
    place(state, placement)
    find_free(state, left)
    state.occupied[:] = kept


@rule
def keep_free(free: Words, placement: int, value: int, left: Words) -> None:
    """Write what stays free after a placement that clears nothing."""
    left[:] = free
    for i in range(SIZE[value]):
        for word in range(len(free)):
            left[word] &= ~ON_CELL[FILLS[placement, i], word]


@rule
def count_places(free: Words, places: Counts) -> None:
    """Count the free placements of each shape."""
    for shape in range(NUM_SHAPES):
        places[shape] = 0
        for part in range(PER_SHAPE):
            places[shape] += count_cells(free[shape * PER_SHAPE + part])


@rule
def chance_to_fit(places: Counts) -> float:
    """Return how likely it is that a shape not drawn yet fits."""
    weight = 0
    for shape in range(NUM_SHAPES):
        weight += WEIGHT[shape] * int(places[shape] > 0)
    return weight / TOTAL_WEIGHT


@rule
def expected_places(places: Counts) -> float:
    """Return how many places a shape not drawn yet would find, as a share of cells."""
    expected = 0
    for shape in range(NUM_SHAPES):
        expected += WEIGHT[shape] * places[shape]
    return expected / (TOTAL_WEIGHT * len(ROW))


@rule
def room_for_others(state: np.record, slot: int, places: Counts) -> float:
    """Return the places of that other slot's shape that has fewest: n / (n + 1)."""
    room = 1.0
    for other in range(3):
        if other != slot and state.slots[other] != 0:
            count = places[state.slots[other] - 1]
            room = min(room, count / (count + 1))
    return room


@rule
def num_cleared(empty: Counts, placement: int) -> int:
    """Return the cells in lines that a free placement completes, each by itself."""
    cleared = 0
    for i in range(MOST_TOUCHED):
        line = TOUCHES[placement, i]
        if line >= 0 and empty[line] == COVERS[placement, i]:
            cleared += LENGTH[line]
    return cleared


@rule
def find_empty(state: np.record, empty: Counts) -> None:
    """Count the empty cells of each line."""
    for line in range(len(LENGTH)):
        for word in range(NUM_WORDS):
            empty[line] += count_cells(LINE[line, word] & ~state.occupied[word])


@rule
def show_lines(empty: Counts, planes: Planes) -> None:
    """Show on each cell how full its lines are, by slope."""
    filled, nearness = 1 - empty / LENGTH, 1 / (1 + empty)
    for number in range(len(ROW)):
        for slope in range(3):
            line = ON_LINE[number, slope]
            if line >= 0:
                row, column = ROW[number], COLUMN[number]
                planes[slope, row, column] = filled[line]
                planes[3 + slope, row, column] = nearness[line]


@rule
def transform(state: np.record, symmetry: int, image: np.record) -> None:
    for slot in range(3):
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


def read_shape(word: str) -> int:
    """Return the number of a shape, from 1."""
    if not (word.isdecimal() and 1 <= int(word) <= NUM_SHAPES):
        raise ValueError(f"{word!r} is not a shape; they go from 1 to {NUM_SHAPES}")
    return int(word)


def setup(text: str) -> Sequence[int]:
    """Read the three shapes of the first refill, by their numbers."""
    numbers = [read_shape(word) for word in text.split()]
    if len(numbers) != 3:
        raise ValueError(f"name three shapes, such as 3 7 12, not {len(numbers)}")
    return [number - 1 for number in numbers]


def edit(state: np.record, words: Sequence[str]) -> None:
    """Toggle a cell (a line completed so is cleared, without reward) or set a slot."""
    match [word.lower() for word in words]:
        case ["toggle", cell]:
            toggle(state, cell)
        case ["slot", "1" | "2" | "3" as slot, shape]:
            if state.to_play == CHANCE:
                raise ValueError("the slots are being refilled")
            state.slots[int(slot) - 1] = 0 if shape == "empty" else read_shape(shape)
        case _:
            raise ValueError("write toggle d4, slot 2 7 or slot 2 empty")
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


def shape_of(value: int) -> Polyform | None:
    """Return the shape a slot holds."""
    return SHAPES[value - 1] if value else None


def draw(state: np.record) -> str:
    board = [[" "] * COLUMNS for _ in range(SHAPE[0])]
    for number, (row, column) in enumerate(CELLS):
        filled = bool(is_filled(state, number))
        mark = glyph(is_up((row, column)), filled)
        board[row][column] = paint(mark, "cyan" if filled else "dim")
    slots = [draw_slot(slot, v, shape_of(v)) for slot, v in enumerate(state.slots)]
    below = ["   ".join(lines).rstrip() for lines in zip(*slots, strict=True)]
    return "\n".join([draw_grid(board), "", *below])


def cell_shapes(row: int, column: int) -> tuple[Shape, ...]:
    """Return a cell empty and filled; a place that is no cell looks the same always."""
    x, y, up = column / 2, row * HEIGHT, is_up((row, column))
    if (row, column) not in NUMBER:
        return (triangle(x, y, up, role="death"),)
    name = cell_name(row, column)
    roles = ("cell", "filled")
    return tuple(
        triangle(x, y, up, role=role, label=name, choice=name) for role in roles
    )


BOARD = [(NUMBER.get(at), cell_shapes(*at)) for at in np.ndindex(SHAPE)]


def reason(state: np.record) -> str:
    return "no shape fits"


def scene(state: np.record) -> list[Shape]:
    filled = sum(int(word) << 64 * i for i, word in enumerate(state.occupied))
    shapes = [
        looks[0] if number is None else looks[filled >> number & 1]
        for number, looks in BOARD
    ]
    for slot, value in enumerate(state.slots):
        shapes += slot_scene(slot, int(value), shape_of(value), COLUMNS / 2 + 1.2)
    return shapes
