"""What sinks call the metrics and settings of a run."""

import math
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from typing import Any

EVENTS = "tensorboard"
"""The folder of a run for TensorBoard."""
_BOOKKEEPING = {"iteration", "began", "next_number"}
_GROUPS = {
    "loss": "loss",
    "elo": "strength",
    "score": "strength",
    "length": "strength",
    "truth": "truth",
    "lost": "truth",
    "gate": "strength",
    "published": "strength",
    "absurd": "learn",
    "cluster": "cluster",
    "seconds": "time",
    "lr": "learn",
    "grad": "learn",
    "steps": "learn",
    "skipped": "learn",
    "merged": "learn",
    "clipped": "learn",
    "importance": "learn",
    "kl": "learn",
    "net": "learn",
    "ready": "learn",
    "sample": "learn",
    "value": "learn",
    "weight": "learn",
    "window": "learn",
}
"""By the first word of a metric; others are of self-play."""


def scalars(metrics: Mapping[str, Any]) -> dict[str, float]:
    """Return the finite numbers among the metrics, under names in groups."""
    return {
        tag_of(name): float(value)
        for name, value in metrics.items()
        if name not in _BOOKKEEPING and _is_number(value)
    }


def live_scalars(figures: Mapping[str, float]) -> dict[str, float]:
    """Return figures from within an iteration, apart from those of whole ones."""
    return {f"live/{name}": x for name, x in figures.items() if _is_number(x)}


def tag_of(name: str) -> str:
    """Return the name of a metric with its group: "loss_value" is "loss/value"."""
    if name.endswith("_per_s"):
        return f"speed/{name}"
    word, _, rest = name.partition("_")
    group = _GROUPS.get(word, "selfplay")
    if group != word and group != "time":
        return f"{group}/{name}"
    return f"{group}/{rest or 'total'}"


def settings(config: Any) -> dict[str, str]:
    """Return the settings of a config by names such as "learn.lr"."""
    found: dict[str, str] = {}
    for field in fields(config):
        value = getattr(config, field.name)
        if is_dataclass(value):
            found |= {f"{field.name}.{k}": v for k, v in settings(value).items()}
        else:
            found[field.name] = str(value)
    return found


def ended_s(metrics: Mapping[str, Any], now_s: float) -> float:
    """Return when an iteration ended; now, if it has only just done so."""
    return metrics["began"] + metrics["seconds"] if "began" in metrics else now_s


def _is_number(value: Any) -> bool:
    if isinstance(value, str) or value is None:
        return False
    try:
        return math.isfinite(value)
    except TypeError:
        return False
