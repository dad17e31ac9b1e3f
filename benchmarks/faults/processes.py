"""Processes that begin at once, and folders in memory for them to work in."""

import multiprocessing
import os
import shutil
from collections.abc import Callable
from contextlib import suppress
from multiprocessing.connection import Connection
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

_IN_MEMORY = Path("/dev/shm")
_ROOM_BYTES = 2**26
_PROCESSES = multiprocessing.get_context("forkserver")
_PROCESSES.set_forkserver_preload(
    [
        *("ludens.store.run", "ludens.cli.session", "ludens.cli.train"),
        *("ludens.loading.game", "ludens.nets.weights"),
        f"{__package__}.dying",  # found only if it is below the working folder
    ]
)


def start(target: Callable[..., None], *arguments: object) -> Any:
    """Start a process with the environment of this one as it is now."""
    process = _PROCESSES.Process(
        target=_run, args=(dict(os.environ), target, arguments)
    )
    process.start()
    return process


def _run(
    environment: dict[str, str], target: Callable[..., None], arguments: Any
) -> None:
    os.environ.clear()  # that of the server which processes come from is an older one
    os.environ.update(environment)
    target(*arguments)


def end(process: Any) -> int:
    """Wait for the end of a process; return its exit code, -9 if it was killed."""
    process.join()
    code = int(process.exitcode)
    process.close()
    return code


def start_telling(
    target: Callable[..., None], *arguments: object
) -> tuple[Any, Connection]:
    """Start a process with a pipe as its last argument; return our end of it, too."""
    reader, told = _PROCESSES.Pipe(duplex=False)
    with told:  # the process has one of its own, and ends it when it dies
        return start(target, *arguments, told), reader


def start_talking(
    target: Callable[..., None], *arguments: object
) -> tuple[Any, Connection]:
    """Start a process that hears, too; return our end of its pipe."""
    ours, theirs = _PROCESSES.Pipe()
    with theirs:
        return start(target, *arguments, theirs), ours


def hear(reader: Connection) -> list[Any]:
    """Return all that a process tells until it ends."""
    found = []
    with reader, suppress(EOFError, OSError):  # a killed one tells half a message
        while True:
            found.append(reader.recv())
    return found


def scratch() -> TemporaryDirectory[str]:
    """Return a folder, in memory where there is room: a kill does not ask the disk."""
    return TemporaryDirectory(dir=_IN_MEMORY if _has_room() else None)


def _has_room() -> bool:
    if not os.access(_IN_MEMORY, os.W_OK):
        return False
    return shutil.disk_usage(_IN_MEMORY).free > _ROOM_BYTES
