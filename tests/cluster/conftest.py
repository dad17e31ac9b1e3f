"""One Ray for all tests that need a real one."""

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

sys.path.append(str(Path(__file__).parents[1] / "training"))


@pytest.fixture(scope="session")
def cluster() -> Iterator[object]:
    """Give a cluster of two workers on this machine."""
    pytest.importorskip("ray")
    from played_shares import GAME, tiny_net

    from ludens.cluster.address import ClusterWish
    from ludens.cluster.hands import Cluster

    wish = ClusterWish("auto", workers=2, threads=1, device="cpu", precision="f32")
    with Cluster(wish, GAME, tiny_net()) as cluster:
        yield cluster
