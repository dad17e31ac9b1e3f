"""The token of a cluster: who has it may run code there, so only its owner reads it."""

import os
import secrets
import stat
from pathlib import Path

import platformdirs

from ludens.errors import UserError, command
from ludens.files import open_plain, read_bytes

MAX_BYTES = 1000
_FEWEST = 32
"""Characters of a token."""


def token_file() -> Path:
    """Return where the token is; LUDENS_TOKEN names another file."""
    given = os.environ.get("LUDENS_TOKEN")
    if given:
        return Path(given).absolute()
    return Path(platformdirs.user_config_dir("ludens", appauthor=False)) / "token"


def make_token() -> Path:
    """Return the file of the token, written for us alone if it is not there."""
    path = token_file()
    if not path.exists():
        try:
            path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            handle = open_plain(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL)
            with os.fdopen(handle, "w") as file:
                os.fchmod(handle, 0o600)
                file.write(new_token())
        except OSError as error:
            raise UserError(f"cannot write {path}: {error.strerror}") from None
    check_token()
    return path


def new_token() -> str:
    """Return a token that nobody can guess."""
    return secrets.token_hex(32)


def check_token() -> Path:
    """Return the file of the token; refuse one that others may read, or none."""
    path = token_file()
    if not path.exists():
        raise UserError(
            f"there is no token {path}; copy it from the head of the cluster, where"
            f" `{command('cluster', 'start')}` has written it"
        )
    if os.name == "posix" and stat.S_IMODE(path.stat().st_mode) & 0o077:
        raise UserError(f"others may read the token: chmod 600 {path}")
    text = read_bytes(path, MAX_BYTES, "a token").decode("ascii", "replace").strip()
    if len(text) < _FEWEST or not text.isalnum():
        raise UserError(f"{path} holds no token")
    return path
