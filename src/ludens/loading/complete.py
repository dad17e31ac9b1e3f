"""What a game may leave out, and what kernels find added to its rules."""

from collections.abc import Callable
from typing import Any, Protocol, cast

import numpy as np

from ludens.game import Rules
from ludens.loading.options import Wrap, rules_in_use

DEFAULT_CONSTANTS = {
    "NUM_PLAYERS": 2,
    "MAX_OUTCOMES": 0,
    "NUM_SYMMETRIES": 1,
    "TARGETS": (),
}


class CompleteRules(Rules, Protocol):
    """The rules as kernels see them: nothing left out, and rewards in every game."""

    HAS_CANDIDATES: bool
    """Whether the game orders its actions for the solver."""
    HAS_LIKELY: bool
    """Whether the game knows what is likely to be played."""

    @staticmethod
    def step(state: np.record, action: int) -> float:
        """Play a legal action and return its reward, 0 in games for two."""

    @staticmethod
    def step_chance(state: np.record, outcome: int) -> float:
        """Let chance have its turn and return its reward, 0 in games for two."""


class _AnyGame:
    """Constants of no game in particular, for a kernel that is only imported."""

    STATE = np.dtype([("to_play", "i8")])
    NUM_ACTIONS = MAX_PLIES = NUM_SYMMETRIES = 1
    NUM_PLAYERS = 2
    MAX_OUTCOMES = 0


def kernel_rules() -> CompleteRules:
    """Return the rules that a kernel module is executed over.

    `game.kernel(module)` executes the source of the module once more for each game. As
    an ordinary import it has no game: then its functions are not for calling.
    """
    return cast(CompleteRules, rules_in_use() or _AnyGame)


def complete(module: Any, wrap: Wrap, wrap_step: Wrap) -> None:
    """Add what a game may leave out, and steps that give a reward in every game."""
    for name, value in DEFAULT_CONSTANTS.items():
        module.__dict__.setdefault(name, value)
    module.STATE = _in_words(module.STATE)
    module.HAS_LIKELY = hasattr(module, "likely")
    for default in _DEFAULTS:
        if not hasattr(module, default.__name__):
            setattr(module, default.__name__, wrap(default))
    module.HAS_CANDIDATES = hasattr(module, "candidates")
    if not module.HAS_CANDIDATES:
        module.candidates = module.legal
    rewarded = _as_it_is if module.NUM_PLAYERS == 1 else _without_reward
    module.step = wrap_step(rewarded(module.apply))
    module.step_chance = wrap_step(rewarded(module.apply_chance))


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
    """Leave the state all zero."""


def chance(state: np.record, probabilities: Any) -> int:
    """Have no chance."""
    return 0


def apply_chance(state: np.record, outcome: int) -> float:
    """Have no chance."""
    return 0.0


def result(state: np.record) -> float:
    """Have no winner."""
    return 0.0


def transform(state: np.record, symmetry: int, image: np.record) -> None:
    """Be only like itself."""


def transform_action(action: int, symmetry: int) -> int:
    """Be only like itself."""
    return action


def targets(state: np.record, planes: Any) -> None:
    """Have no auxiliary planes."""


def likely(state: np.record, before: int, last: int, actions: Any) -> int:
    """Call no action likelier than others."""
    return 0


def foul(state: np.record, action: int) -> bool:
    """Know no fouls."""
    return False


_DEFAULTS: tuple[Callable[..., Any], ...] = (
    start, chance, apply_chance, result, transform, transform_action, targets, likely,
    foul,
)  # fmt: skip


def _as_it_is(move: Callable[[Any, int], float]) -> Callable[[Any, int], float]:
    def step(state: np.record, choice: int) -> float:
        return move(state, choice)

    return step


def _without_reward(move: Callable[[Any, int], None]) -> Callable[[Any, int], float]:
    def step(state: np.record, choice: int) -> float:
        move(state, choice)
        return 0.0

    return step
