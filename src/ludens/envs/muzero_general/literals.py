"""Values written as Python, in lines of 88 characters."""

import base64
import json
import math
import zlib
from collections.abc import Callable, Iterable
from dataclasses import fields, is_dataclass
from enum import Enum
from types import FunctionType
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

WIDTH = 88
MOST_LITERAL = 2000
"""Characters of an array that is written as numbers; a longer one is compressed."""
SHORT = 40
"""Characters of an item that shares its line with others."""
UNPACK = '''def unpack(text, dtype, shape):
    """Return the array whose bytes were compressed and written as text."""
    content = zlib.decompress(base64.b85decode(text))
    return np.frombuffer(content, dtype).reshape(shape).copy()
'''
Tree: TypeAlias = "str | tuple[str, list[Tree], str]"
"""A text, or what opens a bracket, its items, and what closes it."""
Note = Callable[[Any], str]
"""Gets a function or class that a value is made of; returns its name."""


class UnknownType(ValueError):
    """A value that cannot be written; the name of its type."""


def written(name: str, value: Any, note: Note) -> str:
    """Return the assignment of a constant."""
    tree = _tree(value, note)
    return f"{name} = {lay_out(tree, used=len(name) + 3)}\n"


def lay_out(tree: Tree, indent: int = 0, used: int = 0) -> str:
    """Write a tree in one line if there is room, else with its items in lines."""
    text = _flat(tree)
    if isinstance(tree, str) or indent + used + len(text) < WIDTH:
        return text
    opening, items, closing = tree
    room, lines, line = WIDTH - indent - 4, list[str](), ""
    for item in items:
        word = f"{lay_out(item, indent + 4, 1)},"
        fits = len(line) + 1 + len(word) <= room and len(word) <= SHORT
        if line and fits:
            line += f" {word}"
        else:
            lines += [line] if line else []
            line = word
        if len(word) > SHORT:
            lines, line = [*lines, line], ""
    inside = "\n".join(" " * (indent + 4) + line for line in [*lines, line] if line)
    return f"{opening}\n{inside}\n{' ' * indent}{closing.lstrip(',')}"


def _flat(tree: Tree) -> str:
    if isinstance(tree, str):
        return tree
    opening, items, closing = tree
    return f"{opening}{', '.join(map(_flat, items))}{closing}"


def _tree(value: Any, note: Note) -> Tree:
    kind = type(value)
    if kind is float and not math.isfinite(value):
        return f'float("{value}")'
    if kind is str:
        return json.dumps(value, ensure_ascii=False)
    if kind in (int, float, complex, bool, bytes, type(None), type(...), range, slice):
        return repr(value)
    if isinstance(value, np.ndarray):
        return _array(value, note)
    if isinstance(value, np.dtype):
        return _dtype(value)
    if isinstance(value, np.generic) and kind.__module__ == "numpy":
        return f"{_scalar(value.dtype)}({_flat(_tree(value.item(), note))})"
    if isinstance(value, FunctionType | type):
        return note(value)
    return _container(value, note) if kind in _BRACKETS else _object(value, note)


_BRACKETS: dict[type, tuple[str, str]] = {
    tuple: ("(", ")"),
    list: ("[", "]"),
    set: ("{", "}"),
    frozenset: ("frozenset([", "])"),
    dict: ("{", "}"),
}


def _container(value: Any, note: Note) -> Tree:
    opening, closing = _BRACKETS[type(value)]
    if isinstance(value, dict):
        return opening, [_pair(k, v, note) for k, v in value.items()], closing
    if value == set() and isinstance(value, set):
        return "set()"
    items = sorted(value, key=repr) if isinstance(value, set | frozenset) else value
    is_single = isinstance(value, tuple) and len(value) == 1
    return opening, _trees(items, note), f",{closing}" if is_single else closing


def _trees(values: Iterable[Any], note: Note) -> list[Tree]:
    return [_tree(value, note) for value in values]


def _pair(key: Any, value: Any, note: Note) -> Tree:
    return _behind(f"{_flat(_tree(key, note))}: ", _tree(value, note))


def _behind(prefix: str, tree: Tree) -> Tree:
    if isinstance(tree, str):
        return prefix + tree
    return prefix + tree[0], tree[1], tree[2]


def _object(value: Any, note: Note) -> Tree:
    """Write an enum's member, a named tuple or a dataclass."""
    kind = type(value)
    if isinstance(value, Enum):
        return f"{note(kind)}.{value.name}"
    if isinstance(value, tuple) and hasattr(kind, "_fields"):
        return f"{note(kind)}(", _trees(value, note), ")"
    if is_dataclass(value) and all(field.init for field in fields(value)):
        given = {field.name: getattr(value, field.name) for field in fields(value)}
        named = [_behind(f"{k}=", _tree(v, note)) for k, v in given.items()]
        return f"{note(kind)}(", named, ")"
    raise UnknownType(kind.__name__)


def _array(value: NDArray[Any], note: Note) -> Tree:
    if type(value) is not np.ndarray or value.dtype.kind not in "biufc":
        raise UnknownType(f"{type(value).__name__} of {value.dtype}")
    numbers = _tree(value.tolist(), note)
    if len(_flat(numbers)) <= MOST_LITERAL and value.size:
        return "np.array(", [numbers, _scalar(value.dtype)], ")"
    plain = np.ascontiguousarray(value, value.dtype.newbyteorder("<"))
    text = base64.b85encode(zlib.compress(plain.tobytes(), 9)).decode()
    length = WIDTH - 12
    parts = [f'        "{text[i : i + length]}"' for i in range(0, len(text), length)]
    shape = ", ".join(map(str, value.shape))
    joined = "\n".join(["(", *parts, "    )"])
    return "unpack(", [joined, f'"{plain.dtype.str}"', f"({shape},)"], ")"


def _scalar(dtype: np.dtype[Any]) -> str:
    return f"np.{'bool_' if dtype.kind == 'b' else dtype.name}"


def _dtype(value: np.dtype[Any]) -> Tree:
    """Write a dtype; of a record, the fields that its author gave it."""
    if value.names is None and value.subdtype is None and value.kind in "biufc":
        return f'np.dtype("{value.name}")'
    named: list[Tree] = []
    for name in value.names or ():
        if not name.startswith("_gap"):
            named.append(("(", _field(name, value[name]), ")"))
    if not named:
        raise UnknownType(f"dtype {value}")
    return "np.dtype(", [("(", ["np.record", ("[", named, "]")], ")")], ")"


def _field(name: str, dtype: np.dtype[Any]) -> list[Tree]:
    base, shape = dtype.base, dtype.shape
    if base.kind not in "biufc":
        raise UnknownType(f"dtype {dtype} of {name}")
    words: list[Tree] = [json.dumps(name), f'"{base.name}"']
    return [*words, repr(shape)] if shape else words
