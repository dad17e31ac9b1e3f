"""Positions of Triple Triad changed by hand."""

from collections.abc import Sequence

import numpy as np

from ludens.boards import PLAYERS, read_cell, refuse_edit
from ludens.games._cards import ELEMENTS, FIRST_UNIQUE, NAMES, find_card

EDITS = (
    "set CELL first|second CARD",
    "clear CELL",
    "flip CELL",
    "hand first|second 1|2|3|4|5 CARD",
    "drop first|second 1|2|3|4|5",
    f"element CELL {'|'.join(ELEMENTS)}",
    "to_play first|second",
)


def change(state: np.record, words: Sequence[str], has_elements: bool) -> int:
    """Carry out an edit; return who is to move."""
    mover = int(state.to_play)
    match [word.lower() for word in words]:
        case ["set", cell, "first" | "second" as player, *name] if name:
            at = read_cell(cell, (3, 3))
            state.board[at] = 0
            card = _new_card(state, " ".join(name))
            state.board[at] = -card if player == "second" else card
        case ["clear", cell]:
            state.board[read_cell(cell, (3, 3))] = 0
        case ["flip", cell]:
            state.board[read_cell(cell, (3, 3))] *= -1
        case ["hand", "first" | "second" as player, slot, *name] if name:
            hand, at = state.hands[PLAYERS.index(player)], _slot(slot)
            hand[at] = 0
            hand[at] = _new_card(state, " ".join(name))
        case ["drop", "first" | "second" as player, slot]:
            state.hands[PLAYERS.index(player)][_slot(slot)] = 0
        case ["element", cell, element] if element in ELEMENTS:
            if not has_elements:
                raise ValueError("elements need the option elemental=true")
            state.elements[read_cell(cell, (3, 3))] = ELEMENTS.index(element)
        case ["to_play", "first" | "second" as player]:
            mover = PLAYERS.index(player)
        case _:
            refuse_edit(EDITS)
    counts = [int((hand > 0).sum()) for hand in state.hands]
    return mover if mover >= 0 else int(counts[1] > counts[0])


def _new_card(state: np.record, name: str) -> int:
    """Return a card as hands and the board have it; some exist only once."""
    card = find_card(name)
    held = {int(card) for card in state.hands.flat} | {abs(int(c)) for c in state.board}
    if card >= FIRST_UNIQUE and card + 1 in held:
        raise ValueError(f"{NAMES[card]} exists only once, and it is in the game")
    return card + 1


def _slot(word: str) -> int:
    if word not in tuple("12345"):
        raise ValueError(f"{word!r} is not a card of a hand; they go from 1 to 5")
    return int(word) - 1
