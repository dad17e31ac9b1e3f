"""Files written whole or not at all, and named arrays as one file."""

import json
import os
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from safetensors.numpy import save

from ludens.errors import UserError


def write_text(path: Path, text: str) -> None:
    """Write a text so that a crash leaves the old one or the new one."""
    write_bytes(path, text.encode("utf-8"))


def write_bytes(path: Path, content: bytes) -> None:
    """Write a file so that a crash leaves the old one or the new one."""
    draft = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        with draft.open("wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        draft.replace(path)
        _sync_folder(path.parent)
    except OSError as error:
        with suppress(OSError):
            draft.unlink()
        raise UserError(f"cannot write {path}: {error.strerror}") from None


def _sync_folder(folder: Path) -> None:
    """Make a rename last; where a folder cannot be opened (Windows), it does so."""
    with suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def pack_tensors(
    tensors: Mapping[str, NDArray[Any]], metadata: Mapping[str, str]
) -> bytes:
    """Return a safetensors file: the same contents give the same bytes.

    The library writes metadata in another order in every process.
    """
    arrays = {name: np.asarray(array, order="C") for name, array in tensors.items()}
    content = save(arrays, dict(metadata))
    start = 8 + int.from_bytes(content[:8], "little")
    header = json.loads(content[8:start])
    header["__metadata__"] = dict(sorted(metadata.items()))
    text = json.dumps(header, separators=(",", ":"), ensure_ascii=False).encode()
    text += b" " * (-len(text) % 8)  # what follows is aligned
    return len(text).to_bytes(8, "little") + text + content[start:]
