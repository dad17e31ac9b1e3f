"""How Triple Triad looks: as text, as shapes and as named parts."""

from dataclasses import replace
from typing import Any

import numpy as np

from ludens.boards import cell_name, paint, square, text
from ludens.game import Shape
from ludens.games._cards import ELEMENT, ELEMENTS, NAMES, VALUES

MARKS = "XO"
WIDTH = max(map(len, NAMES))


def draw(state: np.record) -> str:
    """Draw the board, then both hands with their slot numbers and scores."""
    edge = "  +" + ("-" * WIDTH + "+") * 3
    lines = ["   " + " ".join(letter.center(WIDTH) for letter in "abc"), edge]
    for row in range(3):
        cells = [_cell_lines(state, 3 * row + column) for column in range(3)]
        for i, parts in enumerate(zip(*cells, strict=True)):
            lines.append(f"{row + 1 if i == 1 else ' '} |{'|'.join(parts)}|")
        lines.append(edge)
    for player in range(2):
        lines += _hand_lines(state, player)
    return "\n".join(lines)


def _cell_lines(state: np.record, cell: int) -> list[str]:
    """Draw a cell as lines of WIDTH characters; the last names its element, if any."""
    card, element = int(state.board[cell]), int(state.elements[cell])
    owner = int(card < 0)
    lines = [" " * WIDTH] * 4
    mark = ELEMENTS[element] if element else ""
    if card:
        lines = [paint(line, owner) for line in _card_lines(abs(card) - 1, owner)]
        mark += (" +1" if ELEMENT[abs(card)] == element else " -1") if element else ""
    return [*lines, mark.center(WIDTH)] if state.elements.any() else lines


def _card_lines(card: int, owner: int) -> list[str]:
    """Draw a card as four lines of WIDTH characters, its owner's mark in the middle."""
    north, east, south, west = map(side_text, VALUES[card + 1])
    lines = (north, f"{west} {MARKS[owner]} {east}", south, NAMES[card])
    return [line.center(WIDTH) for line in lines]


def _hand_lines(state: np.record, player: int) -> list[str]:
    """List the hand of a player under the number of cards that are theirs."""
    score = _score(state, player)
    turn = ", to move" if state.to_play == player else ""
    lines = [paint(f"{MARKS[player]} player {player}: {score}{turn}", player)]
    for slot, card in enumerate(state.hands[player]):
        if card:
            lines.append(f"  {slot + 1} {_spoken(int(card) - 1)}")
    return lines


def _score(state: np.record, player: int) -> int:
    """Count the cards of a player, on the board and in the hand."""
    owned = state.board < 0 if player else state.board > 0
    return int(owned.sum() + (state.hands[player] > 0).sum())


def reason(state: np.record) -> str:
    """Say who has how many cards."""
    return f"cards: {_score(state, 0)} to {_score(state, 1)}"


def side_text(value: int) -> str:
    return "A" if value == 10 else str(value)


def _spoken(card: int) -> str:
    """Return a card in words, its sides from the top clockwise: "Ifrit 9 6 2 8"."""
    return " ".join([NAMES[card], *map(side_text, VALUES[card + 1])])


def look(state: np.record) -> dict[str, Any]:
    """Return the board by rows, both hands, the elements and the cards of each player.

    A card is its name, None where there is none; on the board with the player who owns
    it. The elements are names as well, "none" included.
    """
    cards = [
        (_name(abs(card)), int(card < 0)) if card else None for card in state.board
    ]
    elements = [ELEMENTS[element] for element in state.elements]
    return {
        "board": [cards[i : i + 3] for i in (0, 3, 6)],
        "hands": [[_name(card) for card in hand] for hand in state.hands],
        "elements": [elements[i : i + 3] for i in (0, 3, 6)],
        "cards": [_score(state, 0), _score(state, 1)],
    }


def _name(card: int) -> str | None:
    return NAMES[card - 1] if card else None


def scene(state: np.record) -> list[Shape]:
    """Describe the board, and the hands in columns to the left and right of it."""
    shapes = []
    for cell in range(9):
        row, column, card = cell // 3, cell % 3, int(state.board[cell])
        name, element = cell_name(row, column), int(state.elements[cell])
        shapes.append(square(row, column, label=name, choice=name))
        if element:
            label = ELEMENTS[element]
            mark = text(row - 0.36, column, label, role="element", size=0.13)
            shapes.append(replace(mark, tone=element))
        if card:
            shapes += _card_shapes(abs(card) - 1, row, column, int(card < 0))
    return [*shapes, *_hand_shapes(state, 0, -1.6), *_hand_shapes(state, 1, 3.6)]


def _hand_shapes(state: np.record, player: int, left: float) -> list[Shape]:
    """Describe a hand as a column of cards under the number of cards owned."""
    part = f"hand{player}"
    score = text(-1.86, left, str(_score(state, player)), role="score", size=0.34)
    shapes = [replace(score, owner=player, part=f"{part}/0")]
    for slot, card in enumerate(state.hands[player]):
        choice = f"card{slot + 1}" if player == state.to_play else ""
        at = (1.06 * slot - 1.12, left)
        faces = [square(*at, role="place")]
        if card:
            faces += _card_shapes(int(card) - 1, *at, player, choice)
        shapes += [replace(shape, part=f"{part}/{slot + 1}") for shape in faces]
    return shapes


def _card_shapes(
    card: int, row: float, column: float, owner: int, choice: str = ""
) -> list[Shape]:
    """Describe a card in a unit square: the card, its four values, its name."""
    label = _spoken(card)
    face = square(row, column, role="card", owner=owner, label=label, choice=choice)
    places = ((-0.29, 0.0), (-0.07, 0.25), (0.15, 0.0), (-0.07, -0.25))
    values = [
        text(row + y, column + x, side_text(value), role="value", size=0.23)
        for (y, x), value in zip(places, VALUES[card + 1], strict=True)
    ]
    element = int(ELEMENT[card + 1])
    at = (row - 0.39, column + 0.26)
    mark = text(*at, ELEMENTS[element], role="element", size=0.09)
    marks = [replace(mark, tone=element)] if element else []
    name = text(row + 0.37, column, NAMES[card], role="name", size=0.13)
    return [face, *values, *marks, name]
