"""One Ray for all tests that need a real one."""

import shutil
import socket
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

sys.path.append(str(Path(__file__).parents[1] / "training"))


PATIENCE = 3000
"""Tenths of a second that workers may take to come where others are at work."""


def free_port() -> int:
    with socket.socket() as door:
        door.bind(("127.0.0.1", 0))
        return int(door.getsockname()[1])


def wait_for_workers(cluster: Any) -> None:
    """Wait until both workers are there."""
    for _ in range(PATIENCE):
        if len(cluster.workers) == 2:
            return
        time.sleep(0.1)


@pytest.fixture
def workers(cluster: Any) -> Any:
    """Return the cluster when both of its workers are there, again if need be."""
    wait_for_workers(cluster)
    return cluster


@pytest.fixture(scope="session")
def head_folder() -> Iterator[str]:
    """Give the folder of that cluster, with its token."""
    folder = tempfile.mkdtemp(prefix="lr-")  # short, as paths of sockets are
    yield folder
    shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture(scope="session")
def head(head_folder: str) -> Iterator[str]:
    """Give the address of a cluster on this machine, of three cores."""
    pytest.importorskip("ray")
    from ludens.cluster import nodes

    folder = head_folder
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(nodes, "node_folder", lambda: Path(folder) / "node")
        patch.setenv("LUDENS_TOKEN", f"{folder}/token")
        yield nodes.start_head("127.0.0.1", free_port(), cpus=3).address
        nodes.stop()


@pytest.fixture(scope="session")
def cluster(head: str) -> Iterator[Any]:
    """Give two workers of that cluster."""
    from played_shares import GAME, tiny_net

    from ludens.cluster.address import ClusterWish
    from ludens.cluster.hands import Cluster

    wish = ClusterWish(head, workers=2, device="cpu", precision="f32")
    with Cluster(wish, GAME, tiny_net()) as cluster:
        wait_for_workers(cluster)
        yield cluster
