"""The contract of a game: what one file of plain Python says so that all else follows.

Vocabulary
----------
game      the rules; a file, together with the values of its options
state     one NumPy record; two states with the same bytes are the same position
action    an int in [0, NUM_ACTIONS)
outcome   an int in [0, MAX_OUTCOMES): what a die, a deal or a refill gave
player    0 or 1; player 0 moves first unless the start says otherwise
value     always for the player to move, in [-1, 1] for two players

`state.to_play` says whose turn it is: a player, `CHANCE`, or `OVER`. Nothing random is
ever hidden in a state: when it is chance's turn the rules tell the probability of every
outcome, somebody outside draws one, and it goes into the history like an action.

A rule takes the record it works on as an argument and may only touch that, its other
arguments and module constants. Rules are compiled by Numba, so they stay within what
Numba understands: numbers, NumPy arrays, loops. Options are module constants too, which
makes them compile-time constants in the rules. Functions for people (names, drawings)
are ordinary Python and never compiled.

A large game may be spread over several files: those beside it whose names begin with an
underscore are its parts. It imports from them by name; they see the same options, and
their rules are compiled too.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ludens.loading.options import entry as entry
from ludens.loading.options import option as option
from ludens.loading.options import require as require
from ludens.loading.options import rule as rule

CHANCE = -1
OVER = -2

Actions: TypeAlias = NDArray[np.int32]
Planes: TypeAlias = NDArray[np.float32]
Probabilities: TypeAlias = NDArray[np.float64]


class Rules(Protocol):
    """What a game file defines at module level. Names marked * may be left out."""

    STATE: np.dtype[Any]
    """The fields of a state; one is `to_play`. All zero is the empty state."""
    NUM_ACTIONS: int
    MAX_PLIES: int
    """No game has more actions than this; 0 if there is no such number."""
    SHAPE: tuple[int, int]
    """Rows and columns of the observation's planes."""
    PLANES: tuple[str, ...]
    """What each plane of the observation shows."""
    NUM_PLAYERS: int
    """* 2, or 1 for a puzzle with scores."""
    MAX_OUTCOMES: int
    """* The largest number of outcomes chance can have; 0 without chance."""
    NUM_SYMMETRIES: int
    """* How many ways the game can be turned onto itself, the identity included."""
    TARGETS: tuple[str, ...]
    """* What the auxiliary planes at the end of a game show."""
    BOUNDS: tuple[float, float]
    """* The least and the largest value that `observe` writes; (-1.0, 1.0)."""
    TRAINING: dict[str, Any]
    """* The game's own training settings: {section: {setting: value}}.

    They win over those of the preset. What stands under "small.net" instead of "net" is
    for the preset small only, and wins over what is for all.
    """
    LEVELS: dict[str, dict[str, float | None]]
    """* Agents to play against, the weakest first, with their Elo: {options: {...}}.

    The options are those that differ from the defaults, such as "size=9", or "".
    """
    EDITS: tuple[str, ...]
    """* How `edit` is written, such as "set CELL first|second|empty".

    The page makes tools of these: CELL is the choice of a shape that is clicked, a|b
    one of these words, another word in capitals a text.
    """

    RULES: str
    """* The rules for people: aim, board, moves, end, score, notation, action numbers.

    Paragraphs, `## Heading`, `- item`, tables of `| cell | cell |`; `[board: b2 a1]`
    draws the position after moves or edits, `[picture: NAME]` one of PICTURES. Made
    with the options, it says what they change; docs/own_game.md has all of it.
    """
    PICTURES: dict[str, tuple[str, list["Shape"]]]
    """* Drawings for RULES by name: as text for a terminal, and as shapes."""

    @staticmethod
    def start(state: np.record) -> None:
        """* Turn an all-zero state into the first one."""

    @staticmethod
    def legal(state: np.record, actions: Actions) -> int:
        """Write the legal actions in ascending order; return how many there are."""

    @staticmethod
    def apply(state: np.record, action: int) -> Any:
        """Play a legal action. A single-player game returns its reward."""

    @staticmethod
    def chance(state: np.record, probabilities: Probabilities) -> int:
        """* Write the probability of each outcome; return how many there are."""

    @staticmethod
    def apply_chance(state: np.record, outcome: int) -> Any:
        """* Let chance have its turn. A single-player game returns its reward."""

    @staticmethod
    def result(state: np.record) -> float:
        """Return 1 if player 0 has won, -1 if player 1 has, 0 if drawn (2 players)."""

    @staticmethod
    def observe(state: np.record, planes: Planes) -> None:
        """Write what the player to move sees into zeros [planes, rows, columns]."""

    @staticmethod
    def transform(state: np.record, symmetry: int, image: np.record) -> None:
        """* Turn `image`, a copy of `state`, into what a symmetry makes of it."""

    @staticmethod
    def transform_action(action: int, symmetry: int) -> int:
        """* Return the action that does in the image what `action` does here."""

    @staticmethod
    def targets(state: np.record, planes: Planes) -> None:
        """* Write the auxiliary planes [T, rows, columns] of a finished game.

        Values are in [-1, 1]; with two players they are for player 0 and change sign
        for player 1.
        """

    @staticmethod
    def candidates(state: np.record, actions: Actions) -> int:
        """* Write the actions worth solving, best first; return how many.

        One of them must be a best move, counting the distance to the end; a move that
        wins at once comes first. Where a player may move twice in a row they are all
        that is legal, and nobody wins within two plies.
        """

    @staticmethod
    def forcing(state: np.record, actions: Actions) -> int:
        """* Write the legal actions that the opponent must answer; return how many.

        They win at once, or threaten to: whatever the opponent does then, but for two
        answers at most, loses at once. One that wins comes first. Wins by force are
        looked for among them; the opponent's answers are his `answers`.
        """

    @staticmethod
    def pressing(state: np.record, actions: Actions) -> int:
        """* Write legal actions that threaten to win by force; return how many.

        None of them is among those of `forcing`. Wins by force are looked for among
        these, too, where they are not found without them.
        """

    @staticmethod
    def answers(state: np.record, actions: Actions) -> int:
        """* Write the answers to what forces or presses; return how many.

        If one of the legal actions does not lose, one of these does not. Unlike
        `candidates`, they need not hold out for long where all lose.
        """

    @staticmethod
    def likely(state: np.record, before: int, last: int, actions: Actions) -> int:
        """* Write the legal actions that are likely here; return how many, 0: all.

        Such as those that win at once, else those that keep the opponent from it.
        Rollouts choose from them, what is written twice twice as often, and a search
        without a network tries them first. `before` and `last` are the last two
        actions: only what these have brought need be found. If they are not known they
        are -1, and the whole state counts.
        """

    @staticmethod
    def heuristic(state: np.record) -> float:
        """* Guess what a position is worth to the player to move, in [-1, 1].

        For two-player games, while they go on. The agents `greedy` and `lookahead` play
        by it; neither a search nor a network does.
        """

    @staticmethod
    def foul(state: np.record, action: int) -> bool:
        """* Play an illegal action that loses at once; False if it is not one."""

    @staticmethod
    def action_name(state: np.record, action: int) -> str:
        """Return the notation of an action: one word, unique among all actions."""

    @staticmethod
    def read_action(state: np.record, text: str) -> int | None:
        """* Understand other spellings of an action; None if this is none."""

    @staticmethod
    def outcome_name(state: np.record, outcome: int) -> str:
        """* Return a chance outcome in words."""

    @staticmethod
    def look(state: np.record) -> dict[str, Any]:
        """* Return the named parts of a state for people: a board, hands, a score.

        Values are numbers, texts, arrays, or lists and dicts of these. Default: the
        fields of the record.
        """

    @staticmethod
    def reason(state: np.record) -> str:
        """* Say in a few words why the game is over: "four in a row"."""

    @staticmethod
    def why_illegal(state: np.record, action: int) -> str:
        """* Say in a few words why an action is not legal: "a double three"."""

    @staticmethod
    def setup(text: str) -> Sequence[int]:
        """* Turn a wish for the start into the chance outcomes that give it."""

    @staticmethod
    def edit(state: np.record, words: Sequence[str]) -> None:
        """* Change the state by hand; raise ValueError with a sentence if it cannot."""

    @staticmethod
    def draw(state: np.record) -> str:
        """Draw the state as text; `paint` gives it colour."""

    @staticmethod
    def scene(state: np.record) -> "list[Shape]":
        """Describe the board as labelled shapes."""

    @staticmethod
    def colours(state: np.record) -> tuple[int, ...]:
        """* Return whose colour each player has, where they may swap: (1, 0) if so."""

    @staticmethod
    def choices(state: np.record, action: int) -> tuple[str, ...]:
        """* Return the action as choices made one after the other, e.g. card, cell.

        A click on a shape makes the choice the shape names. Default: (its name,).
        """


ROLES = frozenset(
    (
        *("cell", "point", "hole", "death"),
        *("stone", "disc", "circle", "square", "arrow", "cross", "ring", "tower"),
        *("card", "value", "name", "element", "place"),
        *("slot", "shape", "anchor", "filled", "number"),
        *("direction", "won", "score", "count", "text"),
    )
)
"""What a shape may be: fields, pieces, cards, previews, and what is written or marked.

docs/web.md tells how each looks.
"""


@dataclass(frozen=True)
class Shape:
    """One thing to draw, in units of a cell, x to the right and y down."""

    kind: str
    """"polygon", "disc" or "text"."""
    points: tuple[tuple[float, float], ...]
    """The corners, or the centre."""
    role: str
    """What it is, one of ROLES; the theme decides how it looks."""
    label: str = ""
    """Its characters (text), or how it is spoken."""
    owner: int = -1
    """The player whose colour it wears."""
    choice: str = ""
    """The choice that a click on it makes."""
    size: float = 0.4
    """Radius of a disc, height of a text."""
    tone: int = 0
    """Which of the theme's colours it wears, from 1 on; 0: that of its role."""
    part: str = ""
    """What lies beside the board, such as hand/1; narrow screens move it below."""
