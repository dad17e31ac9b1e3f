"""Wait until a source file changes."""

import sys
import time
from collections.abc import Iterable
from pathlib import Path

Stamp = tuple[int, int] | None
"""When a file was last changed and its size; None if it is not there."""


class Watch:
    """Files as they are now: sources, and what lies in a folder data/ beside them."""

    def __init__(self, sources: Iterable[Path]) -> None:
        self._sources = tuple(sources)
        self._stamps = self._look()

    def wait(self, poll_s: float) -> None:
        """Come back when something has changed; what was imported of it is forgotten.

        Then it is read anew by whoever imports it.
        """
        while not (changed := self.changed()):
            time.sleep(poll_s)
        self._stamps = self._look()
        files = {str(path) for path in changed}
        for name, module in list(sys.modules.items()):
            if getattr(module, "__file__", None) in files:
                del sys.modules[name]

    def changed(self) -> set[Path]:
        """Return the files that are new, other than before, or gone."""
        now = self._look()
        known = self._stamps.keys() | now.keys()
        return {path for path in known if self._stamps.get(path) != now.get(path)}

    def _look(self) -> dict[Path, Stamp]:
        folders = {source.parent / "data" for source in self._sources}
        beside = [path for folder in folders for path in _files_in(folder)]
        return {path: _stamp(path) for path in (*self._sources, *beside)}


def _files_in(folder: Path) -> list[Path]:
    try:
        return [path for path in folder.iterdir() if path.is_file()]
    except OSError:
        return []


def _stamp(path: Path) -> Stamp:
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_mtime_ns, found.st_size
