"""Which cluster to play on, and in one line what is wrong with it."""

import os
import socket
import tempfile
from dataclasses import dataclass

from ludens.cluster.token import check_token
from ludens.cluster.wire import Facts
from ludens.errors import UserError, command, require_extra
from ludens.formats.words import printable

AUTO = "auto"
LOST_CONTACT_S = 20
"""After which Ray gives up a head that is gone; by default after 60 seconds."""
KNOCK_S = 5.0
MOST_WORDS = 200
RAYS = "ray"
"""Ray lets everybody write into the folder that it is given; it lies in one of ours."""
MOST_LETTERS = 15
"""Of the folder above: a socket may have 103, and Ray adds up to 64 to our 24."""
SETTINGS = {
    "RAY_AUTH_MODE": "token",
    "RAY_USAGE_STATS_ENABLED": "0",
    "RAY_gcs_rpc_server_reconnect_timeout_s": str(LOST_CONTACT_S),
}
"""What Ray reads from the environment of each of its processes."""


@dataclass(frozen=True)
class ClusterWish:
    """Which cluster to play on, and how."""

    address: str = AUTO
    """HOST:PORT, or auto: one that is started here."""
    workers: int = 0
    """In all; 0: one a node."""
    threads: int = 0
    """Of a worker; 0: the cores of its node."""
    device: str = "auto"
    precision: str = "auto"


def check_address(address: str) -> None:
    """Refuse an address that cannot be one, or at which nobody listens."""
    require_extra("cluster", "a cluster")
    if address == AUTO:
        return
    host, port = split_address(address)
    check_token()
    try:
        socket.create_connection((host, port), KNOCK_S).close()
    except OSError as error:
        why = error.strerror or str(error)
        raise UserError(f"there is no cluster at {address}: {why}") from None


def split_address(address: str) -> tuple[str, int]:
    """Return the host and the port of an address."""
    host, _, port = address.rpartition(":")
    if not host or "/" in host or not port.isdecimal() or not 0 < int(port[:6]) < 2**16:
        raise UserError(f"a cluster cannot be at {address!r}; write auto or HOST:PORT")
    return host, int(port)


def environment(token: str = "") -> dict[str, str]:
    """Return the environment of a process of Ray; no token: that of our file."""
    keys = {"RAY_AUTH_TOKEN": token}
    if not token:
        keys = {"RAY_AUTH_TOKEN_PATH": str(check_token())}
    ours = {name: text for name, text in os.environ.items() if "RAY_AUTH" not in name}
    return {**ours, **SETTINGS, **keys}


def temporary_folder() -> str:
    """Return a folder for Ray's files; the names of its sockets may not be long."""
    usual = tempfile.gettempdir()
    return usual if len(usual) <= MOST_LETTERS else "/tmp"


def why_failed(address: str, facts: Facts) -> str:
    """Say in one line why Ray could not be reached."""
    said = printable(str(facts.get("why", "")))[:MOST_WORDS]
    if "node_ip_address" in said or "node_manager" in said:
        join = command("cluster", "join", address, "--cpus", "0")
        return f"this machine is not in the cluster {address}; join it: {join}"
    if facts.get("kind") in ("ConnectionError", "AuthenticationError"):
        return f"the cluster {address} refuses us; is our token that of its head?"
    return f"cannot use the cluster {address}: {said}"
