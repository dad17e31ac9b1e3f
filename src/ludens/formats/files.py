"""Write files whole or not at all."""

import os
from contextlib import suppress
from pathlib import Path

from ludens.errors import UserError


def write_text(path: Path, text: str) -> None:
    """Write a file so that a crash leaves the old one or the new one."""
    draft = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        with draft.open("w", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        draft.replace(path)
    except OSError as error:
        with suppress(OSError):
            draft.unlink()
        raise UserError(f"cannot write {path}: {error.strerror}") from None
