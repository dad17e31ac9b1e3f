"""What a network sees of Triple Triad."""

import numpy as np

from ludens.game import Planes, rule
from ludens.games._cards import SIDES, VALUES
from ludens.games._cards_board import ELEMENTAL, NEAR, bonus, margin, strength

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
def num_higher(state: np.record, player: int, side: int, value: int) -> int:
    """Return how many cards in a hand have a higher value on a side."""
    count = 0
    for slot in range(5):
        card = state.hands[player, slot]
        count += int(card != 0 and VALUES[card, side] > value)
    return count


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
