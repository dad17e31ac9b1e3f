"""Tasks are done whatever the cluster does, and only what can be is taken."""

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from played_shares import (
    GAME,
    SCRIPT,
    SEARCH,
    SELFPLAY,
    answer,
    evaluate,
    tiny_net,
)
from played_shares import play as play_one

from ludens.cluster import hands
from ludens.cluster.address import ClusterWish
from ludens.cluster.hands import Cluster
from ludens.cluster.ledger import Ledger
from ludens.cluster.shares import play_shares
from ludens.nets.weights import Net
from ludens.search.model import Evaluator
from ludens.selfplay.share import SharePlayed, cut_shares
from ludens.selfplay.worker import play_iteration
from ludens.store.games import row_of
from ludens.store.stage import GameSeen
from ludens.store.workers import HERE

pytest.importorskip("ray")


def rows(played: SharePlayed | None) -> list[Any]:
    assert played is not None
    return [row_of(one, 0) for one in (*played.games, *played.unfinished)]


def evaluator_of(net: Net) -> Evaluator:
    return evaluate


@pytest.fixture(scope="module")
def by_threads() -> list[Any]:
    """Return the games that threads play."""
    return rows(play_iteration(GAME, SEARCH, SELFPLAY, evaluate, seed=5, net=0))


@pytest.fixture(scope="module")
def answers(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with what honest workers bring of each share."""
    folder = tmp_path_factory.mktemp("answers")
    for share in cut_shares(SELFPLAY, 5, 0):
        (folder / str(share.number)).write_bytes(answer(play_one(share)))
    return folder


@pytest.fixture
def scripted(answers: Path) -> Iterator[Callable[..., tuple[Cluster, list[str]]]]:
    """Give what opens a cluster whose bridge follows a script; all it says is kept."""
    with ExitStack() as stack:

        def open_cluster(*words: str) -> tuple[Cluster, list[str]]:
            wish = ClusterWish(device="cpu", precision="f32")
            bridge = (sys.executable, str(SCRIPT), str(answers), *words)
            said: list[str] = []
            cluster = stack.enter_context(
                Cluster(wish, GAME, tiny_net(), bridge=bridge)
            )
            cluster.tell(said.append)
            return cluster, said

        yield open_cluster


def play(cluster: Cluster, ledger: Ledger | None = None) -> SharePlayed | None:
    how = (GAME, SEARCH, SELFPLAY, tiny_net(), evaluator_of)
    return play_shares(cluster, *how, seed=5, ledger=ledger)


def test_a_result_that_comes_a_hundred_times_counts_once(
    scripted: Any, by_threads: list[Any]
) -> None:
    cluster, _ = scripted("again")
    ledger = Ledger()
    assert rows(play(cluster, ledger)) == by_threads
    [figures] = ledger.figures()
    assert (figures.worker, figures.threads, figures.shares) == ("w", 1, 4)
    assert figures.positions >= 60
    assert figures.busy_s == 4.0


def test_a_worker_that_lies_is_named_and_refused(
    scripted: Any, by_threads: list[Any]
) -> None:
    cluster, said = scripted("play", "lie", "none")
    assert rows(play(cluster)) == by_threads
    assert cluster.workers == {}
    assert any(line.startswith("worker w is refused: it lacks") for line in said)
    assert said[-1] == "all workers are gone: playing here until one comes"


def test_jobs_that_were_done_here_are_taken_back(
    scripted: Any, by_threads: list[Any]
) -> None:
    cluster, said = scripted("lie", "none")
    for _ in range(2):
        assert rows(play(cluster)) == by_threads
    assert not any("the cluster is gone" in line for line in said)


def test_shares_are_played_here_when_the_cluster_is_gone(
    scripted: Any, by_threads: list[Any]
) -> None:
    cluster, said = scripted("play", "die")
    ledger = Ledger()
    assert rows(play(cluster, ledger)) == by_threads
    assert said[-1] == "the cluster is gone: playing here until one comes"
    assert {one.worker for one in ledger.figures()} == {"w", HERE}


def test_workers_that_came_and_went_between_iterations_are_gone_again(
    scripted: Any, by_threads: list[Any]
) -> None:
    cluster, said = scripted("lie", "none")
    play(cluster)
    cluster._hear({"event": "joined", "worker": "v", "threads": 1, "greeting": {}}, [])
    cluster._hear({"event": "left", "worker": "v", "why": "it was killed"}, [])
    assert rows(play(cluster)) == by_threads
    assert said.count("all workers are gone: playing here until one comes") == 2
    assert said[-2] == "worker v is gone: it was killed"


def test_a_cluster_that_comes_back_plays_again(
    scripted: Any, by_threads: list[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hands, "RETRY_S", 0.0)
    monkeypatch.setattr(Cluster, "_plays_alone", lambda self: False)
    cluster, _ = scripted("play", "play", "die")
    ledger = Ledger()
    assert rows(play(cluster, ledger)) == by_threads
    assert sum(one.shares for one in ledger.figures()) == 4


def test_nobody_who_comes_is_waited_for_a_limited_time(
    scripted: Any, by_threads: list[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hands, "PATIENCE_S", 0.0)
    cluster, said = scripted("alone")
    assert rows(play(cluster)) == by_threads
    assert said[-1] == "no worker has come for 0 s: playing here until one comes"


def test_workers_that_die_before_they_begin_are_not_waited_for_without_end(
    scripted: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hands, "PATIENCE_S", 0.5)
    cluster, said = scripted("dying")
    most_s = time.monotonic() + 60
    how = (GAME, SEARCH, SELFPLAY, tiny_net(), evaluator_of)
    stop = {"should_stop": lambda: time.monotonic() > most_s}
    assert play_shares(cluster, *how, seed=5, **stop) is not None
    assert "worker w is gone: it could not begin" in said
    assert any(line.startswith("no worker has come") for line in said)


def test_a_worker_with_other_answers_is_named_once(scripted: Any) -> None:
    cluster, said = scripted("play")
    play(cluster)
    assert sum("not the same to the byte" in line for line in said) == 1


def test_a_wish_to_stop_is_heard(scripted: Any) -> None:
    cluster, _ = scripted("none")
    stopped = play_shares(
        cluster,
        *(GAME, SEARCH, SELFPLAY, tiny_net(), evaluator_of),
        seed=5,
        should_stop=lambda: True,
    )
    assert stopped is None


def test_a_share_that_is_given_twice_is_counted(
    scripted: Any, by_threads: list[Any]
) -> None:
    cluster, _ = scripted("twice", "play")
    ledger = Ledger()
    assert rows(play(cluster, ledger)) == by_threads
    assert ledger.num_twice == 1


def test_games_that_workers_play_are_seen_and_nonsense_is_not(
    scripted: Any, by_threads: list[Any]
) -> None:
    cluster, _ = scripted("show", "play")
    assert rows(play(cluster)) == by_threads
    assert cluster.games_seen() == [GameSeen(7, 0, [4], [0.5], [2])]
