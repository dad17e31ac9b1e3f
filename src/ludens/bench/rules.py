"""Random games a second on one core: ours and the peers', by turns in one run."""

import os
import statistics
import time
from dataclasses import dataclass

import numpy as np

from ludens.bench import kernel as bench_kernel
from ludens.bench.peers import Play, installed, missing
from ludens.loading.game import Game, game_files, load_game

NUM_COPIES = 200_000


@dataclass(frozen=True)
class Speed:
    """What one contender does in a second; medians over the rounds."""

    game: str
    contender: str
    games: float
    steps: float
    copy_ns: float | None = None


def measure(names: list[str], rounds: int, seconds: float) -> list[Speed]:
    """Measure each game, our rules and each peer by turns, on the first core."""
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    return [speed for name in names for speed in _measure_game(name, rounds, seconds)]


def _measure_game(name: str, rounds: int, seconds: float) -> list[Speed]:
    game = load_game(name)
    contenders: dict[str, Play] = {"ludens": our_play(game)}
    for peer, make in installed().items():
        play = make(name)
        if play is not None:
            contenders[peer] = play
    rates: dict[str, list[tuple[float, float]]] = {who: [] for who in contenders}
    for play in contenders.values():
        play(0.0)
    for _ in range(rounds):
        for who, play in contenders.items():
            began = time.perf_counter()
            games, steps = play(seconds)
            spent = time.perf_counter() - began
            rates[who].append((games / spent, steps / spent))
    copies = {"ludens": copy_ns(game)}
    return [_median(name, who, rates[who], copies.get(who)) for who in contenders]


def _median(
    game: str, who: str, rates: list[tuple[float, float]], copy: float | None
) -> Speed:
    games, steps = (statistics.median(column) for column in zip(*rates, strict=True))
    return Speed(game, who, games, steps, copy)


def our_play(game: Game) -> Play:
    """Play random games with our compiled rules."""
    kernel = game.kernel(bench_kernel)
    generator, totals = np.array([1], np.uint64), np.zeros(4)

    def play(seconds: float) -> tuple[int, int]:
        games = steps = 0
        batch = 1
        end = time.perf_counter() + seconds
        while True:
            steps += kernel.play_random(batch, generator, totals)
            games += batch
            if time.perf_counter() >= end:
                return games, steps
            batch = min(2 * batch, 10_000)

    return play


def copy_ns(game: Game) -> float:
    """Return the nanoseconds that a copy of one state takes, median of five."""
    kernel = game.kernel(bench_kernel)
    states = game.states(64)
    kernel.copy_around(states, 1)
    times = []
    for _ in range(5):
        began = time.perf_counter_ns()
        kernel.copy_around(states, NUM_COPIES)
        times.append((time.perf_counter_ns() - began) / NUM_COPIES)
    return statistics.median(times)


def report(speeds: list[Speed]) -> str:
    """Return the table, with how many times faster than each peer we are."""
    ours = {speed.game: speed for speed in speeds if speed.contender == "ludens"}
    head = ("game", "engine", "games/s", "steps/s", "copy", "ours is")
    lines = ["{:<14}{:<16}{:>12}{:>14}{:>9}{:>10}".format(*head)]
    for speed in speeds:
        times = ours[speed.game].steps / speed.steps
        copy = f"{speed.copy_ns:.0f} ns" if speed.copy_ns is not None else ""
        ratio = f"{times:.1f}x" if speed.contender != "ludens" else ""
        lines.append(
            f"{speed.game:<14}{speed.contender:<16}{speed.games:>12,.0f}"
            f"{speed.steps:>14,.0f}{copy:>9}{ratio:>10}"
        )
    return "\n".join(lines)


def main(names: list[str] | None = None, rounds: int = 5, seconds: float = 0.5) -> None:
    """Measure and print."""
    print(report(measure(names or list(game_files()), rounds, seconds)))
    for peer in missing():
        print(f"{peer} does not import here; it was not measured")
