"""A real Ray: the games of threads, whoever dies meanwhile."""

import os
import signal
from pathlib import Path
from typing import Any

import pytest
from played_shares import SEARCH, SELFPLAY, tiny_net
from small_trainings import PLACE, Witness, open_tiny

from faults.sessions import contents
from ludens.arena.match import Contest
from ludens.cluster.hands import Cluster
from ludens.cluster.matches import Spreading
from ludens.cluster.shares import play_games as on_cluster
from ludens.infer.evaluator import make_evaluator
from ludens.loading.game import load_game
from ludens.selfplay.share import SharePlayed, cut_games
from ludens.selfplay.worker import play_games
from ludens.store.games import row_of
from ludens.store.workers import HERE
from ludens.training.config import parse_config
from ludens.training.loop import Training

GAME = load_game("tic_tac_toe")
SETS = ("selfplay.shares=4", "budget.iterations=2", "replay.reanalyse=0.5")


class Killer(Witness):
    """One who kills a worker when the second iteration begins to play."""

    def __init__(self, cluster: Cluster) -> None:
        super().__init__()
        self._cluster = cluster
        self.killed: list[int] = []

    def progress(self, phase: str, done: int, total: int, rates: str) -> None:
        super().progress(phase, done, total, rates)
        if phase == "play" and self.iterations and not self.killed:
            self.killed = [one["pid"] for one in self._cluster.workers.values()][:1]
            for pid in self.killed:
                os.kill(pid, signal.SIGKILL)


def train(folder: Path, cluster: Cluster | None, witness: Witness) -> dict[str, Any]:
    with open_tiny(folder, GAME, SETS) as run:
        config = parse_config(run.facts()["config"], "the run")
        Training(GAME, config, run, witness, PLACE, cluster=cluster).train()
    return contents(folder)


@pytest.fixture(scope="module")
def by_threads(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """Return what a run comes to on threads."""
    return train(tmp_path_factory.mktemp("threads") / "run", None, Witness())


def test_a_cluster_ends_in_the_bytes_of_threads_though_a_worker_is_killed(
    workers: Cluster, by_threads: dict[str, Any], tmp_path: Path
) -> None:
    witness = Killer(workers)
    assert train(tmp_path / "run", workers, witness) == by_threads
    assert len(witness.killed) == 1
    assert any("is gone" in line for line in witness.said)
    told = [(m["cluster_shares"], m["cluster_shares_here"]) for m in witness.iterations]
    assert [sum(one) for one in told] == [4, 4]
    assert told[0][0] == 4


def test_a_match_on_a_cluster_has_the_games_of_threads(workers: Cluster) -> None:
    agents = ("mcts:sims=4", "random")
    here = Contest(GAME, agents, seed=4, threads=1)
    spread = Spreading(workers)
    there = Contest(GAME, agents, seed=4, threads=1, spread=spread)
    assert histories(there) == histories(here)
    assert HERE not in [one.worker for one in spread.ledger.figures()]


def histories(contest: Contest) -> list[Any]:
    rounds = contest.play(20)
    return [(g.number, g.state.history) for games in rounds for g in games]


def test_games_of_a_net_on_a_cluster_are_those_of_threads(workers: Cluster) -> None:
    how = (GAME, SEARCH, SELFPLAY)
    shares, net = cut_games(20, 3, 0), tiny_net()
    here = play_games(*how, make_evaluator(net, "cpu", "f32"), shares)
    there = on_cluster(workers, *how, net, shares)
    pairs = zip(here, there, strict=True)
    assert all(rows(one) == rows(other) for one, other in pairs)


def rows(played: SharePlayed) -> list[Any]:
    return [row_of(one, 0) for one in played.games]
