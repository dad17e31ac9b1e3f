"""Environments by name: gym:ID, pyspiel:NAME, pettingzoo:NAME, muzero:FILE.py."""

import re
from importlib.util import find_spec

from ludens.errors import UserError, missing, require_extra
from ludens.loading.environments.environment import Source

KINDS = ("gym", "pyspiel", "pettingzoo", "muzero")
_SAFE = {
    "gym": r"[\w./-]+",
    "pyspiel": r"\w+",
    "pettingzoo": r"\w+",
}
"""Names that lead to installed code only, whoever wrote them."""


def is_environment(spec: str) -> bool:
    """Tell whether a text names an environment, not a game."""
    kind, colon, _ = spec.strip().partition(":")
    return bool(colon) and kind in KINDS


def open_source(spec: str) -> Source:
    """Return where an environment comes from; what it is missing is said in a line."""
    kind, _, name = spec.strip().partition(":")
    if not name:
        raise UserError(f"{spec} names no environment; write {kind}:NAME")
    _require(kind, spec)
    if kind == "gym":
        from ludens.loading.environments.gymnasium_env import gymnasium_source as make
    elif kind == "pyspiel":
        from ludens.loading.environments.pyspiel_env import pyspiel_source as make
    elif kind == "pettingzoo":
        from ludens.loading.environments.pettingzoo_env import pettingzoo_source as make
    else:
        from ludens.loading.environments.muzero_general_env import (
            muzero_general_source as make,
        )
    return make(name)


def check_harmless(spec: str) -> None:
    """Refuse a name out of somebody's file that could run code of his."""
    kind, _, name = spec.strip().partition(":")
    if not re.fullmatch(_SAFE.get(kind, r"(?!)"), name, re.ASCII):
        raise UserError(
            "its environment is code, which is run only if you name it yourself:"
            f" --rules {spec!r}"
        )


def _require(kind: str, spec: str) -> None:
    """Say what to install for a kind of environments, if it is missing."""
    if kind in ("gym", "pettingzoo"):
        require_extra("env", spec)
    if kind == "pettingzoo" and find_spec("pettingzoo") is None:
        raise missing("PettingZoo", spec, ["pettingzoo"])
    if kind == "pyspiel" and find_spec("pyspiel") is None:
        raise missing("OpenSpiel", spec, ["open_spiel"])
