"""Heads and nodes of a cluster on this machine, and the processes they consist of."""

import os
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from ludens.cluster import nodes


class Head:
    """A cluster of our own: its head, with a token, and nodes that join it."""

    def __init__(self, folder: Path, cpus: int) -> None:
        self.folder, self.cpus, self.port = folder, cpus, free_port()
        self.address = f"127.0.0.1:{self.port}"
        self._num_nodes = 0
        os.environ["LUDENS_TOKEN"] = str(folder / "token")

    def start(self) -> None:
        """Start the head, or start it again where it was."""
        with living_in(self.folder / "head"):
            nodes.start_head("127.0.0.1", self.port, self.cpus)

    def join(self, cpus: int) -> Path:
        """Start another node; return its folder."""
        self._num_nodes += 1
        folder = self.folder / f"n{self._num_nodes}"
        with living_in(folder):
            nodes.join(self.address, cpus)
        return folder

    def stop(self, folder: Path | None = None) -> None:
        """Stop a node, or all of the cluster."""
        for one in [folder] if folder else list(self.folder.iterdir()):
            with living_in(one), suppress(Exception):
                nodes.stop()

    def pids(self, program: str, folder: Path | None = None) -> list[int]:
        """Return the processes of a program, such as raylet, of a node or of all."""
        return pids_of(str(folder or self.folder), program)


@contextmanager
def living_in(folder: Path) -> Iterator[None]:
    """Let the node of this machine be the one of a folder."""
    before, nodes.node_folder = nodes.node_folder, lambda: folder
    try:
        yield
    finally:
        nodes.node_folder = before


@contextmanager
def head(cpus: int) -> Iterator[Head]:
    """Give a cluster with so many cores; then end it."""
    folder = Path(tempfile.mkdtemp(prefix="lr-"))  # short, as paths of sockets are
    one = Head(folder, cpus)
    try:
        one.start()
        yield one
    finally:
        one.stop()
        shutil.rmtree(folder, ignore_errors=True)


def free_port() -> int:
    """Return a port that nobody listens on."""
    with socket.socket() as door:
        door.bind(("127.0.0.1", 0))
        return int(door.getsockname()[1])


def pids_of(*words: str) -> list[int]:
    """Return the processes whose command line has all these words."""
    found = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        with suppress(OSError):
            line = path.read_bytes().replace(b"\0", b" ").decode("utf-8", "replace")
            if all(word in line for word in words):
                found.append(int(path.parent.name))
    return [pid for pid in found if pid != os.getpid()]


def descendants(pid: int) -> list[int]:
    """Return the processes that a process has started, and these in turn."""
    said = subprocess.run(["ps", "-eo", "pid=,ppid="], capture_output=True, text=True)
    pairs = [tuple(map(int, line.split())) for line in said.stdout.splitlines()]
    found, new = list[int](), [pid]
    while new:
        new = [child for child, parent in pairs if parent in new]
        found += new
    return found


def processes() -> list[int]:
    """Return all of the node here; command lines of workers do not name it."""
    node = nodes.find_node()
    return [] if node is None else [node.pid, *descendants(node.pid)]


def is_alive(pid: int) -> bool:
    """Tell whether a process is there and no zombie."""
    with suppress(OSError):
        text = Path(f"/proc/{pid}/stat").read_text()
        return text.rpartition(")")[2].split()[0] != "Z"
    return False


def wait_until_gone(pids: list[int], patience_s: float) -> float | None:
    """Return after how many seconds all processes were gone; None if some stay."""
    began_s = time.monotonic()
    while time.monotonic() - began_s < patience_s:
        if not any(map(is_alive, pids)):
            return time.monotonic() - began_s
        time.sleep(0.1)
    for pid in filter(is_alive, pids):
        with suppress(OSError):
            os.kill(pid, signal.SIGKILL)
    return None
