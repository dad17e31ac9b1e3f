"""Write files whole or not at all."""

import os
from contextlib import suppress
from pathlib import Path

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
