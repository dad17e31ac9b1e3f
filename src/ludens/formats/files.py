"""Write files whole or not at all."""

import os
from contextlib import suppress
from pathlib import Path

from ludens.errors import UserError


def write_text(path: Path, text: str) -> None:
    """Write a file so that a crash leaves the old one or the new one."""
    write_bytes(path, text.encode())


def write_bytes(path: Path, content: bytes) -> None:
    """Write a file so that a crash or a loss of power leaves the old or the new one."""
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
    """Make a new name in a folder outlast a loss of power."""
    if os.name == "nt":  # where a folder cannot be opened
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
