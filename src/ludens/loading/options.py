"""Options of a game, and how a game file gets their values when it is read."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeAlias, TypeVar

from ludens.errors import UserError, did_you_mean

OptionValue: TypeAlias = bool | int | float | str
Value = TypeVar("Value", bool, int, float, str)
Function = TypeVar("Function", bound=Callable[..., Any])
Wrap: TypeAlias = Callable[[Callable[..., Any]], Callable[..., Any]]
_TRUTH = {"true": True, "on": True, "1": True, "false": False, "off": False, "0": False}
_LARGEST = 1e15


@dataclass(frozen=True)
class Option:
    """An option of a game: its name, default, allowed values and one line of help."""

    name: str
    default: OptionValue
    help: str
    low: float | None = None
    high: float | None = None
    choices: tuple[OptionValue, ...] = ()
    only_observed: bool = False
    """Whether it changes what a network sees, and neither states nor moves."""

    @property
    def off(self) -> OptionValue:
        """The value that adds nothing to what is observed."""
        return type(self.default)()

    @property
    def allowed(self) -> str:
        """The allowed values in words."""
        if isinstance(self.default, bool):
            return "true or false"
        if self.choices:
            return ", ".join(map(str, self.choices))
        if isinstance(self.default, str):
            return "text"
        if self.low is None:
            return "a number"
        if self.high is None or self.high >= 1e9:
            return f"at least {self.low:g}"
        return f"{self.low:.10g} to {self.high:.10g}"

    def read(self, given: OptionValue) -> OptionValue:
        """Return the value as the option's own type, or raise what is wrong with it."""
        value = self._convert(given)
        if value is None or not self._allows(value):
            like = did_you_mean(str(given), map(str, self.choices))
            is_whole = type(self.default) is int and not self.choices
            whole = "a whole number, " if value is None and is_whole else ""
            hint = like or f"; allowed: {whole}{self.allowed}"
            raise UserError(f"{self.name} cannot be {given!r}{hint}")
        return value

    def _allows(self, value: OptionValue) -> bool:
        if self.choices:
            return value in self.choices
        if isinstance(value, (str, bool)):
            return True
        low = -_LARGEST if self.low is None else self.low
        high = _LARGEST if self.high is None else self.high
        return low <= value <= high

    def _convert(self, given: OptionValue) -> OptionValue | None:
        if isinstance(self.default, bool):
            return _TRUTH.get(str(given).lower())
        if isinstance(given, bool) or not isinstance(given, (int, float, str)):
            return None  # what comes from a file may be anything
        try:
            value = type(self.default)(given)
        except (ValueError, OverflowError):
            return None
        return value if isinstance(given, str) or value == given else None


@dataclass
class Loading:
    """How a game file is read: the options it gets, what becomes of its rules."""

    chosen: Mapping[str, OptionValue]
    wrap: Wrap = lambda function: function
    wrap_entry: Wrap = lambda function: function
    declared: dict[str, Option] = field(default_factory=dict)
    values: dict[str, OptionValue] = field(default_factory=dict)
    rules: Any = None
    """The rules that a kernel is executed over."""
    parts: dict[Path, str] = field(default_factory=dict)
    """The sources of the game's parts, read once."""


_loading: ContextVar[Loading | None] = ContextVar("loading", default=None)


@contextmanager
def loading(how: Loading) -> Iterator[Loading]:
    """Let `option` and `rule` work as `how` says while a game file is executed."""
    token = _loading.set(how)
    try:
        yield how
    finally:
        _loading.reset(token)


def rules_in_use() -> Any:
    """Return the rules that a kernel is being executed over, None if it is not."""
    how = _loading.get()
    return None if how is None else how.rules


def option(
    name: str,
    default: Value,
    help: str,
    *,
    low: float | None = None,
    high: float | None = None,
    choices: Sequence[Value] = (),
    only_observed: bool = False,
) -> Value:
    """Declare an option of the game and return its value.

    One that is `only_observed` changes what a network sees, and neither states nor
    moves: a net plays whatever its value is, for it sees what it has learned from.
    """
    bounds = (low, high, tuple(choices))
    declared = Option(name, default, help, *bounds, only_observed)
    how = _loading.get()
    if how is None:
        return default
    how.declared[name] = declared
    value = declared.read(how.chosen[name]) if name in how.chosen else default
    how.values[name] = value
    return value  # type: ignore[return-value]  # read() keeps the default's type


def require(condition: bool, message: str) -> None:
    """Refuse a combination of options with one line."""
    if not condition:
        raise UserError(message)


def rule(function: Function) -> Function:
    """Mark a function of a game (or of a kernel) as one to be compiled."""
    how = _loading.get()
    return function if how is None else how.wrap(function)  # type: ignore[return-value]


def entry(function: Function) -> Function:
    """Mark a function of a kernel as one that Python calls, to be compiled."""
    how = _loading.get()
    if how is None:
        return function
    return how.wrap_entry(function)  # type: ignore[return-value]
