"""Rules that are read again when their files change, while pages go on."""

import threading
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from ludens.errors import UserError
from ludens.loading.watched import POLL_S, Watched
from ludens.web.library import Library


@dataclass
class Rereading:
    """The rules files of a library, watched by a thread of its own.

    A file that does not load leaves the rules as they were.
    """

    library: Library
    names: Iterable[str]
    say: Callable[[str], None] = print
    versions: dict[str, int] = field(default_factory=dict)
    """How often each game was read."""
    troubles: dict[str, str] = field(default_factory=dict)
    """Why the newest version of a file does not load."""

    def __post_init__(self) -> None:
        files = self.library.files
        self._watched = {name: Watched(files[name]) for name in self.names}
        self._is_closed = threading.Event()
        for name in self._watched:
            self._read(name)

    def begin(self) -> None:
        """Begin to watch."""
        threading.Thread(target=self._watch, name="rereading", daemon=True).start()

    def close(self) -> None:
        """End the thread."""
        self._is_closed.set()

    def _watch(self) -> None:
        while not self._is_closed.wait(POLL_S):
            self.look()

    def look(self) -> None:
        """Read what has changed."""
        for name, watched in self._watched.items():
            if changed := watched.changed():
                files = ", ".join(file.name for file in changed)
                self._read(name)
                self.say(self.troubles.get(name) or f"{name}: {files} changed")

    def _read(self, name: str) -> None:
        self.troubles.pop(name, None)
        try:
            with self._watched[name].reading():
                self.library.reread(name)
        except UserError as error:
            self.troubles[name] = str(error)
        self.versions[name] = self.versions.get(name, 0) + 1
