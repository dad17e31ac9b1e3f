"""The files that rules come from, so that an edit of any of them is noticed.

A game reads its own file and its parts, modules beside them, and tables. Whatever is
opened while it is loaded counts, except what belongs to Python, to packages or to us.
"""

import os
import site
import sys
import sysconfig
import threading
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

from ludens.loading.cache import cache_folder

POLL_S = 0.3
_ACCESS = os.O_RDONLY | os.O_WRONLY | os.O_RDWR
_OURS = Path(__file__).parents[1]
Stamp = tuple[int, int] | None
"""When a file was changed and its size; None if it is not there."""
_noted: dict[int, dict[Path, Stamp]] = {}
"""Files opened by threads that are noted, by thread."""


@cache
def _install_hook() -> None:
    """Hear of every file that is opened; Python never lets go of such a hook."""

    def hear(event: str, arguments: tuple[Any, ...]) -> None:
        if event == "open" and _noted and _is_reading(*arguments):
            found = _noted.get(threading.get_ident())
            if found is not None:
                file = Path(os.path.abspath(arguments[0]))
                found.setdefault(file, stamp_of(file))

    sys.addaudithook(hear)


def _is_reading(file: object, _: object, flags: int) -> bool:
    return isinstance(file, (str, os.PathLike)) and flags & _ACCESS == os.O_RDONLY


class Watched:
    """Files that somebody reads rules from, and how they were when he did."""

    def __init__(self, *files: Path) -> None:
        self._first = {file.absolute() for file in files}
        self._stamps: dict[Path, Stamp] = {}
        self._modules: set[str] = set()
        """What was imported, to be imported anew."""

    @property
    def files(self) -> list[Path]:
        """What is watched."""
        return sorted(self._stamps)

    @contextmanager
    def reading(self) -> Iterator[None]:
        """Note what is opened meanwhile; modules of the user are imported anew.

        What was watched before stays so if the reading fails.
        """
        _install_hook()
        for name in self._modules:
            sys.modules.pop(name, None)
        known = set(sys.modules)
        found = _noted[threading.get_ident()] = {}
        kept = {file: stamp_of(file) for file in (*self._first, *self._stamps)}
        try:
            yield
            kept = {file: kept[file] for file in self._first}
        finally:
            del _noted[threading.get_ident()]
            self._modules = {n for n in set(sys.modules) - known if _is_of_user(n)}
            files = {Path(str(sys.modules[n].__file__)) for n in self._modules}
            found |= {file: stamp_of(file) for file in files - found.keys()}
            self._stamps = {f: s for f, s in found.items() if _is_theirs(f)} | kept

    def add(self, files: Iterable[Path]) -> None:
        """Watch files, too, that nobody was seen to open."""
        self._stamps = {file: stamp_of(file) for file in files} | self._stamps

    def changed(self) -> list[Path]:
        """Return the files that are not as they were."""
        return [file for file, was in self._stamps.items() if stamp_of(file) != was]

    def wait(self) -> list[Path]:
        """Wait until files change; return which."""
        while not (changed := self.changed()):
            time.sleep(POLL_S)
        return changed


def stamp_of(file: Path) -> Stamp:
    """Return what tells one version of a file from another."""
    try:
        status = file.stat()
    except OSError:
        return None
    return status.st_mtime_ns, status.st_size


def _is_of_user(name: str) -> bool:
    file = getattr(sys.modules[name], "__file__", None)
    is_ours = name.startswith(("ludens.", "ludens_plain_"))
    return not is_ours and isinstance(file, str) and _is_theirs(Path(file))


def _is_theirs(file: Path) -> bool:
    if file.suffix == ".pyc" or not file.is_file():
        return False
    return not any(file.is_relative_to(home) for home in _homes())


@cache
def _homes() -> tuple[Path, ...]:
    """Return where an edit is not expected: Python, packages, ours, the system's."""
    kept = [sysconfig.get_path(name) for name in ("stdlib", "platstdlib", "purelib")]
    kept += [sys.prefix, *site.getsitepackages(), site.getusersitepackages()]
    system = ("/proc", "/sys", "/dev", "/etc")
    return (*map(Path, (*kept, *system)), _OURS, cache_folder())
