"""The state of a learner as a file."""

import hashlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ludens.errors import UserError
from ludens.files import TensorFormat, Tensors, write_bytes

FORMAT = TensorFormat(
    "ludens state 2", "the state of a learner", older=("ludens-state-1",)
)


def save_state(tensors: Mapping[str, NDArray[Any]], iteration: int, path: Path) -> str:
    """Write the state of a learner whole or not at all; return the file's SHA-256."""
    content = FORMAT.pack(tensors, {"iteration": str(iteration)})
    write_bytes(path, content)
    return hashlib.sha256(content).hexdigest()


def state_from_bytes(content: bytes, iteration: int, source: Path | str) -> Tensors:
    """Return the state that a file holds; `source` is its name in errors."""
    tensors, texts = FORMAT.unpack(content, source)
    if texts.get("iteration") != str(iteration):
        raise UserError(f"{source} is of iteration {texts.get('iteration')}")
    for name, array in tensors.items():
        if not np.isfinite(array).all():
            raise UserError(f"{source} has numbers that are not finite ({name})")
    return tensors
