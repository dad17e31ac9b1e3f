"""The state of a learner as a file: named arrays with a checksum of their own."""

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from numpy.typing import NDArray
from safetensors import SafetensorError, safe_open

from ludens.errors import UserError
from ludens.files import pack_tensors, write_bytes

Tensors = dict[str, NDArray[Any]]
_FORMAT = "ludens-state-1"


def save_state(tensors: Mapping[str, NDArray[Any]], iteration: int, path: Path) -> str:
    """Write the state of a learner whole or not at all; return the file's SHA-256."""
    metadata = {
        "format": _FORMAT,
        "iteration": str(iteration),
        "sha256": _checksum(tensors),
    }
    content = pack_tensors(tensors, metadata)
    write_bytes(path, content)
    return hashlib.sha256(content).hexdigest()


def load_state(path: Path, iteration: int) -> Tensors:
    """Read the state of a learner, or say in one line what is wrong with it."""
    try:
        with safe_open(path, framework="numpy") as file:
            metadata = file.metadata() or {}
            if metadata.get("format") != _FORMAT:
                raise UserError(f"{path} is not the state of a learner")
            tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
    except OSError as error:
        raise UserError(f"cannot read {path}: {error.strerror or error}") from None
    except SafetensorError as error:
        raise UserError(f"{path} is not a safetensors file: {error}") from None
    if metadata.get("iteration") != str(iteration):
        raise UserError(f"{path} is of iteration {metadata.get('iteration')}")
    if metadata.get("sha256") != _checksum(tensors):
        raise UserError(f"{path} is corrupt: its checksum is wrong")
    return tensors


def _checksum(tensors: Mapping[str, NDArray[Any]]) -> str:
    """Return the SHA-256 of names, types, shapes and contents."""
    digest = hashlib.sha256()
    for name in sorted(tensors):
        array = tensors[name]
        head = json.dumps([name, array.dtype.str, array.shape])
        digest.update(head.encode())
        digest.update(array.tobytes())
    return digest.hexdigest()
