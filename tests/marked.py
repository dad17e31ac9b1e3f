"""Cases of a test, of which some are for `make slow` only."""

from collections.abc import Iterable
from typing import Any

import pytest


def quick(names: Iterable[str], *kept: str) -> list[Any]:
    """Return the names as cases; those that are not kept are slow."""
    return [
        name if name in kept else pytest.param(name, marks=pytest.mark.slow)
        for name in names
    ]
