"""Disturb and measure a cluster here: `python -m benchmarks.cluster PART ...`."""

import argparse
import signal
import sys
import time
from collections.abc import Callable, Iterator, Sequence

from ludens.formats.tables import text_table
from ludens.loading.game import load_game

from . import disturbed
from .commands import refusals, signalled
from .disturbed import open_cluster, train
from .places import head
from .scaling import asleep, on_paper, speed_of
from .strangers import SLOW_ITERATIONS, slow_learner, strangers

Part = Callable[[int, int], Iterator[str]]
"""Called with how often and a seed; gives a line for each thing that did not hold."""


def equal(number: int, seed: int) -> Iterator[str]:
    """Train games on one to three workers, with and without a lag."""
    for spec in ("tic_tac_toe", "connect_four", "triangle")[:number]:
        game = load_game(spec)
        for lag in (0, 1):
            sets = (f"cluster.lag={lag}", "selfplay.positions=300", f"seed={seed}")
            expected, _ = train(game, 3, None, sets)
            for workers in (1, 2, 3):
                with head(3) as one, open_cluster(one, game, workers) as cluster:
                    found, watch = train(game, 3, cluster, sets)
                print(f"  {spec}, lag {lag}, {workers} workers: {found == expected}")
                if found != expected:
                    yield f"{spec}, lag {lag}, {workers} workers: {watch.said}"


def _disturbance(name: str, cpus: int, nodes: int = 0) -> Part:
    disturb = getattr(disturbed, name)
    return lambda n, seed: disturbed.disturbed(name, disturb, n, seed, cpus, nodes)


def _signal(name: str, most_s: float) -> Part:
    number = signal.Signals[name]
    return lambda n, seed: signalled(number, name, most_s, n, seed)


PARTS: dict[str, tuple[int, Part]] = {
    "equal": (3, equal),
    "kill_worker": (30, _disturbance("kill_worker", 2)),
    "pause_worker": (5, _disturbance("pause_worker", 2)),
    "kill_raylet": (5, _disturbance("kill_raylet", 1, nodes=1)),
    "pause_node": (5, _disturbance("pause_node", 1, nodes=1)),
    "kill_gcs": (3, disturbed.kill_gcs),
    "join_and_leave": (3, disturbed.join_and_leave),
    "match": (200, disturbed.match),
    "driver_killed": (5, _signal("SIGKILL", 5)),
    "sigint": (5, _signal("SIGINT", 10)),
    "sigterm": (5, _signal("SIGTERM", 10)),
    "refusals": (1, lambda *_: refusals()),
    "strangers": (1, lambda *_: strangers()),
    "slow_learner": (SLOW_ITERATIONS, slow_learner),
}
SPEED_GAMES = ("connect_four", "gomoku:size=9")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run parts; return 1 if something of them did not hold."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.cluster")
    known = [*PARTS, "scaling", "speed"]
    parser.add_argument(
        "part", nargs="+", choices=known, metavar="PART", help=f"{known}"
    )
    parser.add_argument("--number", type=int, help="how often, of each part")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--games", nargs="*", default=SPEED_GAMES)
    parser.add_argument("--positions", type=int, default=2000, help="of speed")
    given = parser.parse_args(arguments)
    failures: list[str] = []
    for name in given.part:
        began_s = time.perf_counter()
        if name == "scaling":
            asleep()
        elif name == "speed":
            _tell_speeds(given.games, given.positions)
        else:
            usual, part = PARTS[name]
            number = given.number or usual
            print(f"{name}, {number} times", flush=True)
            found = list(part(number, given.seed))
            failures += found
            verdict = "; ".join(found) if found else "held"
            print(f"{name}: {verdict} ({time.perf_counter() - began_s:.0f} s)")
    return 1 if failures else 0


def _tell_speeds(games: Sequence[str], positions: int) -> None:
    found = [speed_of(spec, positions) for spec in games]
    rows = [["", *games]]
    measured = {
        "evaluations a CPU second": [f"{one.evals_per_cpu_s:,.0f}" for one in found],
        "workers to threads": [f"{one.threads_ratio:.3f}" for one in found],
        "bytes a position": [f"{one.bytes_a_position:,.0f}" for one in found],
        "games checked a second": [f"{one.reads_per_s:,.0f}" for one in found],
        "games kept a second that come packed": [
            f"{one.packed_per_s:,.0f}" for one in found
        ],
        "samples a CPU second": [f"{one.samples_per_s:,.0f}" for one in found],
    }
    for size in (1, 100, 1000):
        key = f"games a second, {size:,} a commit"
        measured[key] = [f"{one.commits_per_s[size]:,.0f}" for one in found]
    for name in on_paper(found[0]):
        measured[f"1,000 workers: {name}"] = [
            f"{on_paper(one)[name]:,.1f}" for one in found
        ]
    print(text_table([*rows, *([name, *cells] for name, cells in measured.items())]))


if __name__ == "__main__":
    sys.stdout.reconfigure(line_buffering=True)  # type: ignore[union-attr]
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # nothing stays behind
    sys.exit(main())
