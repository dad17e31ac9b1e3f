"""With a lag of 1 an iteration is played by the net before the newest, always."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from small_trainings import PLACE, Witness, begin, load, open_tiny

from cluster.disturbed import wait_for
from faults.sessions import contents
from ludens.cluster.hands import Cluster
from ludens.training.config import parse_config
from ludens.training.loop import Training

GAME = load("tic_tac_toe")
SETS = (
    *("selfplay.shares=4", "cluster.lag=1", "budget.iterations=3"),
    "selfplay.temperature_end=0.2",
)


@pytest.fixture(scope="module")
def by_threads(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a run of three iterations on threads."""
    folder = tmp_path_factory.mktemp("threads") / "run"
    with open_tiny(folder, GAME, SETS) as run:
        begin(run).train()
    return folder


def test_games_are_ended_by_the_net_before_the_newest(by_threads: Path) -> None:
    with closing(sqlite3.connect(by_threads / "games.sqlite")) as base:
        asked = "SELECT DISTINCT iteration, net FROM games ORDER BY iteration"
        assert base.execute(asked).fetchall() == [(1, 0), (2, 0), (3, 1)]


class Stop(Witness):
    """One who wants to stop when a phase of an iteration begins."""

    def __init__(self, phase: str, num_done: int) -> None:
        super().__init__()
        self._phase, self._num_done = phase, num_done

    def wants(self) -> bool:
        return self.phase == self._phase and len(self.iterations) == self._num_done


@pytest.mark.parametrize(("phase", "num_done"), [("play", 2), ("learn", 2)])
def test_a_run_with_a_lag_is_resumed_to_the_same_bytes(
    by_threads: Path, tmp_path: Path, phase: str, num_done: int
) -> None:
    witness = Stop(phase, num_done)
    for should_stop in (witness.wants, lambda: False):
        with open_tiny(tmp_path / "run", GAME, SETS) as run:
            begin(run, witness, should_stop).train()
    assert contents(tmp_path / "run") == contents(by_threads)


class SlowLearner(Witness):
    """One who lets no net learn before the workers have nothing more to do."""

    def __init__(self, cluster: Cluster) -> None:
        super().__init__()
        self._cluster, self._before = cluster, cluster.num_asked
        self.shares: list[int] = []
        """That workers were given until then, iteration by iteration."""

    def progress(self, phase: str, done: int, total: int, rates: str) -> None:
        super().progress(phase, done, total, rates)
        if phase == "learn" and len(self.shares) == len(self.iterations):
            ahead = 4 * min(3, len(self.iterations) + 2)
            wait_for(lambda: self._asked >= ahead and not self._cluster.is_playing)
            self.shares.append(self._asked)

    @property
    def _asked(self) -> int:
        return self._cluster.num_asked - self._before


def test_a_cluster_plays_ahead_and_ends_in_the_bytes_of_threads(
    workers: Cluster, by_threads: Path, tmp_path: Path
) -> None:
    witness = SlowLearner(workers)
    with open_tiny(tmp_path / "run", GAME, SETS) as run:
        config = parse_config(run.facts()["config"], "the run")
        Training(GAME, config, run, witness, PLACE, cluster=workers).train()
    assert contents(tmp_path / "run") == contents(by_threads)
    assert witness.shares == [8, 12, 12]  # one iteration of four shares ahead, no more
    assert all("seconds_waited" in m for m in witness.iterations[1:])
