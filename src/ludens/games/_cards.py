"""The cards of Triple Triad: their table, their names and hands written as text.

A card is its number, 0 to 109. In arrays it is the number + 1, and 0 is no card.
"""

import csv
import re
from collections.abc import Sequence
from difflib import get_close_matches
from pathlib import Path

import numpy as np

SIDES = ("north", "east", "south", "west")
ELEMENTS = (
    "none",
    "thunder",
    "earth",
    "ice",
    "wind",
    "poison",
    "fire",
    "water",
    "holy",
)
CARDS_PER_SLOT = 22
"""A slot of a balanced hand is for two levels of 11 cards."""
FIRST_UNIQUE = 88
"""From here on, in levels 9 and 10, each card exists once."""


def _rows(name: str) -> tuple[dict[str, str], ...]:
    path = Path(__file__).parent / "data" / name
    with path.open(encoding="utf-8", newline="") as file:
        return tuple(csv.DictReader(file))


def _key(name: str) -> str:
    """Return what counts in a name: its letters and digits."""
    return re.sub(r"[^a-z0-9]", "", name.lower())


_TABLE = _rows("cards.csv")
NAMES = tuple(row["name"] for row in _TABLE)
LEVELS = tuple(int(row["level"]) for row in _TABLE)
VALUES = np.array([[0] * 4] + [[int(row[side]) for side in SIDES] for row in _TABLE])
ELEMENT = np.array([0] + [ELEMENTS.index(row["element"]) for row in _TABLE])
_NUMBERS = {_key(name): number for number, name in enumerate(NAMES)}
for _row in _rows("cards_aliases.csv"):
    _NUMBERS[_key(_row["seed_spelling"])] = int(_row["number"]) - 1


def find_card(name: str) -> int:
    """Return the card that a name or a number means, or say which name is nearest."""
    key = _key(name)
    if re.fullmatch("[0-9]{1,3}", name.strip()):
        if int(key) >= len(NAMES):
            raise ValueError(f"there is no card {key}; they go from 0 to 109")
        return int(key)
    if key not in _NUMBERS:
        close = get_close_matches(key, _NUMBERS, n=1, cutoff=0.0)[0]
        hint = f"the nearest is {NAMES[_NUMBERS[close]]!r}"
        raise ValueError(f"there is no card {name.strip()!r}; {hint}")
    return _NUMBERS[key]


def read_hand(names: str) -> list[int]:
    """Read five cards with commas between; two names have a comma themselves."""
    words = [word for word in names.split(",") if word.strip()]
    hand = []
    while words:
        both = _key("".join(words[:2]))
        length = 2 if len(words) > 1 and both in _NUMBERS else 1
        hand.append(find_card("".join(words[:length])))
        del words[:length]
    if len(hand) != 5:
        raise ValueError(f"a hand has 5 cards, not {len(hand)}: {names.strip()}")
    return hand


def slot_of(name: str, hand: Sequence[int]) -> int | None:
    """Return where in a hand a card is, by slot number, name or its beginning."""
    key = _key(name)
    if key in tuple("12345"):
        return int(key) - 1
    if key in _NUMBERS:
        card = _NUMBERS[key] + 1
        return hand.index(card) if card in hand else None
    found = {c for c in hand if c and key and _key(NAMES[c - 1]).startswith(key)}
    return hand.index(found.pop()) if len(found) == 1 else None


def read_deal(wish: str, balanced: bool) -> list[int]:
    """Read "five cards | five cards | starter", the last part optional, as outcomes."""
    hands, starter = _split_deal(wish)
    cards = [card for hand in hands for card in (sorted(hand) if balanced else hand)]
    for i, card in enumerate(cards):
        if balanced and card // CARDS_PER_SLOT != i % 5:
            levels = ", ".join(str(LEVELS[other]) for other in hands[i // 5])
            raise ValueError(
                f"hands=balanced does not deal levels {levels}; use hands=random"
            )
        if card >= FIRST_UNIQUE and card in cards[:i]:
            raise ValueError(f"{NAMES[card]} exists only once, like all of levels 9-10")
    return cards + starter


def _split_deal(wish: str) -> tuple[list[list[int]], list[int]]:
    parts = wish.split("|")
    given = [part.strip() for part in parts[2:]]
    if len(parts) < 2 or given not in ([], ["0"], ["1"]):
        raise ValueError("write five cards | five cards | the starter, 0 or 1")
    return [read_hand(part) for part in parts[:2]], [int(part) for part in given]
