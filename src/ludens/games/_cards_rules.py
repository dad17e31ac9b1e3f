"""The rules of Triple Triad in words, with the table of its cards."""

from ludens.games._cards import ELEMENT, ELEMENTS, LEVELS, NAMES, VALUES
from ludens.games._cards_board import COMBO, ELEMENTAL, HANDS, PLUS, SAME, SAME_WALL
from ludens.games._cards_view import side_text

DEAL = {
    "balanced": """\
Each player gets five cards: one of levels 1 and 2, one of 3 and 4, one of 5 and 6, one
of 7 and 8, one
of 9 and 10.""",
    "random": "Each player gets any five of the 110 cards.",
}[HANDS]

CHAIN = (
    """
- Combo: a card that Same or Plus flips captures its own neighbours by the basic rule,
and so do the
cards that this flips."""
    if COMBO
    else ""
)
WALL = " The edge of the board counts as A." if SAME_WALL else ""
EXTRA = [
    f"""
- Same: if the card's touching side equals its neighbour's on two or more sides, those
of these
neighbours that are the opponent's flip.{WALL}"""
    * SAME,
    """
- Plus: if the sum of the two touching sides is the same on two or more sides of the
card, those of
these neighbours that are the opponent's flip."""
    * PLUS,
    CHAIN * (SAME or PLUS),
    """
- Elements: each cell has one of eight elements with a chance of 1 in 4. A card of that
element has 1 more on all its sides there, any other card 1 less; A can become 11. Same
and Plus look at the values
printed on the cards."""
    * ELEMENTAL,
]
MORE_RULES = "\n\nFurther rules hold in this game:\n" + "".join(EXTRA)
CARDS = "\n".join(
    "| {} | {} | {} | {} |".format(
        LEVELS[card],
        name,
        " | ".join(side_text(int(value)) for value in VALUES[card + 1]),
        ELEMENTS[ELEMENT[card + 1]].replace("none", "-"),
    )
    for card, name in enumerate(NAMES)
)
DEALT = (
    "Geezard, Ochu, Behemoth, Tiamat, Ward |"
    " Creeps, Bomb, Oilboyle, Chicobo, Seifer | 0"
)
RULES = f"""\
## Aim
Own more cards than your opponent when the board is full.

## Board
Three by three cells: columns a to c from the left, rows 1 to 3 from the top. A card has
four sides with values from 1 to 9 and A, which is 10.

## Deal
{DEAL} A card of levels 9 and 10 exists only once. Chance says who begins. Both hands
are open. `--setup "five cards | five cards | 0"` deals what you like.

## Moves
In turn, a player puts a card from the hand on an empty cell. Each neighbour that is the
opponent's and whose touching side is lower than the card's flips: it is yours now. What
flips in this way flips nothing else.{MORE_RULES if any(EXTRA) else ""}

Here the second player has put Chicobo on b1. Its bottom, 8, beats the top of Geezard,
1, which was the first player's:

[board: setup {DEALT}; 1b2; 4b1]

## End
The game ends after nine cards. Each player counts the cards of their colour on the
board. The player who began has placed five; the other has a card left in hand, which
counts as well. Of the ten, six or more win; five each is a draw.

## Notation
The number of the card in the hand, 1 to 5, and the cell: `3b2`. Numbers stay when cards
are played. A name or its beginning is understood too: `ifrit b2`.

## Numbers of actions
Card i of the hand (from 0) on cell k (row by row: a1 is 0, b1 is 1, a2 is 3) is action
9 * i + k, from 0 to 44.

## Cards
All 110 by level; top, right, bottom and left are the values of the sides.

| level | card | top | right | bottom | left | element |
|---|---|---|---|---|---|---|
{CARDS}
"""
