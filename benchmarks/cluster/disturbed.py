"""Trainings and matches on a cluster that is disturbed: the same games all the same."""

import os
import random
import signal
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cache, partial
from itertools import pairwise
from pathlib import Path
from typing import Any

from faults.sessions import TINY, contents
from ludens.arena.match import Contest
from ludens.cluster.address import ClusterWish
from ludens.cluster.hands import Cluster
from ludens.cluster.matches import Spreading
from ludens.loading.game import Game, load_game
from ludens.nets.weights import Net, new_net
from ludens.store.run import Run
from ludens.training.config import read_config, to_toml
from ludens.training.evaluate import Place
from ludens.training.loop import Training
from ludens.training.progress import Silent

from .places import Head, head, living_in, processes

SETS = (
    *(*TINY, "evaluate.every=0", "evaluate.solved_positions=0"),
    *("selfplay.positions=1000", "selfplay.shares=8", "learn.uses=0.5"),
    "budget.minutes=0",  # with a limit of time the rates of learning follow the clock
)
ITERATIONS = 4
PHASES = ("play", "learn", "examine")
PAUSE_S = 1.0
"""The longest between two disturbances."""
MOST_TRIES = 3
"""Trainings in which nothing could be done."""
PATIENCE_S = 240.0
Disturb = Callable[[Head, Cluster, random.Random], int]
"""Do something to a cluster; return how often it was done."""


@dataclass
class Watch(Silent):
    """One who keeps what was said, and when an iteration was kept."""

    said: list[str] = field(default_factory=list)
    kept_s: list[float] = field(default_factory=list)

    def say(self, line: str) -> None:
        """Keep a sentence."""
        self.said.append(line)

    def iteration(self, metrics: Any) -> None:
        """Keep the time."""
        self.kept_s.append(time.monotonic())

    @property
    def longest_s(self) -> float:
        """The longest time between two iterations."""
        return max(b - a for a, b in pairwise(self.kept_s))


@dataclass
class Striker(Watch):
    """A watcher that does something once, when a phase of an iteration begins."""

    act: Callable[[], None] = lambda: None
    phase: str = "play"
    number: int = 1
    thread: threading.Thread | None = None

    def progress(self, phase: str, *_: object) -> None:
        """Begin to act, if it is time to; the training goes on meanwhile."""
        now = (phase, len(self.kept_s) + 1)
        if self.thread is None and now == (self.phase, self.number):
            self.thread = threading.Thread(target=self.act)
            self.thread.start()


def train(
    game: Game,
    iterations: int,
    cluster: Cluster | None,
    sets: tuple[str, ...] = (),
    watch: Watch | None = None,
) -> tuple[dict[str, Any], Watch]:
    """Return what a small run comes to, and what was said."""
    watch = watch or Watch()
    config = read_config(game, sets=[*SETS, f"budget.iterations={iterations}", *sets])
    with tempfile.TemporaryDirectory() as folder:
        path, facts = Path(folder) / "run", {"game": game.spec}
        with Run.start(path, to_toml(config), facts) as run:
            place = Place("cpu", "f32", 1)
            Training(game, config, run, watch, place, cluster=cluster).train()
        return contents(path), watch


@cache
def undisturbed() -> dict[str, Any]:
    """Return what threads come to."""
    return train(load_game("tic_tac_toe"), ITERATIONS, None)[0]


def open_cluster(one: Head, game: Game, workers: int) -> Cluster:
    """Return so many workers of a cluster, when the first is there."""
    cluster = Cluster(wish_for(one, workers), game, tiny_net(game))
    wait_for(lambda: len(cluster.workers) > 0)
    return cluster


def wish_for(one: Head, workers: int) -> ClusterWish:
    """Return the wish for workers of one thread; 0: one a node."""
    return ClusterWish(one.address, workers, 1, "cpu", "f32")


def tiny_net(game: Game) -> Net:
    """Return the net that a training begins with."""
    return new_net(game, read_config(game, sets=SETS).net, 0)


def wait_for(is_so: Callable[[], bool]) -> None:
    """Wait until something is so, but not for ever."""
    end_s = time.monotonic() + PATIENCE_S
    while not is_so() and time.monotonic() < end_s:
        time.sleep(0.1)


def wait_for_workers(cluster: Cluster, count: int) -> None:
    """Wait until there are so many workers; without them nothing would be shown."""
    wait_for(lambda: len(cluster.workers) == count)
    assert len(cluster.workers) == count, f"{len(cluster.workers)} workers of {count}"


def disturbed(
    name: str, disturb: Disturb, number: int, seed: int, cpus: int, nodes: int = 0
) -> Iterator[str]:
    """Disturb trainings until it was done so often; say what did not hold."""
    game, rng = load_game("tic_tac_toe"), random.Random(f"{name} {seed}")
    expected = undisturbed()
    done, idle = 0, 0
    with head(cpus) as one:
        for _ in range(nodes):
            one.join(2)
        with open_cluster(one, game, cpus + nodes) as cluster:
            while done < number and idle < MOST_TRIES:
                found, count, watch = _disturbed(game, one, cluster, disturb, rng)
                done += count
                longest_s = watch.longest_s
                print(f"  {name}: {done} done; longest iteration {longest_s:.1f} s")
                if found != expected:
                    yield f"{name}: another run after {done}: {watch.said[-3:]}"
                idle = 0 if count else idle + 1
            if done < number:
                yield f"{name}: nothing could be done: {watch.said[-3:]}"


def _disturbed(
    game: Game, one: Head, cluster: Cluster, disturb: Disturb, rng: random.Random
) -> tuple[dict[str, Any], int, Watch]:
    """Train once while somebody disturbs."""
    over, counts = threading.Event(), list[int]()

    def meddle() -> None:
        while not over.wait(rng.uniform(0.05, PAUSE_S)):
            if cluster.is_playing and cluster.workers:
                counts.append(disturb(one, cluster, rng))

    meddler = threading.Thread(target=meddle)
    meddler.start()
    try:
        found, watch = train(game, ITERATIONS, cluster)
    finally:
        over.set()
        meddler.join()
    return found, sum(counts), watch


def kill_worker(_: Head, cluster: Cluster, rng: random.Random) -> int:
    """Kill any worker."""
    return _to_worker(cluster, rng, signal.SIGKILL)


def pause_worker(_: Head, cluster: Cluster, rng: random.Random) -> int:
    """Stop any worker for three seconds."""
    pids = [one["pid"] for one in cluster.workers.values()]
    return _pause([rng.choice(pids)] if pids else [], 3.0)


def _to_worker(cluster: Cluster, rng: random.Random, number: int) -> int:
    pids = [one["pid"] for one in cluster.workers.values()]
    if not pids:
        return 0
    with suppress(OSError):
        os.kill(rng.choice(pids), number)
        return 1
    return 0


def _pause(pids: list[int], seconds: float) -> int:
    for number in (signal.SIGSTOP, signal.SIGCONT):
        for pid in pids:
            with suppress(OSError):
                os.kill(pid, number)
        if number == signal.SIGSTOP:
            time.sleep(seconds)
    return min(1, len(pids))


def pause_node(one: Head, _: Cluster, rng: random.Random) -> int:
    """Stop all processes of a node that has joined for four seconds."""
    folders = [p for p in one.folder.glob("n[0-9]*") if one.pids("raylet", p)]
    if not folders:
        return 0
    with living_in(rng.choice(folders)):
        return _pause(processes(), 4.0)


def kill_raylet(one: Head, _: Cluster, rng: random.Random) -> int:
    """Kill the raylet of a node that has joined; another node joins."""
    folders = [p for p in one.folder.glob("n[0-9]*") if one.pids("raylet/raylet", p)]
    if not folders:
        return 0
    for pid in one.pids("raylet/raylet", rng.choice(folders)):
        os.kill(pid, signal.SIGKILL)
    one.join(2)
    return 1


def kill_gcs(number: int, seed: int) -> Iterator[str]:
    """Kill the GCS in each phase of trainings, which ends the cluster."""
    game, rng = load_game("tic_tac_toe"), random.Random(f"kill_gcs {seed}")
    sets = ("evaluate.every=1",)
    expected, _ = train(game, ITERATIONS, None, sets)
    with head(2) as one:
        for time_ in range(number):
            phase, when = PHASES[time_ % len(PHASES)], rng.randint(2, ITERATIONS)
            with open_cluster(one, game, 2) as cluster:
                act = partial(_restart, one, cluster)
                watch = Striker(act=act, phase=phase, number=when)
                found, _ = train(game, ITERATIONS, cluster, sets, watch)
                assert watch.thread is not None, f"there is no {phase} {when}"
                watch.thread.join()
            what = f"kill_gcs in {phase} {when}"
            print(f"  {what}; longest iteration {watch.longest_s:.1f} s")
            if found != expected:
                yield f"{what}: another run: {watch.said[-3:]}"


def _restart(one: Head, cluster: Cluster) -> None:
    """Kill the GCS, and start the head again where it was."""
    for pid in one.pids("gcs_server"):
        os.kill(pid, signal.SIGKILL)
    wait_for(lambda: not cluster.workers)
    one.stop()
    one.start()


def join_and_leave(number: int, seed: int) -> Iterator[str]:
    """Train while nodes join one after the other, up to three, and all but one leave.

    The head has no cores: at first there is nobody.
    """
    game, rng = load_game("tic_tac_toe"), random.Random(f"join_and_leave {seed}")
    expected = undisturbed()
    with head(0) as one, Cluster(wish_for(one, 0), game, tiny_net(game)) as cluster:
        for time_ in range(number):
            comings = threading.Thread(target=_come_and_go, args=(one, cluster, rng))
            comings.start()
            trainings = 0
            while comings.is_alive() or trainings == 0:
                found, watch = train(game, ITERATIONS, cluster)
                trainings += 1
                if found != expected:
                    yield f"join_and_leave: another run: {watch.said[-3:]}"
            print(f"  join_and_leave: {time_ + 1} done in {trainings} trainings")


def _come_and_go(one: Head, cluster: Cluster, rng: random.Random) -> None:
    """Let three nodes join and two leave; the last leaves for the next time."""
    folders = []
    for count in range(1, 4):
        folders.append(one.join(1))
        wait_for_workers(cluster, count)
    rng.shuffle(folders)
    for count, folder in zip((2, 1, 0), folders, strict=True):
        time.sleep(rng.uniform(0.05, PAUSE_S))
        one.stop(folder)
        wait_for_workers(cluster, count)


def match(number: int, seed: int) -> Iterator[str]:
    """Play a match of so many games while workers are killed."""
    game, rng = load_game("tic_tac_toe"), random.Random(f"match {seed}")
    agents, rounds = ("mcts:sims=400", "mcts:sims=200"), number // 2
    expected = _histories(Contest(game, agents, seed, threads=1), rounds)
    kills, over = list[int](), threading.Event()
    with head(2) as one, open_cluster(one, game, 2) as cluster:

        def meddle() -> None:
            while not over.wait(rng.uniform(0.2, PAUSE_S)):
                if cluster.is_playing:
                    kills.append(kill_worker(one, cluster, rng))

        meddler = threading.Thread(target=meddle)
        meddler.start()
        spread = Spreading(cluster)
        found = _histories(Contest(game, agents, seed, spread=spread), rounds)
        over.set()
        meddler.join()
    print(f"  match: {number} games, {sum(kills)} kills")
    if found != expected:
        yield "match: other games"


def _histories(contest: Contest, rounds: int) -> list[Any]:
    return [(g.number, g.state.history) for one in contest.play(rounds) for g in one]
