"""Files written whole or not at all, and the one file format for arrays."""

import hashlib
import json
import os
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from safetensors import SafetensorError
from safetensors.numpy import load, save

from ludens.errors import UserError

Tensors = dict[str, NDArray[Any]]
Texts = dict[str, str]


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


def read_bytes(path: Path, max_bytes: int, what: str) -> bytes:
    """Read a file that is not too large for what it should be."""
    try:
        if path.stat().st_size > max_bytes:
            raise UserError(f"{path} is too large for {what}")
        return path.read_bytes()
    except OSError as error:
        why = error.strerror or "it cannot be opened"
        raise UserError(f"cannot read {path}: {why}") from None


def _sync_folder(folder: Path) -> None:
    """Make a rename durable; Windows, which cannot open a folder, needs no help."""
    with suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


@dataclass(frozen=True)
class TensorFormat:
    """A kind of file: named arrays and texts about them, with a checksum of both.

    The file is a safetensors file. The same contents give the same bytes.
    """

    name: str
    """What the file says that it is, with a version."""
    what: str
    """What it is called in an error message."""
    max_bytes: int = 2**33
    older: tuple[str, ...] = ()
    """Names of former versions, which are read without looking at a checksum."""

    def pack(
        self, tensors: Mapping[str, NDArray[Any]], texts: Mapping[str, str]
    ) -> bytes:
        """Return the contents of a file."""
        arrays = {name: np.asarray(a, order="C") for name, a in tensors.items()}
        checksum = _checksum(arrays, texts)
        return _encode(arrays, {"format": self.name, "sha256": checksum, **texts})

    def unpack(self, content: bytes, source: Path | str) -> tuple[Tensors, Texts]:
        """Return the arrays and texts of a file; `source` is its name in errors."""
        try:
            tensors = load(content)
            start = 8 + int.from_bytes(content[:8], "little")
            texts = json.loads(content[8:start]).get("__metadata__") or {}
        except (SafetensorError, KeyError, ValueError, OverflowError):
            raise UserError(
                f"{source} is not {self.what}: it is no .safetensors file"
            ) from None
        version, checksum = texts.pop("format", ""), texts.pop("sha256", "")
        if version in self.older:
            return tensors, texts
        if version != self.name:
            raise UserError(
                f"{source} is not {self.what} of this version ({self.name})"
            )
        if checksum != _checksum(tensors, texts):
            raise UserError(f"{source} is damaged: its checksum is wrong")
        return tensors, texts

    def read(self, path: Path) -> tuple[Tensors, Texts]:
        """Return the arrays and texts of a file, or say in one line what is wrong."""
        return self.unpack(read_bytes(path, self.max_bytes, self.what), path)


def _checksum(tensors: Mapping[str, NDArray[Any]], texts: Mapping[str, str]) -> str:
    """Return the SHA-256 of texts and arrays, both in the order of their names."""
    digest = hashlib.sha256("".join(texts[name] for name in sorted(texts)).encode())
    for name in sorted(tensors):
        array = tensors[name]
        digest.update(f"{name} {array.dtype} {array.shape}\n".encode())
        digest.update(np.ascontiguousarray(array).tobytes())
    return digest.hexdigest()


def _encode(tensors: Tensors, metadata: Texts) -> bytes:
    """Return a safetensors file whose metadata are in the order of their names.

    The library writes them in another order in every process.
    """
    content = save(tensors, metadata)
    start = 8 + int.from_bytes(content[:8], "little")
    header = json.loads(content[8:start])
    header["__metadata__"] = dict(sorted(metadata.items()))
    text = json.dumps(header, separators=(",", ":"), ensure_ascii=False).encode()
    text += b" " * (-len(text) % 8)  # what follows is aligned
    return len(text).to_bytes(8, "little") + text + content[start:]
