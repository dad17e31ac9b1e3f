"""Nodes of a real Ray that come, stop, die and leave: the bytes of threads."""

import os
import shutil
import signal
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from small_trainings import PLACE, Witness, begin, load, open_tiny

from cluster.disturbed import wait_for
from cluster.places import living_in, pids_of, processes, wait_until_gone
from faults.sessions import PATIENCE_S, contents
from ludens.cluster import nodes
from ludens.cluster.hands import Cluster
from ludens.training.config import parse_config
from ludens.training.loop import Training

GAME = load("tic_tac_toe")
SETS = ("selfplay.shares=8", "selfplay.positions=120", "budget.iterations=4")


class Node:
    """A node that joins a cluster and has one worker there."""

    def __init__(self, address: str, cluster: Cluster, folder: Path) -> None:
        self._address, self._cluster, self._folder = address, cluster, folder

    def join(self) -> None:
        """Join, and wait until the worker is there."""
        known = self._pids()
        with living_in(self._folder):
            nodes.join(self._address, 1)
            wait_for(lambda: bool(self._pids() - known))
            self.raylets = pids_of(str(self._folder), "raylet/raylet")
            self.processes = processes()
        self.workers = self._pids() - known
        assert len(self.workers) == 1

    def leave(self) -> None:
        """Leave, and wait until that is noticed."""
        with living_in(self._folder):
            nodes.stop()
        wait_for(lambda: not self._pids() & self.workers)

    def _pids(self) -> set[int]:
        return {one["pid"] for one in self._cluster.workers.values()}


def tell(number: int, pids: Any) -> None:
    """Send a signal to processes; those that Ray has given up are gone."""
    for pid in pids:
        try:
            os.kill(pid, number)
        except ProcessLookupError:
            continue


class Meddler(Witness):
    """One who does something when an iteration begins to play or has played a bit."""

    def __init__(self, acts: dict[tuple[int, bool], Callable[[], None]]) -> None:
        super().__init__()
        self.acts = acts

    def progress(self, phase: str, done: int, total: int, rates: str) -> None:
        super().progress(phase, done, total, rates)
        now = (len(self.iterations) + 1, done > 0)
        if phase == "play" and now in self.acts:
            self.acts.pop(now)()


@pytest.fixture
def pair(workers: Cluster, head: str) -> Iterator[list[Node]]:
    """Give two nodes that have not joined yet."""
    folder = Path(tempfile.mkdtemp(prefix="lr-"))  # short, as paths of sockets are
    found = [Node(head, workers, folder / name) for name in "ab"]
    yield found
    for node in found:
        with living_in(node._folder):
            if nodes.find_node() is not None:
                nodes.stop()
    shutil.rmtree(folder, ignore_errors=True)


def test_nodes_that_join_stop_die_and_leave_change_no_byte(
    workers: Cluster, pair: list[Node], tmp_path: Path
) -> None:
    one, other = pair

    def die() -> None:
        """Kill the raylet while its worker has a share; another node joins."""
        tell(signal.SIGKILL, one.raylets)
        tell(signal.SIGCONT, one.workers)
        assert wait_until_gone([*one.workers], PATIENCE_S) is not None
        other.join()

    witness = Meddler(
        {
            (1, False): one.join,
            (2, False): lambda: tell(signal.SIGSTOP, one.processes),
            (3, False): lambda: tell(signal.SIGCONT, one.processes),
            (3, True): lambda: tell(signal.SIGSTOP, one.workers),
            (4, False): die,
            (4, True): other.leave,
        }
    )
    folders = {"there": workers, "here": None}
    for name, cluster in folders.items():
        with open_tiny(tmp_path / name / "run", GAME, SETS) as run:
            if cluster is None:
                begin(run).train()
                continue
            config = parse_config(run.facts()["config"], "the run")
            Training(GAME, config, run, witness, PLACE, cluster=cluster).train()
    assert not witness.acts
    there, here = (contents(tmp_path / name / "run") for name in folders)
    assert there == here
    assert sum("is gone" in line for line in witness.said) >= 2
