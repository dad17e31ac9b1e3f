"""What an edit is not expected in: Python, NumPy and Numba, known by their versions."""

import os
import sys
import sysconfig
from functools import cache
from importlib.util import find_spec
from pathlib import Path


@cache
def _folders() -> tuple[str, ...]:
    found = [sysconfig.get_path(name) for name in ("stdlib", "platstdlib")]
    for name in ("numpy", "numba", "llvmlite"):
        spec = find_spec(name)
        if spec is not None and spec.origin is not None:
            found.append(str(Path(spec.origin).parent))
    return (*(f"{folder}{os.sep}" for folder in found), "<frozen ")


@cache
def is_of_library(file: str) -> bool:
    """Tell whether a file belongs to what is hashed by its version."""
    homes = [home for home in _folders() if file.startswith(home)]
    return bool(homes) and "-packages" not in file[max(map(len, homes)) :]


def is_library(name: str | None) -> bool:
    """Tell whether a module belongs to what is hashed by its version."""
    module = sys.modules.get(name or "")
    file = getattr(module, "__file__", None)
    if module is None or file is None:
        return name is not None and name.partition(".")[0] in sys.stdlib_module_names
    return is_of_library(file)
