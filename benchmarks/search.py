"""Simulations a second: ours and the peers', by turns in one run."""

import os
import statistics
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import partial
from multiprocessing import get_context
from typing import Annotated

import typer

import peers_search as peers
import script
from ludens.bench.speed import Run, searches, sims_a_second
from ludens.cores import num_cores
from ludens.loading.game import load_game
from ludens.search.config import SearchConfig
from ludens.search.search import Search

OURS = "ludens"
TREE_SIZES = (100, 1_000, 10_000, 100_000, 1_000_000)
HEADS = ("nodes", "ns/sim", "mean depth", "bytes/node")


@dataclass(frozen=True)
class Contest:
    """The same work for every contender, on all cores or on one."""

    work: str
    contenders: dict[str, Callable[[], Run]]
    on_one_core: bool = True


@dataclass(frozen=True)
class Speed:
    """Simulations a second, the median over the rounds; None: not installed."""

    contender: str
    sims_a_second: float | None


@dataclass(frozen=True)
class Growth:
    """What a simulation costs, on average, when a tree grows to this size."""

    nodes: int
    sim_ns: float
    depth: float
    node_bytes: float


def ours(spec: str, num_games: int, threads: int, config: SearchConfig) -> Run:
    """Search games from their start."""
    return searches(Search(load_game(spec), config, num_games, threads))


def batch(threads: int) -> dict[str, Callable[[], Run]]:
    """Return who searches 256 games of connect four with a constant evaluator."""
    made: dict[str, Callable[[], Run]] = {}
    for policy in ("puct", "gumbel"):
        config = SearchConfig(sims=32, root=policy)
        make = partial(ours, "connect_four", 256, threads, config)
        made[f"{OURS}, {policy}"] = make
        made[f"mctx + pgx, {policy}"] = partial(peers.mctx, policy, 256, 32)
    return made


def rollouts(spec: str, theirs: str, sims: int) -> Contest:
    """Return a contest with OpenSpiel's bot: one random game for a leaf's value."""
    config = SearchConfig(sims=sims, rollouts=1)
    return Contest(
        f"{spec}, one rollout a simulation, {sims:,} simulations",
        {
            OURS: partial(ours, spec, 1, 1, config),
            "OpenSpiel MCTSBot": partial(peers.open_spiel, theirs, sims),
        },
    )


def contests() -> list[Contest]:
    """Return all the work there is to compare."""
    work = "connect_four, constant evaluator, 256 games x 32 simulations"
    gomoku, triangle = SearchConfig(sims=800), SearchConfig(sims=64)
    return [
        Contest(work, batch(threads=0), on_one_core=False),
        Contest(work, batch(threads=1)),
        rollouts("connect_four", "connect_four", 1000),
        rollouts("tic_tac_toe", "tic_tac_toe", 1000),
        rollouts("gomoku", "mnk(m=15,n=15,k=5)", 100),
        Contest(
            "gomoku, constant evaluator, 800 simulations",
            {OURS: partial(ours, "gomoku", 1, 1, gomoku)},
        ),
        Contest(
            "triangle, constant evaluator, 64 simulations",
            {
                f"{OURS}, 64 games at once": partial(ours, "triangle", 64, 1, triangle),
                OURS: partial(ours, "triangle", 1, 1, triangle),
                "trimcts (visits one leaf only)": partial(peers.trimcts, 64),
            },
        ),
    ]


def measure(contest: int, rounds: int, seconds: float) -> list[Speed]:
    """Let the contenders of one contest search by turns."""
    made = {who: _prepare(m) for who, m in contests()[contest].contenders.items()}
    rates: dict[str, list[float]] = {who: [] for who in made}
    for _ in range(rounds):
        for who, run in made.items():
            if run is not None:
                rates[who].append(sims_a_second(run, seconds))
    return [Speed(who, statistics.median(r) if r else None) for who, r in rates.items()]


def _prepare(make: Callable[[], Run]) -> Run | None:
    try:
        run = make()
    except ImportError:
        return None
    run()
    return run


def growth(size: int, rounds: int, seconds: float) -> Growth:
    """Grow a tree of connect four again and again."""
    search = Search(load_game("connect_four"), SearchConfig(sims=size))
    run = searches(search)
    sims = run()
    rate = statistics.median(sims_a_second(run, seconds) for _ in range(rounds))
    forest, head = search.forest, search.forest.heads[0]
    nodes = forest.nodes[0, : head.num_nodes]
    # Each simulation counts one visit at every node on its way but the root.
    depth = nodes["visits"][1:].sum() / sims
    edges = head.num_edges / head.num_nodes
    node_bytes = forest.words[0, 0].nbytes + forest.nodes.itemsize
    node_bytes += edges * forest.edges.itemsize
    return Growth(len(nodes), 1e9 / rate, depth, node_bytes)


def _pin() -> None:
    """Stay on one core, before anything starts threads of its own."""
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})


def report(contest: Contest, speeds: list[Speed]) -> str:
    """Return the table of one contest, with how many times faster ours is."""
    cores = "one core" if contest.on_one_core else f"{num_cores()} cores"
    lines = [f"{contest.work}; {cores}"]
    for ours, speed in _with_ours(speeds):
        figure, ratio = "not installed here", ""
        if speed.sims_a_second:
            figure = f"{speed.sims_a_second:,.0f} sims/s"
            if ours and ours is not speed and ours.sims_a_second:
                ratio = f"ours is {ours.sims_a_second / speed.sims_a_second:.1f}x"
        lines.append(f"  {speed.contender:<34}{figure:>20}  {ratio}".rstrip())
    return "\n".join(lines)


def _with_ours(speeds: list[Speed]) -> list[tuple[Speed | None, Speed]]:
    """Pair each speed with the last of ours above it."""
    pairs: list[tuple[Speed | None, Speed]] = []
    latest = None
    for speed in speeds:
        latest = speed if speed.contender.startswith(OURS) else latest
        pairs.append((latest, speed))
    return pairs


def report_growth(stages: list[Growth]) -> str:
    """Return the table of a growing tree."""
    lines = ["connect_four, one tree of each size; one core"]
    lines.append("{:>12}{:>10}{:>12}{:>14}".format(*HEADS))
    for at in stages:
        lines.append(
            f"{at.nodes:>12,}{at.sim_ns:>10,.0f}{at.depth:>12.1f}{at.node_bytes:>14.0f}"
        )
    return "\n".join(lines)


def main(
    rounds: Annotated[
        int, typer.Option(help="Rounds by turns; medians are shown.", min=1)
    ] = 5,
    seconds: Annotated[
        float, typer.Option(help="Time of an engine in a round.", min=0.01)
    ] = 0.5,
) -> None:
    """Measure simulations a second, next to the peers installed, and growing trees."""
    spawn = get_context("spawn")  # a fresh process each: JAX counts cores only once
    for number, contest in enumerate(contests()):
        pin = _pin if contest.on_one_core else None
        with ProcessPoolExecutor(1, mp_context=spawn, initializer=pin) as pool:
            speeds = pool.submit(measure, number, rounds, seconds).result()
        print(report(contest, speeds), flush=True)
    with ProcessPoolExecutor(1, mp_context=spawn, initializer=_pin) as pool:
        grown = [pool.submit(growth, size, rounds, seconds) for size in TREE_SIZES]
        print(report_growth([future.result() for future in grown]))


if __name__ == "__main__":
    script.run(main)
