"""How fast a cluster is: sleeping networks, a real one next to threads, the store."""

import os
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import median

from ludens.cluster.address import ClusterWish
from ludens.cluster.hands import Cluster
from ludens.cluster.jobs import pack_played, sha256
from ludens.cluster.ledger import Ledger
from ludens.cluster.shares import ShareTask, play_shares
from ludens.infer.evaluator import make_evaluator
from ludens.loading.game import Game, load_game
from ludens.nets.weights import Net, new_net
from ludens.selfplay.config import SelfplayConfig
from ludens.selfplay.share import GameRecord, SharePlayed, cut_shares
from ludens.selfplay.worker import play_iteration, play_share
from ludens.store.run import Run
from ludens.training.config import Config, read_config

from .disturbed import wait_for_workers
from .sleeping import SLEEP_S

ASLEEP = (sys.executable, "-P", str(Path(__file__).parent / "sleeping.py"))
WORKERS = (1, 2, 4, 8, 16)
WIDE_AWAKE = {"RAY_worker_niceness": "0"}
"""By default Ray's workers are the last to be woken, with a niceness of 15."""
TURNS = 5
"""Of threads and workers; the medians count."""
MOST_A_COMMIT = 1000
SHARES_A_WORKER, POSITIONS_A_SHARE, GAMES_A_SHARE, SIMS = 4, 30, 4, 8
FIGURES = {"seconds": 1.0, "cpu_seconds": 1.0, "rss_bytes": 1}


def asleep(workers: Sequence[int] = WORKERS) -> dict[int, float]:
    """Return positions a second by workers whose network sleeps."""
    game, found = load_game("tic_tac_toe"), dict[int, float]()
    config = read_config(game, sets=[f"search.sims={SIMS}", "search.cache_size=0"])
    net = new_net(game, config.net, 0)
    os.environ |= WIDE_AWAKE
    for count in workers:
        found[count] = _play(game, config, net, count, SHARES_A_WORKER * count, ASLEEP)
        share = found[count] / (count * found[workers[0]] / workers[0])
        rate = f"{found[count]:8.1f} positions/s, efficiency {share:.3f}"
        print(f"  {count:>3} workers, {1000 * SLEEP_S:.0f} ms an answer: {rate}")
    return found


def _play(
    game: Game,
    config: Config,
    net: Net,
    workers: int,
    shares: int,
    bridge: Sequence[str],
) -> float:
    """Return the positions a second of so many workers, once all are there."""
    wish = ClusterWish("auto", workers, 1, "cpu", "f32")
    selfplay = SelfplayConfig(
        positions=shares * POSITIONS_A_SHARE,
        games=shares * GAMES_A_SHARE,
        shares=shares,
        opening_share=0.0,
    )
    with Cluster(wish, game, net, bridge=bridge) as cluster:
        wait_for_workers(cluster, workers)
        how = (cluster, game, config.search, selfplay, net, make_evaluator)
        warm = replace(selfplay, positions=workers, games=workers, shares=workers)
        play_shares(cluster, game, config.search, warm, net, make_evaluator, seed=2)
        began_s = time.perf_counter()
        played = play_shares(*how, seed=1)
        assert played is not None
        return played.tally.positions / (time.perf_counter() - began_s)


@dataclass(frozen=True)
class Speed:
    """What one core, and one game, of a kind come to."""

    game: str
    evals_per_cpu_s: float
    """Of a worker."""
    positions_per_cpu_s: float
    threads_ratio: float
    """Evaluations a CPU second of workers, by those of threads."""
    bytes_a_position: float
    """That travel."""
    positions_a_game: float
    reads_per_s: float
    """Games that are unpacked and checked by the rules."""
    commits_per_s: dict[int, float]
    """Games, by how many a commit."""
    packed_per_s: float
    """Games that come packed, 1,000 a commit."""
    samples_per_s: float
    """Of the learner, on one core."""


def speed_of(spec: str, positions: int = 2000) -> Speed:
    """Measure a game with the net and the settings of `ludens train`."""
    game = load_game(spec)
    config, threads = read_config(game), 2
    net = new_net(game, config.net, 0)
    selfplay = SelfplayConfig(positions=positions, games=64, shares=4, threads=threads)
    how = (game, config.search, selfplay)
    evaluator = make_evaluator(net, "cpu", "f32", threads)
    by_threads, by_workers = list[float](), list[float]()
    os.environ |= WIDE_AWAKE
    with Cluster(ClusterWish("auto", threads, 1, "cpu", "f32"), game, net) as cluster:
        wait_for_workers(cluster, threads)
        for seed in range(1 + TURNS):  # the first is not counted
            began_s, ledger = time.process_time(), Ledger()
            here = play_iteration(*how, evaluator, seed=seed, net=0)
            by_threads.append(here.tally.evals / (time.process_time() - began_s))
            there = play_shares(
                cluster, *how, net, make_evaluator, seed=seed, ledger=ledger
            )
            assert there is not None
            cpu_s = sum(one.cpu_s for one in ledger.figures())
            by_workers.append(there.tally.evals / cpu_s)
            positions_an_eval = there.tally.positions / there.tally.evals
    evals_per_cpu_s = median(by_workers[1:])
    size, reads, brought = _reads(game, config, net, selfplay)
    return Speed(
        spec,
        evals_per_cpu_s,
        evals_per_cpu_s * positions_an_eval,
        evals_per_cpu_s / median(by_threads[1:]),
        size,
        sum(one.num_positions for one in here.games) / max(1, len(here.games)),
        reads,
        _commits(here.games, (1, 100, MOST_A_COMMIT)),
        _commits(brought, (MOST_A_COMMIT,))[MOST_A_COMMIT],
        _learning(game, config, net, here),
    )


def _reads(
    game: Game, config: Config, net: Net, selfplay: SelfplayConfig
) -> tuple[float, float, Sequence[GameRecord]]:
    """Return bytes a position of an answer, games checked a second, and games."""
    share = cut_shares(replace(selfplay, shares=1), 3, 0)[0]
    evaluator = make_evaluator(net, "cpu", "f32")
    played = play_share(game, config.search, selfplay, evaluator, share)
    content, nets = pack_played(played, FIGURES), net.to_bytes()
    task = ShareTask(
        *(game, config.search, selfplay, share),
        {sha256(nets): nets},
        lambda: evaluator,
    )
    task.read(content)
    began_s = time.process_time()
    for _ in range(TURNS):
        brought, _ = task.read(content)
    seconds = (time.process_time() - began_s) / TURNS
    games = len(played.games) + len(played.unfinished)
    return len(content) / played.tally.positions, games / seconds, brought.games


def _commits(games: Sequence[GameRecord], sizes: Sequence[int]) -> dict[int, float]:
    """Return games a second that a run keeps, by how many a commit."""
    if not games:
        raise SystemExit("no game came to an end: give more --positions")
    found, iteration = dict[int, float](), 0
    with (
        tempfile.TemporaryDirectory() as folder,
        Run.create(Path(folder) / "run", "", {"game": "x"}) as run,
    ):
        for size in sizes:
            number, tries = 0, max(1, min(20, 5 * MOST_A_COMMIT // size))
            began_s = time.perf_counter()
            for _ in range(tries):
                iteration += 1
                first = iteration * MOST_A_COMMIT
                some = [
                    replace(games[n % len(games)], number=first + n)
                    for n in range(size)
                ]
                run.commit_games(iteration, some, [], {})
                number += size
                run.commit_net(iteration, None, None, {})
            found[size] = number / (time.perf_counter() - began_s)
    return found


def _learning(game: Game, config: Config, net: Net, played: SharePlayed) -> float:
    """Return the samples a CPU second of the learner."""
    from ludens.learn.learner import Learner
    from ludens.learn.window import Window
    from ludens.rng import numpy_rng

    window, learner = Window(game, config.replay), Learner(net, config.learn, "cpu", 1)
    window.add(played.games)
    learner.learn(window, 2, numpy_rng(0, "warm"))
    steps, began_s = 8, time.process_time()
    learner.learn(window, steps, numpy_rng(0, "measured"))
    return steps * config.learn.batch_size / (time.process_time() - began_s)


def on_paper(one: Speed, workers: int = 1000, uses: float = 4.0) -> dict[str, float]:
    """Return what so many workers of one core would bring, and what they would need."""
    positions = workers * one.positions_per_cpu_s
    games = positions / one.positions_a_game
    return {
        "positions/s": positions,
        "records, MB/s": positions * one.bytes_a_position / 1e6,
        "cores that check": games / one.reads_per_s,
        "share of the store": games / one.packed_per_s,
        "learner cores": positions * uses / one.samples_per_s,
        "worker cores a learner core feeds on": one.samples_per_s
        / (uses * one.positions_per_cpu_s),
    }
