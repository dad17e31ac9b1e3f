"""Nodes of a cluster on this machine: started, joined to a head, stopped.

`ray start` does the work, in a process that lives as long as its node.
"""

import json
import os
import shutil
import signal
import socket
import stat
import subprocess
import sys
import time
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path

from ludens.cluster.address import (
    RAYS,
    check_address,
    environment,
    temporary_folder,
)
from ludens.cluster.token import make_token
from ludens.errors import UserError, command, require_extra
from ludens.files import make_folder, read_bytes, write_text
from ludens.formats.words import printable

PORT = 6380
"""Of a head; Ray's own default is that of Redis."""
RAYS_PORTS = range(10001, 20000)
"""Of its client server and its workers, by default; Ray refuses a head there."""
START_S = 180.0
STOP_S = 8.0
LOOK_S = 0.2
STORE_BYTES = 2**29
SYSTEM = {
    "health_check_period_ms": 1000,
    "health_check_timeout_ms": 2000,
    "health_check_failure_threshold": 3,
}
"""A node that is killed is missed after 3 seconds, by default after 13."""
_started: "list[subprocess.Popen[bytes]]" = []
"""Python complains of a process that outlives the object it was started by."""
STARTED = b"Ray runtime started"
_MAX_BYTES = 2**20


@dataclass(frozen=True)
class Node:
    """A node that was started here."""

    pid: int
    address: str
    """Of its head."""
    is_head: bool

    @property
    def is_alive(self) -> bool:
        """Whether its process is there, and is still that one."""
        try:
            line = Path(f"/proc/{self.pid}/cmdline").read_bytes()
        except OSError:
            with suppress(OSError):
                os.kill(self.pid, 0)
                return not Path("/proc/self").exists()
            return False
        return b"ray.scripts" in line


def node_folder() -> Path:
    """Return where a node of ours keeps its files."""
    owner = os.getuid() if hasattr(os, "getuid") else "user"
    return Path(temporary_folder()) / f"ludens-ray-{owner}"


def find_node() -> Node | None:
    """Return the node that was started here, if it is still there."""
    path = node_folder() / "node.json"
    if not _is_ours(path.parent):
        return None
    try:
        node = Node(**json.loads(read_bytes(path, _MAX_BYTES, "a node")))
    except (UserError, ValueError, TypeError):
        return None
    return node if node.is_alive else None


def start_head(host: str = "", port: int = PORT, cpus: int | None = None) -> Node:
    """Start the head of a cluster on this machine, with a token of its own."""
    require_extra("cluster", "a cluster")
    _refuse_second()
    make_token()
    host = host or _own_address()
    _refuse_taken(host, port)
    how = [
        *("--head", f"--node-ip-address={host}", f"--port={port}"),
        *(
            "--include-dashboard=false",
            "--disable-usage-stats",
        ),
        f"--system-config={json.dumps(SYSTEM)}",
    ]
    return _start(f"{host}:{port}", how, cpus, is_head=True)


def join(address: str, cpus: int | None = None) -> Node:
    """Start a node on this machine that belongs to the head at an address."""
    check_address(address)
    _refuse_second()
    return _start(address, [f"--address={address}"], cpus, is_head=False)


def stop() -> Node:
    """End the node that was started here, and all that it has started."""
    node = find_node()
    if node is None:
        raise UserError("no node of a cluster was started here")
    os.kill(node.pid, signal.SIGTERM)
    end_s = time.monotonic() + STOP_S
    while node.is_alive and time.monotonic() < end_s:
        time.sleep(LOOK_S)
    with suppress(OSError):
        os.killpg(node.pid, signal.SIGKILL)
    for process in _started:
        process.poll()
    with suppress(OSError):
        (node_folder() / "node.json").unlink()
    shutil.rmtree(node_folder() / RAYS, ignore_errors=True)
    return node


def _start(address: str, how: list[str], cpus: int | None, is_head: bool) -> Node:
    """Run `ray start` until the node is up; what is wrong is one line."""
    folder = node_folder()
    make_folder(folder)
    if not _is_ours(folder):
        raise UserError(f"{folder} belongs to somebody else")
    folder.chmod(0o700)
    size = [] if cpus is None else [f"--num-cpus={cpus}"]
    usual = ["--block", "--include-log-monitor=false", f"--temp-dir={folder / RAYS}"]
    usual.append(f"--object-store-memory={STORE_BYTES}")
    log = folder / "log.txt"
    with log.open("wb") as output:
        process = subprocess.Popen(
            [sys.executable, "-m", "ray.scripts.scripts", "start", *how, *usual, *size],
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            env=environment(),
            start_new_session=True,
        )
    _started.append(process)
    node = Node(process.pid, address, is_head)
    write_text(folder / "node.json", json.dumps(asdict(node)))
    end_s = time.monotonic() + START_S
    while STARTED not in (said := read_bytes(log, _MAX_BYTES, "a log")):
        if process.poll() is not None or time.monotonic() > end_s:
            with suppress(OSError):
                os.killpg(process.pid, signal.SIGKILL)
            raise UserError(_why_not(address, said, is_head))
        time.sleep(LOOK_S)
    return node


def _is_ours(folder: Path) -> bool:
    """Tell whether a folder is ours: where it is, others may make one of its name."""
    with suppress(OSError):
        about = folder.lstat()
        is_owner = not hasattr(os, "getuid") or about.st_uid == os.getuid()
        return is_owner and stat.S_ISDIR(about.st_mode)
    return False


def _why_not(address: str, said: bytes, is_head: bool) -> str:
    """Say in one line why a node has not come up."""
    lines = [line.strip() for line in said.decode("utf-8", "replace").splitlines()]
    last = printable(next((line for line in reversed(lines) if line), "nothing"))[:200]
    if not is_head and ("uthentication" in last or "onnect" in last or "token" in last):
        return f"the cluster {address} refuses us; is our token that of its head?"
    return f"cannot start a node of {address}: {last}"


def _refuse_second() -> None:
    node = find_node()
    if node is not None:
        how = command("cluster", "stop")
        raise UserError(f"a node of {node.address} runs here already; end it: {how}")


def _refuse_taken(host: str, port: int) -> None:
    """Refuse an address that this machine has not, or a port that is in use."""
    if port in RAYS_PORTS:
        first, last = RAYS_PORTS[0], RAYS_PORTS[-1]
        raise UserError(f"cannot take port {port}: Ray uses {first} to {last} itself")
    with socket.socket() as door:
        door.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            door.bind((host, port))
        except (OSError, OverflowError) as error:
            why = getattr(error, "strerror", None) or str(error)
            raise UserError(f"cannot listen at {host}:{port}: {why}") from None


def _own_address() -> str:
    """Return the address by which other machines reach this one; nothing is sent."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as door:
        try:
            door.connect(("192.0.2.1", 9))
            return str(door.getsockname()[0])
        except OSError:
            return "127.0.0.1"
