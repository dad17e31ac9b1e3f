"""What Numba's own objects are made of: functions that decorators of Numba hide."""

import sys
from collections.abc import Iterator
from functools import cache
from typing import Any

_OURS = "ludens.loading.jit"


def own_function(value: Any) -> Any:
    """Return the function of a rule that we compile, anything else as it is."""
    compiler = getattr(value, "_compiler", None) if _is_numba(value) else None
    made_by = getattr(compiler, "pipeline_class", None)
    return value.py_func if getattr(made_by, "__module__", "") == _OURS else value


def parts_of(value: Any) -> tuple[Any, ...] | None:
    """Return what an object of Numba depends on, None if it is none that we know."""
    if not _is_numba(value):
        return None
    kind = type(value).__name__
    if hasattr(value, "py_func") and hasattr(value, "targetoptions"):
        return _parts_of_dispatcher(value)
    if kind == "DUFunc":
        return (
            kind,
            value.identity,
            value.types,
            *_parts_of_dispatcher(value._dispatcher),
        )
    if kind == "GUFunc":
        builder = value.gufunc_builder
        options = builder.targetoptions
        return (kind, builder.signature, value.types, builder.py_func, options)
    if kind == "_Intrinsic":
        return (kind, value._name, value._defn)
    if kind == "JitClassType":
        made = value.class_type
        methods = (made.jit_methods, made.jit_props, made.jit_static_methods)
        return (kind, [(name, str(of)) for name, of in made.struct.items()], *methods)
    return (kind, str(value)) if _is_type(value) else None


def trouble_with(value: Any) -> str:
    """Say why code that we keep cannot contain a function of Numba; "" if it can."""
    if not _is_numba(value):
        return ""
    made = getattr(value, "_dispatcher", None)
    made = made or getattr(value, "gufunc_builder", None) or value
    kept = getattr(made, "_cache", None) or getattr(made, "cache", None)
    if kept and type(kept).__name__ != "NullCache":
        return "compiled with cache=True: Numba misses edits in other files"
    if getattr(made, "targetoptions", {}).get("parallel"):
        return "compiled with parallel=True: kept code cannot start its threads"
    return ""


def overloads_of(value: Any) -> list[Any]:
    """Return the functions that stand for a callable in compiled code."""
    templates = sys.modules.get("numba.core.typing.templates")
    if templates is None:
        return []
    known = templates.builtin_registry.globals
    return _overloads(len(known)).get(id(value), [])


def methods_named(name: str) -> list[Any]:
    """Return the functions that stand for methods or attributes of a name."""
    templates = sys.modules.get("numba.core.typing.templates")
    if templates is None:
        return []
    return _methods(len(templates.builtin_registry.attributes)).get(name, [])


@cache
def _overloads(_count: int) -> dict[int, list[Any]]:
    """Return the overloads of others than Numba by the ids of what they stand for.

    Those that are registered are never taken away again: their number tells versions.
    """
    from numba.core.typing.templates import builtin_registry

    found: dict[int, list[Any]] = {}
    for value, kind in builtin_registry.globals:
        for template in getattr(kind, "templates", ()):
            for function in _foreign(template):
                found.setdefault(id(value), []).append(function)
    return found


@cache
def _methods(_count: int) -> dict[str, list[Any]]:
    from numba.core.typing.templates import builtin_registry

    found: dict[str, list[Any]] = {}
    for template in builtin_registry.attributes:
        for function in _foreign(template):
            found.setdefault(getattr(template, "_attr", ""), []).append(function)
    return found


def _foreign(template: Any) -> Iterator[Any]:
    function = getattr(template, "_overload_func", None)
    home = getattr(function, "__module__", None) or "numba"
    if function is not None and home.partition(".")[0] != "numba":
        yield function


def _parts_of_dispatcher(value: Any) -> tuple[Any, ...]:
    signatures = () if getattr(value, "_can_compile", True) else value.signatures
    options = {k: v for k, v in value.targetoptions.items() if v is not None}
    made_by = getattr(getattr(value, "_compiler", None), "pipeline_class", None)
    texts = [str(signature) for signature in signatures]
    return ("compiled", value.py_func, options, texts, made_by)


def _is_numba(value: Any) -> bool:
    return type(value).__module__.partition(".")[0] == "numba"


def _is_type(value: Any) -> bool:
    return isinstance(value, sys.modules["numba.core.types"].Type)
