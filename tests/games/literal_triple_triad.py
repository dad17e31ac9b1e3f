"""A second Triple Triad, slow and word for word, to compare the rules with.

Cards are dicts, cells are (row, column), owners are 0 and 1. Nothing is shared with the
package but the table of cards.
"""

import csv
from collections import Counter
from pathlib import Path

DATA = Path(__file__).parents[2] / "src" / "ludens" / "games" / "data" / "cards.csv"
SIDES = {"north": (-1, 0), "east": (0, 1), "south": (1, 0), "west": (0, -1)}
FACING = {"north": "south", "south": "north", "east": "west", "west": "east"}
CELLS = [(row, column) for row in range(3) for column in range(3)]
ELEMENTS = [
    "none",
    "thunder",
    "earth",
    "ice",
    "wind",
    "poison",
    "fire",
    "water",
    "holy",
]


def read_cards():
    with DATA.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    for row in rows:
        for number in ("level", *SIDES):
            row[number] = int(row[number])
    return rows


CARDS = read_cards()


def possible_cards(hands, player, slot, balanced):
    """List the cards that may be dealt next, given the numbers dealt so far."""
    gone = [card for hand in hands for card in hand if CARDS[card]["level"] >= 9]
    levels = (2 * slot + 1, 2 * slot + 2) if balanced else range(1, 11)
    return [
        number
        for number, card in enumerate(CARDS)
        if card["level"] in levels and number not in gone
    ]


class LiteralTripleTriad:
    """A game between two dealt hands."""

    def __init__(self, hands, starter, options, elements=None):
        self.hands = [[CARDS[number] for number in hand] for hand in hands]
        self.unplayed = [{0, 1, 2, 3, 4}, {0, 1, 2, 3, 4}]
        self.mover = starter
        self.options = options
        self.elements = elements or {}
        self.card_on = {}
        self.owner_of = {}
        self.seen = Counter()

    def legal(self):
        return {
            (slot, cell)
            for slot in self.unplayed[self.mover]
            for cell in CELLS
            if cell not in self.card_on
        }

    def is_over(self):
        return len(self.card_on) == 9

    def play(self, slot, cell):
        self.unplayed[self.mover].remove(slot)
        self.card_on[cell] = self.hands[self.mover][slot]
        self.owner_of[cell] = self.mover
        special = set()
        if self.options.get("same"):
            special |= self.flipped_by_same(cell)
        if self.options.get("plus"):
            special |= self.flipped_by_plus(cell)
        beaten = self.beaten_by(cell) - special
        for flipped in special | beaten:
            self.owner_of[flipped] = self.mover
        if self.options.get("combo", True):
            self.run_combo(special)
        self.mover = 1 - self.mover

    def neighbours(self, cell):
        """List (side, neighbouring cell) where a card lies."""
        places = [
            (side, (cell[0] + down, cell[1] + right))
            for side, (down, right) in SIDES.items()
        ]
        return [(side, place) for side, place in places if place in self.card_on]

    def pair(self, cell, side, place):
        """Return the two printed values that touch."""
        return self.card_on[cell][side], self.card_on[place][FACING[side]]

    def is_opponents(self, place):
        return self.owner_of[place] != self.mover

    def flipped_by_same(self, cell):
        equal = [
            place
            for side, place in self.neighbours(cell)
            if len(set(self.pair(cell, side, place))) == 1
        ]
        walls = 0
        if self.options.get("same_wall"):
            for side, (down, right) in SIDES.items():
                is_edge = (cell[0] + down, cell[1] + right) not in CELLS
                walls += is_edge and self.card_on[cell][side] == 10
        opponents = {place for place in equal if self.is_opponents(place)}
        if len(equal) + walls < 2 or not opponents:
            return set()
        self.seen["same"] += 1
        self.seen["same by a wall"] += len(equal) < 2
        self.seen["same with an own card"] += len(equal) > len(opponents)
        return opponents

    def flipped_by_plus(self, cell):
        places_by_sum = {}
        for side, place in self.neighbours(cell):
            total = sum(self.pair(cell, side, place))
            places_by_sum.setdefault(total, set()).add(place)
        flipped = set()
        for places in places_by_sum.values():
            if len(places) >= 2:
                flipped |= {place for place in places if self.is_opponents(place)}
        self.seen["plus"] += bool(flipped)
        return flipped

    def strength(self, cell, side):
        card, element = self.card_on[cell], self.elements.get(cell, "none")
        if element == "none":
            return card[side]
        return card[side] + (1 if card["element"] == element else -1)

    def beaten_by(self, cell):
        """Return the opponent's cells that the card here captures by the basic rule."""
        return {
            place
            for side, place in self.neighbours(cell)
            if self.is_opponents(place)
            and self.strength(cell, side) > self.strength(place, FACING[side])
        }

    def run_combo(self, special):
        waiting = sorted(special)
        while waiting:
            for place in sorted(self.beaten_by(waiting.pop(0))):
                self.owner_of[place] = self.mover
                waiting.append(place)
                self.seen["combo"] += 1

    def score(self, player):
        on_board = sum(owner == player for owner in self.owner_of.values())
        return on_board + len(self.unplayed[player])

    def result(self):
        first, second = self.score(0), self.score(1)
        assert first + second == 10
        return (first > second) - (first < second)
