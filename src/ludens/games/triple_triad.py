"""Triple Triad: five cards each, nine cells, and higher sides take lower ones."""

import re
from collections.abc import Sequence
from itertools import permutations

import numpy as np

from ludens.boards import PLAYERS, cell_name
from ludens.game import (
    CHANCE,
    OVER,
    Actions,
    Planes,
    Probabilities,
    option,
    require,
    rule,
)
from ludens.games._cards import (
    CARDS_PER_SLOT,
    ELEMENT,
    ELEMENTS,
    FIRST_UNIQUE,
    NAMES,
    SIDES,
    VALUES,
    read_deal,
    slot_of,
)
from ludens.games._cards_edit import EDITS as EDITS
from ludens.games._cards_edit import change
from ludens.games._cards_view import draw as draw
from ludens.games._cards_view import reason as reason
from ludens.games._cards_view import scene as scene

HANDS = option(
    "hands",
    "balanced",
    "balanced: a card each of levels 1-2, 3-4, 5-6, 7-8, 9-10; random: any five;"
    " a card of levels 9-10 exists once either way",
    choices=("balanced", "random"),
)
SAME = option("same", False, "two or more touching pairs that are equal flip")
SAME_WALL = option("same_wall", False, "the edge of the board is a 10 for Same")
PLUS = option("plus", False, "two or more touching pairs with the same sum flip")
COMBO = option("combo", True, "what Same or Plus flips captures on, in a chain")
ELEMENTAL = option(
    "elemental",
    False,
    "each cell has one of the 8 elements with chance 1/4: a card of that element has +1"
    " on all sides there, any other card -1 (A can become 11); not for Same and Plus",
)
require(SAME or not SAME_WALL, "same_wall=true means nothing without same=true")

_FRAMED = np.pad(np.arange(9).reshape(3, 3), 1, constant_values=-1)
_SHIFTED = (_FRAMED[:3, 1:4], _FRAMED[1:4, 2:], _FRAMED[2:, 1:4], _FRAMED[1:4, :3])
NEAR = np.stack(_SHIFTED, 2).reshape(9, 4)  # north, east, south, west; -1: the edge
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
_HAND_CARDS = tuple(f"{who} card {i}" for who in ("own", "other") for i in range(1, 6))
PLANES = (
    *(f"{card} {side}" for card in _HAND_CARDS for side in SIDES),
    *(f"board {side}" for side in SIDES),
    *("own cells", "opponent's cells"),
    *(f"what {card} beats here" for card in _HAND_CARDS),
    *(f"what beats {card} here" for card in _HAND_CARDS),
    *("what could take the card here", "lead in cards"),
    *(f"{card} bonus here" for card in (*_HAND_CARDS, "board") if ELEMENTAL),
)
BEATS, DANGER, LEAD, BONUS = 46, 66, 67, 68  # the first planes of their kinds
TARGETS = ("owner of the cell", "margin")


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
def bonus(state: np.record, card: int, cell: int) -> int:
    """Return what the element of a cell does to the sides of a card on it."""
    if not ELEMENTAL or state.elements[cell] == 0:
        return 0
    return 1 if ELEMENT[card] == state.elements[cell] else -1


@rule
def strength(state: np.record, cell: int, side: int) -> int:
    """Return a side of the card on a cell as the basic rule sees it; it has no cap."""
    card = abs(state.board[cell])
    return int(VALUES[card, side]) + bonus(state, card, cell)


@rule
def capture(state: np.record, cell: int, sign: int) -> int:
    """Flip what the card on a cell beats by the basic rule; return the bits of it."""
    flipped = 0
    for side in range(4):
        near = NEAR[cell, side]
        if near >= 0 and state.board[near] * sign < 0:
            other = strength(state, near, (side + 2) % 4)
            if strength(state, cell, side) > other:
                state.board[near] = -state.board[near]
                flipped |= 1 << near
    return flipped


@rule
def same(state: np.record, cell: int, sign: int) -> int:
    """Return the bits of the opponent's cells that Same flips."""
    pairs = 0
    flipped = 0
    for side in range(4):
        near = NEAR[cell, side]
        value = VALUES[abs(state.board[cell]), side]
        if near < 0:
            pairs += int(SAME_WALL and value == 10)
        elif value == VALUES[abs(state.board[near]), (side + 2) % 4]:
            pairs += 1
            flipped |= int(state.board[near] * sign < 0) << near
    return flipped if pairs >= 2 else 0


@rule
def touching_sum(state: np.record, cell: int, side: int) -> int:
    """Return the sum of the touching values, 0 if nothing touches."""
    near = NEAR[cell, side]
    if near < 0 or state.board[near] == 0:
        return 0
    own = VALUES[abs(state.board[cell]), side]
    return int(own + VALUES[abs(state.board[near]), (side + 2) % 4])


@rule
def plus(state: np.record, cell: int, sign: int) -> int:
    """Return the bits of the opponent's cells that Plus flips."""
    flipped = 0
    for side in range(4):
        here = touching_sum(state, cell, side)
        pairs = 0
        for other in range(4):
            pairs += int(here != 0 and touching_sum(state, cell, other) == here)
        if pairs >= 2 and state.board[NEAR[cell, side]] * sign < 0:
            flipped |= 1 << NEAR[cell, side]
    return flipped


@rule
def flip(state: np.record, cell: int, sign: int) -> None:
    """Flip what the card just placed on a cell flips.

    Same and Plus look at the board before anything flips. What they flip starts the
    combo, even where the basic rule would have flipped it as well. The placed card's
    basic captures come next and never start one: the combo, which is last, finds them
    owned already. Its result does not depend on the order within the chain.
    """
    chain = same(state, cell, sign) if SAME else 0
    chain |= plus(state, cell, sign) if PLUS else 0
    for near in range(9):
        if chain >> near & 1:
            state.board[near] = -state.board[near]
    capture(state, cell, sign)
    near = 0
    while COMBO and chain != 0:
        if chain >> near & 1:
            chain = (chain ^ (1 << near)) | capture(state, near, sign)
        near = (near + 1) % 9


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
def margin(state: np.record) -> int:
    """Return player 0's cards minus player 1's, on the board and in hand."""
    cards = 0
    for cell in range(9):
        cards += int(state.board[cell] > 0) - int(state.board[cell] < 0)
    for slot in range(5):
        cards += int(state.hands[0, slot] != 0) - int(state.hands[1, slot] != 0)
    return cards


@rule
def result(state: np.record) -> float:
    return float(np.sign(margin(state)))


@rule
def num_higher(state: np.record, player: int, side: int, value: int) -> int:
    """Return how many cards in a hand have a higher value on a side."""
    count = 0
    for slot in range(5):
        card = state.hands[player, slot]
        count += int(card != 0 and VALUES[card, side] > value)
    return count


@rule
def compare(state: np.record, player: int, slot: int, planes: Planes) -> None:
    """Write for each empty cell what a card in hand beats there, and what beats it.

    The first plane counts neighbours, by the basic rule, the second cards in the other
    hand that could be put next to it; elements do not count in the second. Sums of
    sixteenths are exact, compiled or not.
    """
    card, sign = state.hands[player, slot], 1 - 2 * player
    for side in range(4):
        value, back = VALUES[card, side], (side + 2) % 4
        dangers = num_higher(state, 1 - player, back, value)
        for cell in range(9):
            near = NEAR[cell, side]
            if state.board[cell] != 0 or near < 0:
                continue
            if state.board[near] == 0:
                planes[1, cell // 3, cell % 3] += dangers / 16
            elif state.board[near] * sign < 0:
                own = value + bonus(state, card, cell)
                beats = own > strength(state, near, back)
                planes[0, cell // 3, cell % 3] += int(beats) / 4


@rule
def observe(state: np.record, planes: Planes) -> None:
    for player in range(2):
        row = int(player != state.to_play) * 5
        for slot in range(5):
            card = state.hands[player, slot]
            for side in range(4):
                planes[(row + slot) * 4 + side] = VALUES[card, side] / 10
            for cell in range(9 if ELEMENTAL and card != 0 else 0):
                here = bonus(state, card, cell)
                planes[BONUS + row + slot, cell // 3, cell % 3] = here
    for cell in range(9):
        card = state.board[cell]
        for side in range(4):
            planes[40 + side, cell // 3, cell % 3] = VALUES[abs(card), side] / 10
        if card != 0:
            owner = int(card < 0)
            planes[44 + int(owner != state.to_play), cell // 3, cell % 3] = 1
            if ELEMENTAL:
                planes[BONUS + 10, cell // 3, cell % 3] = bonus(state, abs(card), cell)
    for player in range(2):
        row = int(player != state.to_play) * 5
        for slot in range(5):
            if state.hands[player, slot] != 0:
                compare(state, player, slot, planes[BEATS + row + slot : DANGER : 10])
    show_dangers(state, planes[DANGER])
    planes[LEAD] = margin(state) * (1 - 2 * int(state.to_play == 1)) / 10


@rule
def show_dangers(state: np.record, plane: Planes) -> None:
    """Write for each card on the board how many in the other hand could take it next.

    A card counts for each empty cell from which it could; its element does not.
    """
    for cell in range(9):
        for side in range(4):
            near = NEAR[cell, side]
            if state.board[cell] != 0 and near >= 0 and state.board[near] == 0:
                other, back = int(state.board[cell] > 0), (side + 2) % 4
                value = strength(state, cell, side)
                dangers = num_higher(state, other, back, value)
                plane[cell // 3, cell % 3] += dangers / 16


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


def setup(text: str) -> Sequence[int]:
    return read_deal(text, HANDS == "balanced")
