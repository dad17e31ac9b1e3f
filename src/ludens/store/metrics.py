"""The metrics of an iteration as text: plain numbers, and the results of matches."""

import json
import math
from collections.abc import Mapping
from typing import Any

MATCHES = "matches"
_MATCH = (str, str, int, int, int)
"""Player, opponent, wins, draws, losses."""
_MAX_INTEGER = 2**63


def to_text(metrics: Mapping[str, Any]) -> str:
    """Return metrics as JSON, which knows neither NaN nor the numbers of NumPy."""
    plain = {name: _checked(name, _plain(value)) for name, value in metrics.items()}
    return json.dumps(plain)


def _plain(value: Any) -> Any:
    if hasattr(value, "item"):
        value = value.item()
    return None if isinstance(value, float) and not math.isfinite(value) else value


def from_text(text: Any) -> dict[str, Any]:
    """Return the metrics of a text; ValueError if it does not hold metrics."""
    try:
        found = json.loads(text)
    except (TypeError, RecursionError):
        raise ValueError("they are not JSON of ours") from None
    if not isinstance(found, dict):
        raise ValueError("they are no object of JSON")
    return {name: _checked(name, value) for name, value in found.items()}


def _checked(name: str, value: Any) -> Any:
    """Return a value that is what its name promises, whoever wrote it."""
    is_fine = value is None or (
        _are_matches(value) if name == MATCHES else _is_number(value)
    )
    if not is_fine:
        raise ValueError(f"{name} is not a number")
    return value


def _is_number(value: Any) -> bool:
    if isinstance(value, int):
        return -_MAX_INTEGER < value < _MAX_INTEGER
    return isinstance(value, float) and math.isfinite(value)


def _are_matches(value: Any) -> bool:
    return isinstance(value, list) and all(
        isinstance(match, list)
        and tuple(map(type, match)) == _MATCH
        and all(_is_number(n) for n in match if isinstance(n, int))
        for match in value
    )
