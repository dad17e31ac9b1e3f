"""Hash all that compiled code depends on, so that an edit of any of it is seen.

Compiled code reaches values by name: globals and closures of its functions, attributes
of modules and classes, in these the same again. Values are hashed, not files: they are
what is compiled, wherever they come from. What cannot be followed is refused.
"""

import builtins
import enum
import functools
import hashlib
import platform
from collections import deque
from collections.abc import Iterable, Mapping
from importlib.metadata import version
from pathlib import Path
from types import CodeType, FunctionType, MethodType, ModuleType
from typing import Any

import numpy as np

from ludens.errors import GameFileError
from ludens.loading import dispatchers
from ludens.loading.libraries import is_library, is_of_library

_VERSIONS = tuple(f"{name} {version(name)}" for name in ("numba", "llvmlite", "numpy"))
_COMPILER = tuple(
    Path(__file__).with_name(f"{name}.py").read_bytes()
    for name in ("jit", "compilable", "reached")
)
"""How we compile, which is part of every result."""
_PLAIN = (int, float, complex, bool, str, bytes, type(None), type(...), range, slice)


def fingerprint(*values: object) -> str:
    """Hash functions, with all that they reach, and plain values."""
    return Follower().follow(values)


class Follower:
    """Hashes values one after the other, each thing only once."""

    def __init__(self) -> None:
        about = (_VERSIONS, platform.python_version(), _COMPILER)
        self._said = [repr(about).encode()]
        self._numbers: dict[int, int] = {}
        self._held: list[object] = []  # else an id could be used again
        self._names: set[str] = set()
        self._spaces: list[Any] = []
        self._fed: set[tuple[int, str]] = set()
        self._waiting: deque[tuple[Any, str, str]] = deque()
        self._name, self._place = "something", "the game"

    def follow(self, values: Iterable[object]) -> str:
        """Return the hash of values and of all that is reached from them."""
        for value in values:
            self._feed(value)
        while self._waiting or self._feed_attributes():
            if self._waiting:  # not by recursion: a chain of functions may be long
                value, self._name, self._place = self._waiting.popleft()
                self._feed_new(value)
        return hashlib.sha256(b"".join(self._said)).hexdigest()[:24]

    def _say(self, *words: object) -> None:
        self._said.append(repr(words).encode())

    def _feed_attributes(self) -> bool:
        """Hash what code may read of modules and classes; tell whether it was new.

        A module may be handed on to another function, so the names of all code count.
        """
        known = len(self._fed)
        for number, space in enumerate(self._spaces):
            self._place = getattr(space, "__file__", self._place)
            for name, value in _attributes(space, self._names):
                if (number, name) not in self._fed:
                    self._fed.add((number, name))
                    self._say(number)
                    self._feed_named(name, value)
        for name in sorted(self._names):
            if (-1, name) not in self._fed:
                self._fed.add((-1, name))
                self._feed_named(name, dispatchers.methods_named(name))
        return len(self._fed) > known

    def _feed_named(self, name: str, value: object) -> None:
        self._name = name
        self._say(name)
        self._feed(value)

    def _feed(self, value: Any) -> None:
        kind = type(value)
        if kind in _PLAIN:
            self._say(kind.__name__, value)
            return
        if kind in (tuple, frozenset):
            self._feed_items(value)
            return
        if isinstance(value, np.ndarray) and value.dtype != object:
            self._say("array", value.dtype, value.shape, value.strides)
            self._said.append(value.tobytes())
            return
        value = dispatchers.own_function(value)
        if id(value) not in self._numbers:
            self._numbers[id(value)] = len(self._numbers)
            self._held.append(value)
            self._waiting.append((value, self._name, self._place))
        self._say("number", self._numbers[id(value)])

    def _feed_items(self, value: Any) -> None:
        self._say(type(value).__name__, len(value))
        if isinstance(value, dict):
            value = value.items()
        elif isinstance(value, (set, frozenset)):
            value = sorted(value, key=repr)
        for item in value:
            if type(item) in _PLAIN:  # most are
                self._say(item)
            else:
                self._feed(item)

    def _feed_new(self, value: Any) -> None:
        """Hash a thing that was not met before."""
        self._say("new")
        for overload in dispatchers.overloads_of(value):
            self._feed(overload)
        if isinstance(value, CodeType):
            self._feed_code(value)
        elif isinstance(value, FunctionType):
            self._feed_function(value)
        elif isinstance(value, ModuleType):
            self._say("module", value.__name__)
            self._spaces.append(value)
        elif what := dispatchers.trouble_with(value):
            self._refuse(what)
        elif (parts := dispatchers.parts_of(value)) is not None:
            self._feed(parts)
        elif isinstance(value, type):
            self._feed_class(value)
        else:
            self._feed_object(value)

    def _feed_code(self, code: CodeType) -> None:
        self._names |= _names(code)
        counts = (code.co_argcount, code.co_posonlyargcount, code.co_kwonlyargcount)
        self._say(code.co_code, code.co_flags, counts, code.co_exceptiontable)
        names = (code.co_names, code.co_varnames, code.co_freevars, code.co_cellvars)
        self._say(names)
        self._feed(code.co_consts)

    def _feed_function(self, function: FunctionType) -> None:
        self._say("function")
        if is_of_library(function.__code__.co_filename):
            self._say(function.__module__, function.__qualname__)
            return
        self._place = function.__code__.co_filename
        self._feed(function.__code__)
        self._feed((function.__defaults__, function.__kwdefaults__))
        for name, value in _closure(function):
            self._feed_named(name, value)
        there = _globals(function)
        for name in sorted(_names(function.__code__) & there.keys()):
            self._feed_named(name, there[name])

    def _feed_class(self, cls: type) -> None:
        self._say("class", cls.__module__, cls.__qualname__)
        if is_library(cls.__module__):
            return
        if issubclass(cls, enum.Enum):
            self._feed([(name, m.value) for name, m in cls.__members__.items()])
        for name in ("_fields", "_field_defaults"):  # of a named tuple
            self._feed(getattr(cls, name, None))
        self._spaces += [c for c in cls.__mro__ if not is_library(c.__module__)]

    def _feed_object(self, value: Any) -> None:
        kind = type(value)
        self._feed(kind)
        if isinstance(value, enum.Enum):
            self._feed(value.value)
        elif isinstance(value, (np.dtype, np.generic, *_PLAIN)):
            self._say(*_exactly(value))
        elif isinstance(value, (tuple, list, dict, set, frozenset)):
            self._feed_items(value)
        elif isinstance(value, np.ndarray):
            self._feed((value.shape, value.tolist()))
        elif isinstance(value, functools.partial):
            self._feed((value.func, value.args, value.keywords))
        elif isinstance(value, (staticmethod, classmethod, MethodType)):
            self._feed((value.__func__, getattr(value, "__self__", None)))
        elif isinstance(value, property):
            self._feed((value.fget, value.fset))
        elif hasattr(value, "__wrapped__"):
            self._feed(value.__wrapped__)
        elif is_library(getattr(value, "__module__", None) or kind.__module__):
            self._feed_library_object(value)
        elif not is_library(kind.__module__) and hasattr(value, "__dict__"):
            self._feed(vars(value))
        else:
            self._refuse(f"{kind.__name__}: a change of it would not be seen")

    def _feed_library_object(self, value: Any) -> None:
        """Hash something of a library, whose version is known, by its name."""
        name = getattr(value, "__qualname__", None) or repr(value)
        if " at 0x" in name:
            kind = type(value).__name__
            self._refuse(f"{kind}: a change of it would not be seen")
        self._say(getattr(value, "__module__", ""), name)

    def _refuse(self, what: str) -> None:
        raise GameFileError(
            f"{self._place}: rules cannot use {self._name}, {what}; they use numbers,"
            " tuples, arrays, enums and @rule functions"
        )


def _names(code: CodeType) -> set[str]:
    """Return all names in code; a text may be one, as in getattr(board, "SIZE")."""
    found = set(code.co_names)
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            found |= _names(constant)
        elif isinstance(constant, str) and constant.isidentifier():
            found.add(constant)
    return found


def seen_by(function: FunctionType) -> Mapping[str, Any]:
    """Return all that a function finds by name: its closure, its module, built-ins."""
    return {**vars(builtins), **_globals(function), **dict(_closure(function))}


def _closure(function: FunctionType) -> list[tuple[str, object]]:
    cells = zip(function.__code__.co_freevars, function.__closure__ or (), strict=True)
    return [(name, _content(cell)) for name, cell in cells]


def _globals(function: FunctionType) -> Mapping[str, Any]:
    """Return what a function finds by name; nobody changes what Python has built in."""
    there = function.__globals__
    inside = there.get("__builtins__", builtins)
    inside = inside if isinstance(inside, dict) else vars(inside)
    return there if inside.keys() <= _BUILT_IN else {**inside, **there}


_BUILT_IN = frozenset(vars(builtins))


def _content(cell: Any) -> object:
    try:
        return cell.cell_contents
    except ValueError:
        return None


def _attributes(space: Any, names: set[str]) -> list[tuple[str, Any]]:
    """Return what code that has these names may read of a module or class."""
    there = vars(space)
    found = {name: there[name] for name in sorted(names & there.keys())}
    if isinstance(space, ModuleType) and is_library(space.__name__):
        return [
            (name, value) for name, value in found.items() if _may_be_changed(value)
        ]
    if "__getattr__" in there:  # of a module that makes them when they are asked for
        missing = sorted(names - there.keys())
        found |= {
            name: getattr(space, name) for name in missing if hasattr(space, name)
        }
    return list(found.items())


def _may_be_changed(value: object) -> bool:
    """Tell whether something of a library is a number, or has overloads of others."""
    is_plain = isinstance(value, (*_PLAIN, ModuleType))
    return is_plain or bool(dispatchers.overloads_of(value))


def _exactly(value: Any) -> tuple[Any, ...]:
    if isinstance(value, np.generic):
        return value.dtype, value.tobytes()
    if isinstance(value, np.dtype):
        return (value,)
    kinds: tuple[Any, ...] = _PLAIN
    return tuple(kind.__repr__(value) for kind in kinds if isinstance(value, kind))
