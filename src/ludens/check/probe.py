"""A position of a random game under test."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, NoReturn

import numpy as np

from ludens.check.report import Notes, one_line
from ludens.game import Actions, Planes, Rules
from ludens.loading.game import Game
from ludens.rng import numpy_rng

_SLACK = 64  # spare room: compiled code that runs over the end does no harm


class Abandoned(Exception):
    """The game under test cannot be played on; the reason is in the notes."""


@dataclass
class Memory:
    """What was seen in earlier positions: by its bytes, and by how it looked."""

    legal: dict[bytes, list[int]] = field(default_factory=dict)
    looks: dict[bytes, bytes] = field(default_factory=dict)


class Probe:
    """One random game with guarded calls of its rules.

    A rule that raises ends the game with a finding that names the rule and the error.
    """

    def __init__(
        self,
        game: Game,
        rules: Rules,
        notes: Notes,
        memory: Memory,
        seed: int,
        index: int,
    ) -> None:
        self.game = game
        self.rules = rules
        self.notes = notes
        self.memory = memory
        self.index = index
        self.rng = numpy_rng(seed, "probe", index)
        self.array = game.states(1)
        self.history: list[int] = []
        self.num_plies = 0
        self.legal: list[int] = []
        self.step = 0
        """The action or outcome that comes next."""

    @property
    def record(self) -> Any:
        """The state."""
        return self.array[0]

    @property
    def turn(self) -> int:
        """Whose turn it is."""
        return int(self.record.to_play)

    def twin(self) -> Any:
        """Return a copy of the state."""
        return copy_of(self.array)

    def fault(self, code: str, detail: str = "") -> None:
        """Note a fault at this position."""
        self.notes.add(code, detail, self.index, self.history)

    def stop(self, code: str, detail: str = "") -> NoReturn:
        """Note a fault after which the game cannot go on."""
        self.fault(code, detail)
        raise Abandoned

    def call(self, name: str, *arguments: Any) -> Any:
        """Call a rule or a function for people."""
        of = self.rules if hasattr(self.rules, name) else self.game.plain
        return self.guarded(name, getattr(of, name), *arguments)

    def guarded(self, name: str, function: Callable[..., Any], *arguments: Any) -> Any:
        """Call a function; what it raises is a finding."""
        try:
            with np.errstate(all="ignore"):
                return function(*arguments)
        except Abandoned:
            raise
        except Exception as error:
            says = f"{name} raises"
            if type(error).__module__.startswith("numba."):
                says = f"{name.removeprefix('compiled ')} does not compile"
            self.stop(_dashed(says), f"{says}: {one_line(error)}")

    def ask(self, name: str, *arguments: Any) -> Any:
        """Call a function that should only read this state, and see that it does."""
        return self.unchanged(name, self.call, name, self.record, *arguments)

    def unchanged(self, name: str, run: Callable[..., Any], *arguments: Any) -> Any:
        """Return what `run` gives, and see that rule `name` only reads the state."""
        before = self.twin()
        answer = run(*arguments)
        if self.array.tobytes() != before.tobytes():
            self.fault(f"{_dashed(name)}-changes-state", _changed(before, self.array))
            self.array[:] = before
        return answer

    def has(self, name: str) -> bool:
        """Whether the game defines a function for people."""
        return self.game.defines(name)

    def actions_of(self, name: str, array: Any, *given: int) -> list[int]:
        """Return what `legal` or another list of actions writes for a state."""
        actions = roomy(self.game.num_actions, np.int32, -1)
        count = self.call(name, array[0], *given, actions)
        if not isinstance(count, (int, np.integer)):
            self.stop("legal-count", f"{name} returned {count!r}")
        if count > len(actions):
            self.stop("legal-too-many", f"{name} returned {count}")
        return [int(action) for action in actions[:count]]

    def probabilities_of(self, array: Any) -> list[float]:
        """Return what `chance` writes for a state."""
        chances = roomy(self.game.plain.MAX_OUTCOMES, np.float64, np.nan)
        count = self.call("chance", array[0], chances)
        if not isinstance(count, (int, np.integer)):
            self.stop("chance-count", f"it returned {count!r}")
        if count > len(chances):
            self.stop("chance-too-many", f"it returned {count}")
        return [float(chance) for chance in chances[:count]]

    def planes_of(self, name: str, array: Any) -> Planes:
        """Return the planes that `observe` or `targets` writes for a state."""
        rules = self.game.plain
        names = rules.PLANES if name == "observe" else rules.TARGETS
        planes = np.zeros((len(names), *rules.SHAPE), np.float32)
        self.call(name, array[0], planes)
        return planes

    def image(self, array: Any, symmetry: int) -> Any:
        """Return a state seen through a symmetry."""
        image = copy_of(array)
        self.call("transform", array[0], symmetry, image[0])
        return image

    def after(self, array: Any, action: int) -> tuple[Any, Any]:
        """Return the state after an action, and the reward."""
        twin = copy_of(array)
        return twin, self.call("apply", twin[0], action)


def roomy(size: int, dtype: Any, fill: float) -> Actions | Any:
    """Return an array of this size with spare room behind it."""
    return np.full(2 * size + _SLACK, fill, dtype)[:size]


def copy_of(array: Any) -> Any:
    """Copy states as whole words: NumPy's copy leaves out what is between fields."""
    twin = np.zeros_like(array)
    twin.view(np.uint64)[:] = array.view(np.uint64)
    return twin


def _dashed(name: str) -> str:
    return name.replace("_", "-").replace(" ", "-")


def _changed(before: Any, after: Any) -> str:
    names = [n for n in before.dtype.names if before[n].tobytes() != after[n].tobytes()]
    return f"changed: {', '.join(names)}"
