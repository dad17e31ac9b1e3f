"""The board of Triple Triad: the options, and what a card flips."""

import numpy as np

from ludens.game import option, require, rule
from ludens.games._cards import ELEMENT, VALUES

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
def bonus(state: np.record, card: int, cell: int) -> int:
    """Return what the element of a cell does to the sides of a card on it."""
    if not ELEMENTAL or state.elements[cell] == 0:
        return 0
    return 1 if ELEMENT[card] == state.elements[cell] else -1


@rule
def strength(state: np.record, cell: int, side: int) -> int:
    """Return a side of the card on a cell with its bonus, which may exceed 10."""
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
def margin(state: np.record) -> int:
    """Return player 0's cards minus player 1's, on the board and in hand."""
    cards = 0
    for cell in range(9):
        cards += int(state.board[cell] > 0) - int(state.board[cell] < 0)
    for slot in range(5):
        cards += int(state.hands[0, slot] != 0) - int(state.hands[1, slot] != 0)
    return cards
