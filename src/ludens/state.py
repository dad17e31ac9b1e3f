"""A game in progress, as an ordinary Python object."""

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from ludens.errors import IllegalAction, UserError, nearest
from ludens.game import CHANCE, OVER, Planes, Shape
from ludens.pictures.board import draw_board
from ludens.rng import uniform

if TYPE_CHECKING:
    from ludens.loading.game import Game

MAX_SPELLING = 40
"""Characters of a move in other words than its name, such as a card and its place."""
Step = int | str
"""One entry of a history: an action, a chance outcome, or the text of an edit."""


class State:
    """A state of a game with the history that led to it.

    With a seed, chance resolves itself: outcome number k of the game is drawn by
    (seed, k), so that a move taken back and played again meets the same refill. Without
    one, `apply_chance` is the caller's to call. `raw` is the record the rules work on.
    """

    def __init__(self, game: "Game", seed: int | None = None, setup: str = "") -> None:
        self.game = game
        self.seed: int | None = None
        self.history: list[Step] = []
        self.score = 0.0
        self.num_plies = 0
        self._array = game.states(1)
        self._num_outcomes = 0
        game.rules.start(self.raw)
        for outcome in self._setup(setup) if setup else ():
            self.apply_chance(outcome)
        self.roll_from(seed)

    @classmethod
    def replay(
        cls, game: "Game", history: Iterable[Step], seed: int | None = None
    ) -> "State":
        """Return the state a history leads to; a foul in it loses, as referees say."""
        state = cls(game)
        for number, step in enumerate(history, 1):
            try:
                state.apply_step(step)
            except UserError as error:
                raise UserError(f"step {number}: {error}") from None
        state.roll_from(seed)
        return state

    def copy(self, seed: int | None = None) -> "State":
        """Return an independent copy, without our dice: give it a seed of its own."""
        twin = State(self.game)
        twin.history = list(self.history)
        twin.score = self.score
        twin.num_plies = self.num_plies
        twin._array[:] = self._array
        twin._num_outcomes = self._num_outcomes
        twin.roll_from(seed)
        return twin

    def __copy__(self) -> "State":
        """Return an independent copy with the same dice, as `deepcopy` does."""
        return self.copy(self.seed)

    @property
    def raw(self) -> Any:
        """The NumPy record of the state."""
        return self._array[0]

    @property
    def to_play(self) -> int:
        """The player to move, CHANCE or OVER."""
        return int(self._array["to_play"][0])  # a field of `raw` is far slower to read

    @property
    def is_over(self) -> bool:
        """Whether the game has ended."""
        return self.to_play == OVER

    @property
    def is_chance(self) -> bool:
        """Whether it is chance's turn."""
        return self.to_play == CHANCE

    @property
    def result(self) -> float | None:
        """1 if player 0 has won, -1 if player 1 has, 0 if drawn, None if not over."""
        if not self.is_over or self.game.num_players == 1:
            return None
        return float(self.game.rules.result(self.raw))

    def legal_actions(self) -> list[int]:
        """Return the legal actions in ascending order."""
        if self.to_play < 0:
            return []
        actions = np.empty(self.game.num_actions, np.int32)
        count = self.game.rules.legal(self.raw, actions)
        return list(actions[:count].tolist())

    def foul_actions(self) -> list[int]:
        """Return the illegal actions that would lose at once."""
        if self.to_play < 0 or not hasattr(self.game.plain, "foul"):
            return []
        twin, fouls = self.game.states(1), []
        for action in set(range(self.game.num_actions)) - set(self.legal_actions()):
            twin[:] = self._array
            if self.game.rules.foul(twin[0], action):
                fouls.append(action)
        return sorted(fouls)

    def apply(self, action: int | str, *, allow_foul: bool = False) -> None:
        """Play an action, given as a number or in notation."""
        number = self.read_action(action) if isinstance(action, str) else int(action)
        if number not in self.legal_actions():
            if not (allow_foul and self._is_foul(number)):
                raise IllegalAction(self._why_illegal(number))
        else:
            self._earn(self.game.rules.apply(self.raw, number))
        self.history.append(number)
        self.num_plies += 1
        self.roll_from(self.seed)

    def apply_step(self, step: Step) -> None:
        """Take one step of a history: an edit, a chance outcome or an action."""
        if isinstance(step, str):
            self.edit(step)
        elif self.is_chance:
            self.apply_chance(step)
        else:
            self.apply(step, allow_foul=True)

    def step_name(self, step: Step) -> str:
        """Return a step of a history in words."""
        if isinstance(step, str):
            return step
        return self.outcome_name(step) if self.is_chance else self.action_name(step)

    def apply_moves(self, text: str) -> None:
        """Play moves in notation, apart ("b2, a1") or run together ("32164625")."""
        for _ in self.play_moves(text):
            pass

    def play_moves(self, text: str) -> Iterator[int]:
        """Do as `apply_moves`, one move at a time; give each that was played."""
        for word in text.replace(",", " ").split():
            start = 0
            while start < len(word):
                action, start = self._read_first(word, start)
                self.apply(action)
                yield action

    def chance(self) -> list[tuple[int, float]]:
        """Return the possible outcomes and their probabilities on chance's turn."""
        if not self.is_chance:
            return []
        chances = np.zeros(self.game.plain.MAX_OUTCOMES, np.float64)
        count = self.game.rules.chance(self.raw, chances)
        return [(i, float(p)) for i, p in enumerate(chances[:count]) if p > 0]

    def apply_chance(self, outcome: int) -> None:
        """Let chance have its turn with a given outcome."""
        if outcome not in [possible for possible, _ in self.chance()]:
            raise IllegalAction(f"chance cannot give outcome {outcome} here")
        self._earn(self.game.rules.apply_chance(self.raw, int(outcome)))
        self.history.append(int(outcome))
        self._num_outcomes += 1

    def roll_from(self, seed: int | None) -> None:
        """Resolve chance by this seed from now on (None: leave it to the caller)."""
        self.seed = seed
        while self.is_chance and seed is not None:
            outcomes, chances = zip(*self.chance(), strict=True)
            point = uniform(seed, "dice", self._num_outcomes)
            index = int(
                np.searchsorted(np.cumsum(chances), point * sum(chances), "right")
            )
            self.apply_chance(outcomes[min(index, len(outcomes) - 1)])

    def edit(self, text: str) -> None:
        """Change the state by hand, in the game's words; it stays in the history."""
        editor = getattr(self.game.plain, "edit", None)
        if editor is None:
            raise UserError(f"{self.game.name} has no edit mode")
        twin = self.game.states(1)
        twin[:] = self._array
        try:
            editor(twin[0], text.split())
        except (ValueError, IndexError) as error:
            raise UserError(f"cannot edit: {error}") from None
        self._array = twin
        self.history.append(" ".join(text.split()))
        self.roll_from(self.seed)

    def observe(self) -> Planes:
        """Return what the player to move sees [planes, rows, columns]."""
        planes = np.zeros(self.game.observation_shape, np.float32)
        self.game.rules.observe(self.raw, planes)
        return planes

    def targets(self) -> Planes:
        """Return the auxiliary planes of a finished game, for player 0."""
        shape = (len(self.game.plain.TARGETS), *self.game.plain.SHAPE)
        planes = np.zeros(shape, np.float32)
        self.game.rules.targets(self.raw, planes)
        return planes

    def transformed(self, symmetry: int) -> "State":
        """Return the state seen through a symmetry of the game, without a history."""
        twin = self.copy()
        self.game.rules.transform(self.raw, symmetry, twin.raw)
        twin.history = []
        return twin

    def action_name(self, action: int) -> str:
        """Return an action in notation."""
        return self.game.plain.action_name(self.raw, action)

    def choices(self, action: int) -> tuple[str, ...]:
        """Return an action as choices made one after the other."""
        split = getattr(self.game.plain, "choices", None)
        return split(self.raw, action) if split else (self.action_name(action),)

    def why_illegal(self, action: int) -> str:
        """Return in a few words why an action is illegal, "" if nobody can tell."""
        why = getattr(self.game.plain, "why_illegal", None)
        if why is None or self.to_play < 0 or action in self.legal_actions():
            return ""
        return str(why(self.raw, action))

    def outcome_name(self, outcome: int) -> str:
        """Return a chance outcome in words."""
        name = getattr(self.game.plain, "outcome_name", None)
        return name(self.raw, outcome) if name else str(outcome)

    def read_action(self, text: str) -> int:
        """Return the action that a text names, legal or not."""
        word = text.strip()
        action = self._understand(word, self._names())
        if action is None:
            raise IllegalAction(self._why_no_move(word))
        return action

    def scene(self) -> list[Shape]:
        """Return the board as labelled shapes."""
        return self.game.plain.scene(self.raw)

    def draw(self) -> str:
        """Return the drawing with its colours, for a terminal."""
        return self.game.plain.draw(self.raw)

    def __str__(self) -> str:
        return re.sub(r"\x1b\[\d+m", "", self.draw())

    def _repr_svg_(self) -> str:
        """Return the picture that a notebook shows."""
        return draw_board(self.scene(), repr(self))

    def __repr__(self) -> str:
        return f"<State of {self.game.spec} after {len(self.history)} steps>"

    def _setup(self, text: str) -> Iterable[int]:
        reader = getattr(self.game.plain, "setup", None)
        if reader is None:
            raise UserError(f"{self.game.name} has no set-up to choose")
        try:
            return list(reader(text))
        except ValueError as error:
            raise UserError(f"cannot set up {self.game.name}: {error}") from None

    def _names(self) -> dict[str, int]:
        """Return all actions by name; of those named alike the first, legal before."""
        last_first = (*range(self.game.num_actions), *reversed(self.legal_actions()))
        return {self.action_name(action).lower(): action for action in last_first}

    def _understand(self, word: str, names: Mapping[str, int]) -> int | None:
        """Return the action that a word names, by its name or another spelling."""
        if word.lower() in names:
            return names[word.lower()]
        reader = getattr(self.game.plain, "read_action", None)
        action = reader(self.raw, word) if reader else None
        return None if action is None else int(action)

    def _read_first(self, word: str, start: int) -> tuple[int, int]:
        """Return the longest move that a word has from a place on, and where it ends.

        No longer piece is tried than a move can be, whatever the length of the word.
        """
        names = self._names()
        longest = max(MAX_SPELLING, *map(len, names))
        for end in range(min(len(word), start + longest), start, -1):
            action = self._understand(word[start:end], names)
            if action is not None:
                return action, end
        raise IllegalAction(self._why_no_move(word[start:]))

    def _why_no_move(self, word: str) -> str:
        names = [self.action_name(action) for action in self.legal_actions()]
        shown = word if len(word) <= MAX_SPELLING else f"{word[:MAX_SPELLING]}..."
        hint = nearest(shown.lower(), [name.lower() for name in names])
        if not hint.startswith("; did"):
            hint = f"; for example {', '.join(names[:5])}"
        return f"{shown!r} is not a move of {self.game.name}{hint}"

    def _earn(self, reward: Any) -> None:
        if self.game.num_players == 1:
            self.score += float(reward)

    def _is_foul(self, action: int) -> bool:
        known = 0 <= action < self.game.num_actions and self.to_play >= 0
        return known and bool(self.game.rules.foul(self.raw, action))

    def _why_illegal(self, action: int) -> str:
        if self.is_over:
            return "the game is over"
        if self.is_chance:
            return "it is chance's turn, not a player's"
        if not 0 <= action < self.game.num_actions:
            last = self.game.num_actions - 1
            return f"{action} is not an action; they go from 0 to {last}"
        legal = [self.action_name(a) for a in self.legal_actions()]
        shown = ", ".join(legal[:8]) + (", ..." if len(legal) > 8 else "")
        why = self.why_illegal(action)
        words = f"is not legal here{why and f' ({why})'}"
        return f"{self.action_name(action)} {words}; legal: {shown}"
