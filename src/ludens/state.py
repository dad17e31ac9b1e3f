"""A game in progress, as an ordinary Python object."""

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ludens.errors import BadStep, IllegalAction, UserError, did_you_mean
from ludens.game import CHANCE, OVER, Planes, Shape
from ludens.pictures.board import draw_board

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
        self._setup = setup
        self._allocate()
        self._begin(seed)

    def _allocate(self) -> None:
        """Make room for the record and for what compiled code writes."""
        self._array = self.game.states(1)
        self._turn = self._array["to_play"]  # a field of `raw` is far slower to read
        self._entries = self.game.entries
        self._advance = self._entries.advance
        self._episode: Any = None
        """The environment that it is a state of, which no copy has."""
        self._actions = np.empty(self.game.num_actions, np.int32)
        self._count = -1
        """How many legal actions `_actions` has; -1: they are not known."""
        self._chances = np.zeros(self.game.plain.MAX_OUTCOMES, np.float64)

    def _begin(self, seed: int | None) -> None:
        """Go to the start."""
        self.history: list[Step] = []
        self.score = 0.0
        self.num_plies = 0
        self._num_outcomes = 0
        self._past: list[tuple[bytes, int, float, int]] = []
        """For `undo`, before each action or edit: what `_moment` returns."""
        self._array[:] = self.game.states(1)
        self._entries.start(self.raw)
        if self.game.environment is not None:
            self._episode = self.game.environment.begin(self._array, seed or 0)
            self._advance = self._episode.advance
        for outcome in self._outcomes_of(self._setup) if self._setup else ():
            self.apply_chance(outcome)
        self.roll_from(seed)

    @classmethod
    def replay(
        cls, game: "Game", history: Iterable[Step], seed: int | None = None
    ) -> "State":
        """Return the state a history leads to; a foul in it loses, as referees say."""
        state = cls(game, None if game.environment is None else seed)
        for number, step in enumerate(history, 1):
            try:
                state.apply_step(step)
            except UserError as error:
                raise BadStep(number, error) from None
        state.roll_from(seed)
        return state

    @classmethod
    def at(cls, game: "Game", raw: Any, num_plies: int = 0) -> "State":
        """Return the state of a record, without the history that led to it."""
        state = cls(game)
        state._array[0] = raw
        state._count = -1
        state.num_plies = num_plies
        return state

    def copy(self, seed: int | None = None) -> "State":
        """Return an independent copy, without our dice: give it a seed of its own."""
        twin = State.__new__(State)
        vars(twin).update(vars(self))
        twin._allocate()
        twin._array[:] = self._array
        twin.history, twin._past = list(self.history), list(self._past)
        twin.roll_from(seed)
        return twin

    def snapshot(self) -> "State":
        """Return a copy that remembers only its last step, however long the game is."""
        twin = State.__new__(State)
        vars(twin).update(vars(self))
        twin._allocate()
        twin._array[:] = self._array
        twin.history, twin._past, twin.seed = self.history[-1:], [], None
        return twin

    def __copy__(self) -> "State":
        """Return an independent copy with the same dice, as `deepcopy` does."""
        return self.copy(self.seed)

    def __deepcopy__(self, _: object) -> "State":
        return self.copy(self.seed)

    def __getstate__(self) -> dict[str, Any]:
        """Return what `pickle` keeps: all but what `_allocate` makes."""
        made = ("_turn", "_entries", "_advance", "_episode", "_actions", "_chances")
        kept = {name: value for name, value in vars(self).items() if name not in made}
        return kept | {"_array": self._array.tobytes()}

    def __setstate__(self, kept: dict[str, Any]) -> None:
        vars(self).update(kept)
        self._allocate()
        self._restore(kept["_array"])

    def _restore(self, record: bytes) -> None:
        self._array[:] = np.frombuffer(record, self._array.dtype)
        self._count = -1

    @property
    def raw(self) -> Any:
        """The NumPy record of the state."""
        self._count = -1  # whoever has the record may write to it
        return self._array[0]

    @property
    def to_play(self) -> int:
        """The player to move, CHANCE or OVER."""
        return int(self._turn.item(0))

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
        return list(self._actions[: self._list()].tolist())

    def legal_mask(self) -> NDArray[np.bool_]:
        """Return whether each action is legal [A]."""
        mask = np.zeros(len(self._actions), np.bool_)
        mask[self._actions[: self._list()]] = True
        return mask

    def _list(self) -> int:
        """Write the legal actions into `_actions`; return how many there are."""
        if self._count < 0:
            _, self._count = self._advance(self._array, -1, self._actions, -1)
        return self._count

    def foul_actions(self) -> list[int]:
        """Return the illegal actions that would lose at once."""
        if self.to_play < 0 or not self.game.defines("foul"):
            return []
        twin, fouls = self.game.states(1), []
        for action in set(range(self.game.num_actions)) - set(self.legal_actions()):
            twin[:] = self._array
            if self.game.rules.foul(twin[0], action):
                fouls.append(action)
        return sorted(fouls)

    def apply(self, action: int | str, *, allow_foul: bool = False) -> float:
        """Play an action, given as a number or in notation; return the reward.

        It is what the action and the outcomes of chance after it bring in, 0.0 in games
        for two.
        """
        number = self.read_action(action) if isinstance(action, str) else int(action)
        if self._episode is None and self.game.environment is not None:
            raise UserError(f"{self.game.name} cannot go on from a copy of a state")
        moment, reward, count = self._moment(), 0.0, -1
        if 0 <= number < len(self._actions):
            reward, count = self._advance(
                self._array, number, self._actions, self._count
            )
        self._count = count
        if count < 0 and not (allow_foul and self._is_foul(number)):
            raise IllegalAction(self._why_illegal(number))
        self._past.append(moment)
        self.history.append(number)
        self.num_plies += 1
        self.score += reward
        if self._turn.item(0) == CHANCE:
            reward += self._roll()
        return float(reward)

    def step(self, action: int | str) -> tuple[float, bool]:
        """Play an action; return the reward and whether the game is over."""
        return self.apply(action), self.is_over

    def undo(self) -> None:
        """Take back the last action, or edit, with what chance did after it."""
        if self.game.environment is not None:
            raise UserError(f"{self.game.name} cannot take an action back")
        if not self._past:
            raise UserError("there is nothing to take back")
        record, length, self.score, self._num_outcomes = self._past.pop()
        self.num_plies -= not isinstance(self.history[length], str)
        del self.history[length:]
        self._restore(record)

    def reset(self, seed: int | None = None) -> None:
        """Go back to the start, with other dice if a seed is given."""
        self._begin(self.seed if seed is None else seed)

    def _moment(self) -> tuple[bytes, int, float, int]:
        """Return what `undo` needs to come back to this state."""
        record = self._array.tobytes()
        return record, len(self.history), self.score, self._num_outcomes

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
        chances = np.zeros_like(self._chances)
        count = self._entries.chance(self.raw, chances)
        return [(i, float(p)) for i, p in enumerate(chances[:count]) if p > 0]

    def apply_chance(self, outcome: int) -> float:
        """Let chance have its turn with a given outcome; return the reward."""
        if outcome not in [possible for possible, _ in self.chance()]:
            raise IllegalAction(f"chance cannot give outcome {outcome} here")
        reward = float(self._entries.step_chance(self.raw, int(outcome)))
        self._note_outcome(int(outcome), reward)
        return reward

    def _note_outcome(self, outcome: int, reward: float) -> None:
        self._count = -1
        self.history.append(outcome)
        self._num_outcomes += 1
        self.score += reward

    def roll_from(self, seed: int | None) -> None:
        """Resolve chance by this seed from now on (None: leave it to the caller)."""
        self.seed = seed
        self._roll()

    def _roll(self) -> float:
        """Resolve chance if there is a seed; return the reward."""
        if self.seed is None or not self.is_chance:
            return 0.0
        from ludens.rng import uniform  # loads Numba

        total = 0.0
        while self.is_chance:
            point = uniform(self.seed, "dice", self._num_outcomes)
            reward, outcome = self._entries.roll(self._array, point, self._chances)
            if outcome < 0:
                raise UserError(f"chance has no possible outcome in {self.game.name}")
            self._note_outcome(outcome, float(reward))
            total += reward
        return total

    def edit(self, text: str) -> None:
        """Change the state by hand, in the game's words; it stays in the history."""
        if not self.game.defines("edit"):
            raise UserError(f"{self.game.name} has no edit mode")
        twin = self.game.states(1)
        twin[:] = self._array
        try:
            self.game.plain.edit(twin[0], text.split())
        except (ValueError, IndexError) as error:
            raise UserError(f"cannot edit: {error}") from None
        self._past.append(self._moment())
        self._restore(twin.tobytes())
        self.history.append(" ".join(text.split()))
        self._roll()

    def observe(self, game: "Game | None" = None) -> Planes:
        """Return what the player to move sees [planes, rows, columns].

        Another game with the same states may show more of them, or less.
        """
        game = game or self.game
        planes = np.zeros(game.observation_shape, np.float32)
        game.rules.observe(self._array[0], planes)
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
        twin.history, twin._past = [], []
        return twin

    def action_name(self, action: int) -> str:
        """Return an action in notation."""
        return self.game.plain.action_name(self._array[0], action)

    def choices(self, action: int) -> tuple[str, ...]:
        """Return an action as choices made one after the other."""
        return self.game.plain.choices(self._array[0], action)

    def look(self) -> dict[str, Any]:
        """Return the named parts of the state, for people: a board, hands, counts."""
        return self.game.plain.look(self._array[0])

    def why_illegal(self, action: int) -> str:
        """Return in a few words why an action is illegal, "" if nobody can tell."""
        if self.to_play < 0 or action in self.legal_actions():
            return ""
        return self.game.plain.why_illegal(self._array[0], action)

    def outcome_name(self, outcome: int) -> str:
        """Return a chance outcome in words."""
        return self.game.plain.outcome_name(self._array[0], outcome)

    def read_action(self, text: str) -> int:
        """Return the action that a text names, legal or not."""
        word = text.strip()
        action = self._understand(word, self._names())
        if action is None:
            raise IllegalAction(self._why_no_move(word))
        return action

    def scene(self) -> list[Shape]:
        """Return the board as labelled shapes."""
        return self.game.plain.scene(self._array[0])

    def draw(self) -> str:
        """Return the drawing with its colours, for a terminal."""
        return self.game.plain.draw(self._array[0])

    def __str__(self) -> str:
        return re.sub(r"\x1b\[\d+m", "", self.draw())

    def _repr_svg_(self) -> str:
        """Return the picture that a notebook shows."""
        return draw_board(self.scene(), repr(self))

    def __repr__(self) -> str:
        return f"<State of {self.game.spec} after {len(self.history)} steps>"

    def _outcomes_of(self, setup: str) -> Iterable[int]:
        if not self.game.defines("setup"):
            raise UserError(f"{self.game.name} has no set-up to choose")
        try:
            return list(self.game.plain.setup(setup))
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
        action = self.game.plain.read_action(self._array[0], word)
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
        like = did_you_mean(shown.lower(), [name.lower() for name in names])
        hint = like or f"; for example {', '.join(names[:5])}"
        return f"{shown!r} is not a move of {self.game.name}{hint}"

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
