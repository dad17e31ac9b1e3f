"""Strict JSON: no NaN, no infinities."""

import json
import math
from typing import Any


def to_json(value: Any, indent: int | None = None, *, compact: bool = False) -> str:
    """Return JSON with null for numbers that are not finite; NumPy numbers are fine."""
    how: dict[str, Any] = {"indent": indent, "default": _plain, "allow_nan": False}
    how["separators"] = (",", ":") if compact else None
    try:
        return json.dumps(value, **how)
    except ValueError:  # a number that is not finite; looking for it takes time
        return json.dumps(_finite(value), **how)


def _plain(value: Any) -> Any:
    """Return a NumPy number as one of Python's."""
    if not hasattr(value, "item"):
        raise TypeError(f"{type(value).__name__} has no form in JSON")
    return _finite(value.item())


def _finite(value: Any) -> Any:
    """Replace numbers that are not finite by None."""
    if isinstance(value, float) and not math.isfinite(value):
        return None
    if isinstance(value, dict):
        return {key: _finite(one) for key, one in value.items()}
    return [*map(_finite, value)] if isinstance(value, (list, tuple)) else value
