"""Complete a game's rules: defaults for what it leaves out, and derived rules."""

from collections.abc import Callable
from typing import Any, Protocol, cast

import numpy as np
from numpy.typing import NDArray

from ludens.game import CHANCE, Probabilities, Rules
from ludens.loading.options import Wrap, rules_in_use

DEFAULT_CONSTANTS = {
    "NUM_PLAYERS": 2,
    "MAX_OUTCOMES": 0,
    "NUM_SYMMETRIES": 1,
    "TARGETS": (),
}
PEOPLE_CONSTANTS: dict[str, Any] = {
    "EDITS": (),
    "BOUNDS": (-1.0, 1.0),
    "TRAINING": {},
    "LEVELS": {},
    "RULES": "",
    "PICTURES": {},
}
"""Defaults of constants that no rule depends on."""


class CompleteRules(Rules, Protocol):
    """The rules as kernels see them: a game's own, defaults, and derived rules."""

    HAS_CANDIDATES: bool
    """Whether the game orders its actions for the solver."""
    HAS_LIKELY: bool
    """Whether the game knows what is likely to be played."""
    HAS_PRESSING: bool
    """Whether the game knows what threatens a win by force."""

    @staticmethod
    def step(state: np.record, action: int) -> float:
        """Play a legal action and return its reward, 0 in two-player games."""

    @staticmethod
    def step_chance(state: np.record, outcome: int) -> float:
        """Apply an outcome and return its reward, 0 in two-player games."""

    @staticmethod
    def resolve_chance(
        state: np.record, probabilities: Probabilities, rng: NDArray[np.uint64]
    ) -> float:
        """Sample outcomes until a player is to move or the game is over.

        Returns the sum of the rewards; `probabilities` [MAX_OUTCOMES + 1] is scratch.
        """


class _AnyGame:
    """Constants that stand in for a game's when a kernel is only imported."""

    STATE = np.dtype([("to_play", "i8")])
    NUM_ACTIONS = MAX_PLIES = NUM_SYMMETRIES = 1
    NUM_PLAYERS = 2
    MAX_OUTCOMES = 0


def kernel_rules() -> CompleteRules:
    """Return the rules that a kernel module is executed over.

    `game.kernel(module)` executes the source of the module once more for each game.
    Imported in the ordinary way, a kernel has no game and its functions are not to be
    called.
    """
    return cast(CompleteRules, rules_in_use() or _AnyGame)


def complete(module: Any, wrap: Wrap, wrap_step: Wrap) -> None:
    """Add the defaults of what a game leaves out, and steps that return a reward."""
    module.DEFINED = frozenset(vars(module))
    for name, value in (DEFAULT_CONSTANTS | PEOPLE_CONSTANTS).items():
        module.__dict__.setdefault(name, value)
    module.STATE = _in_words(module.STATE)
    module.HAS_LIKELY = hasattr(module, "likely")
    module.HAS_PRESSING = hasattr(module, "pressing")
    for default in _DEFAULTS:
        if not hasattr(module, default.__name__):
            setattr(module, default.__name__, wrap(default))
    for for_people in _FOR_PEOPLE:
        module.__dict__.setdefault(for_people.__name__, for_people)
    module.__dict__.setdefault(
        "choices", lambda state, action: (module.action_name(state, action),)
    )
    module.HAS_CANDIDATES = hasattr(module, "candidates")
    if not module.HAS_CANDIDATES:
        module.candidates = module.legal
    module.__dict__.setdefault("answers", module.candidates)
    rewarded = _with_reward if module.NUM_PLAYERS == 1 else _without_reward
    module.step = wrap_step(rewarded(module.apply))
    module.step_chance = wrap_step(rewarded(module.apply_chance))


def derive(module: Any, wrap: Wrap = lambda function: function) -> None:
    """Add the rules that only kernels need: what they use loads Numba."""
    from ludens.rng import pick

    chance, step_chance = module.chance, module.step_chance

    def resolve_chance(
        state: np.record, probabilities: Probabilities, rng: NDArray[np.uint64]
    ) -> float:
        reward = 0.0
        while state.to_play == CHANCE:
            count = chance(state, probabilities)
            reward += step_chance(state, pick(rng, probabilities, count))
        return reward

    module.resolve_chance = wrap(resolve_chance)


def _in_words(fields: np.dtype[Any]) -> np.dtype[Any]:
    """Align the fields and fill the record up to whole 64-bit words, for hashing.

    What fills it is a field as well: copies then never leave garbage there. As
    np.record, a state has its fields as attributes in ordinary Python too.
    """
    layout: list[tuple[str, Any]] = []
    aligned = np.dtype(
        [(name, fields[name]) for name in fields.names or ()], align=True
    )
    end = 0
    for name in aligned.names or ():
        kind, offset = aligned.fields[name][:2]  # type: ignore[index]
        if offset > end:
            layout.append((f"_gap{end}", (np.uint8, offset - end)))
        layout.append((name, kind))
        end = offset + kind.itemsize
    if end % 8:
        layout.append((f"_gap{end}", (np.uint8, 8 - end % 8)))
    return np.dtype((np.record, np.dtype(layout, align=True)))


def start(state: np.record) -> None:
    """Begin with the all-zero state."""


def chance(state: np.record, probabilities: Any) -> int:
    """Return 0 outcomes: a game without chance."""
    return 0


def apply_chance(state: np.record, outcome: int) -> float:
    """Change nothing: a game without chance."""
    return 0.0


def result(state: np.record) -> float:
    """Return 0: a single-player game has no winner."""
    return 0.0


def transform(state: np.record, symmetry: int, image: np.record) -> None:
    """Leave the image as it is: the only symmetry is the identity."""


def transform_action(action: int, symmetry: int) -> int:
    """Return the action itself: the only symmetry is the identity."""
    return action


def targets(state: np.record, planes: Any) -> None:
    """Write no auxiliary planes."""


def likely(state: np.record, before: int, last: int, actions: Any) -> int:
    """Return 0: no action is likelier than the others."""
    return 0


def forcing(state: np.record, actions: Any) -> int:
    """Return 0: no action is known to force an answer."""
    return 0


def pressing(state: np.record, actions: Any) -> int:
    """Return 0: no action is known to threaten a win by force."""
    return 0


def heuristic(state: np.record) -> float:
    """Return 0: nothing is known about any position."""
    return 0.0


def foul(state: np.record, action: int) -> bool:
    """Return False: no illegal action is a foul."""
    return False


_DEFAULTS: tuple[Callable[..., Any], ...] = (
    start, chance, apply_chance, result, transform, transform_action, targets, likely,
    forcing, pressing, heuristic, foul,
)  # fmt: skip


def read_action(state: np.record, text: str) -> int | None:
    """Understand no other spellings than the names of actions."""
    return None


def outcome_name(state: np.record, outcome: int) -> str:
    """Return the number of the outcome."""
    return str(outcome)


def reason(state: np.record) -> str:
    """Give no reason why the game is over."""
    return ""


def why_illegal(state: np.record, action: int) -> str:
    """Give no reason why an action is illegal."""
    return ""


def look(state: np.record) -> dict[str, Any]:
    """Return the fields of the record: numbers, and copies of arrays."""
    names = (name for name in state.dtype.names or () if name[0] != "_")
    fields = ((name, state[name]) for name in names)
    return {name: part.copy() if part.ndim else part.item() for name, part in fields}


def colours(state: np.record) -> tuple[int, ...]:
    """Return that each player has his own colour."""
    return (0, 1)


_FOR_PEOPLE: tuple[Callable[..., Any], ...] = (
    read_action, outcome_name, reason, why_illegal, look, colours,
)  # fmt: skip


def _with_reward(move: Callable[[Any, int], float]) -> Callable[[Any, int], float]:
    def step(state: np.record, choice: int) -> float:
        return move(state, choice)

    return step


def _without_reward(move: Callable[[Any, int], None]) -> Callable[[Any, int], float]:
    def step(state: np.record, choice: int) -> float:
        move(state, choice)
        return 0.0

    return step
