"""The private folder of compiled code: what lies there is run, so only we may write."""

import atexit
import os
import shutil
import stat
import tempfile
from functools import cache
from pathlib import Path
from threading import get_ident

import platformdirs

from ludens.errors import UserError
from ludens.log import say

_STUB = (
    "# Compiled code is kept beside this file, whose name is a hash of its source.\n"
)


def cache_folder() -> Path:
    """Return the private folder of compiled code, made if it is not there.

    LUDENS_CACHE names another one. If the usual one cannot be used, a folder that lives
    as long as this process takes its place.
    """
    given = os.environ.get("LUDENS_CACHE")
    if given:
        return _usable(Path(given).absolute())
    try:
        return _usable(Path(platformdirs.user_cache_dir("ludens")) / "compiled")
    except UserError as error:
        return _passing_folder(str(error))


def _usable(folder: Path) -> Path:
    try:
        _make_private(folder)
        if not folder.is_dir():
            raise NotADirectoryError(0, "it is not a folder")
        _refuse_shared(folder)
        if not os.access(folder, os.W_OK | os.X_OK):
            raise PermissionError(0, "it is not writable")
    except OSError as error:
        raise UserError(
            f"cannot use the cache folder {folder}: {error.strerror}"
        ) from None
    return folder


@cache
def _passing_folder(why: str) -> Path:
    folder = Path(tempfile.mkdtemp(prefix="ludens-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    say(f"{why}; compiled code is not kept this time", "warning")
    return folder


def _make_private(folder: Path) -> None:
    """Make a folder and what is missing above it for us alone, whatever the umask."""
    for place in (*reversed(folder.parents), folder):
        if not place.exists():
            place.mkdir(mode=0o700, exist_ok=True)


def _refuse_shared(folder: Path) -> None:
    """Refuse a folder in which another user could plant code."""
    if not hasattr(os, "getuid"):
        return
    for place in (folder, *folder.resolve().parents):
        facts = place.lstat()
        owners = (os.getuid(),) if place == folder else (os.getuid(), 0)
        is_link = stat.S_ISLNK(facts.st_mode)
        if facts.st_uid not in owners or is_link or _is_open(facts, place == folder):
            where = "it" if place == folder else place
            raise UserError(
                f"the cache folder {folder} is not safe: others may write to {where};"
                " name a private folder in LUDENS_CACHE"
            )


def _is_open(facts: os.stat_result, is_cache: bool) -> bool:
    """Tell whether others may put something into a folder.

    A group that has nobody else in it, as is usual with umask 002, is no stranger.
    Above the cache, a sticky bit keeps others from replacing what is ours.
    """
    writers = facts.st_mode & 0o022
    if not writers or (facts.st_mode & stat.S_ISVTX and not is_cache):
        return False
    return bool(writers & 0o002) or not _is_own_group(facts.st_gid)


def _is_own_group(gid: int) -> bool:
    import grp
    import pwd

    try:
        user, group = pwd.getpwuid(os.getuid()), grp.getgrgid(gid)
    except KeyError:
        return False
    same_name = group.gr_name == user.pw_name and gid == user.pw_gid
    return same_name and not set(group.gr_mem) - {user.pw_name}


def stub_for(name: str, digest: str) -> Path:
    """Return a file for Numba to keep the code of one entry beside, made if need be.

    Numba takes its time and size for the version of the source. They are always the
    same: what tells versions apart is the hash in the name.
    """
    folder = cache_folder()
    stub = folder / f"{name}-{digest}.py"
    if not stub.exists():
        draft = folder / f"{stub.name}.{os.getpid()}.{get_ident()}"
        try:
            draft.write_text(_STUB, encoding="utf-8")
            os.utime(draft, (0, 0))
            draft.replace(stub)
        except OSError as error:
            raise UserError(f"cannot write to {folder}: {error.strerror}") from None
    return stub
