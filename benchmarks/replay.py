"""Memory of a full replay window, and how quickly batches are drawn from it."""

import statistics
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Annotated

import numpy as np
import typer

import kernels
from ludens.learn.config import ReplayConfig
from ludens.learn.window import Window
from ludens.loading.game import Game, load_game
from ludens.selfplay.share import FULL, GameRecord
from script import run

CASES = ("connect_four", "gomoku:size=9")
MOST_STEPS = 1000
GAMES_AT_ONCE = 1000
NUM_BATCHES = 200


@dataclass(frozen=True)
class Speed:
    """Memory and speed of a full window."""

    game: str
    positions: int
    merged_share: float
    memory_mb: float
    add_us: float
    build_s: float
    batch_ms: float
    samples: float
    unrolled_ms: float


def random_games(game: Game, seed: int) -> Iterator[GameRecord]:
    """Play random games, one after the other, with policies as random."""
    kernel = game.kernel(kernels)
    generator = np.random.default_rng(seed)
    rng = np.array([seed], np.uint64)
    steps, is_action = np.empty(MOST_STEPS, np.int32), np.empty(MOST_STEPS, np.bool_)
    number = 0
    while True:
        count = kernel.record_random(rng, steps, is_action)
        num_plies = int(is_action[:count].sum())
        policies = generator.random((num_plies, game.num_actions), np.float32)
        yield GameRecord(
            number=number,
            seed=seed,
            net=0,
            history=steps[:count].copy(),
            kinds=np.full(num_plies, FULL, np.uint8),
            policies=(policies / game.num_actions).astype(np.float16),
            values=generator.uniform(-1, 1, num_plies).astype(np.float32),
            result=float(generator.integers(-1, 2)),
            is_over=count < MOST_STEPS,
            ending="played" if count < MOST_STEPS else "cut",
        )
        number += 1


def measure(spec: str, positions: int, batch_size: int, batches: int) -> Speed:
    """Fill a window with random games and draw from it."""
    game = load_game(spec)
    config = ReplayConfig(window_start=positions, window_max=positions)
    window = Window(game, config)
    games = random_games(game, seed=1)
    add_s = _fill(window, games, positions)
    began = time.perf_counter()
    window.build()
    build_s = time.perf_counter() - began
    rng = np.random.default_rng(1)
    batch_s = _median_s(lambda: window.sample(batch_size, rng), batches)
    unrolled_s = _median_s(lambda: window.unroll(batch_size, rng), batches)
    return Speed(
        spec,
        window.num_positions,
        window.merged_share,
        window.size_bytes / 1e6,
        1e6 * add_s / window.num_seen,
        build_s,
        1e3 * batch_s,
        batch_size / batch_s,
        1e3 * unrolled_s,
    )


def _median_s(draw: Callable[[], object], count: int) -> float:
    """Return the median time of drawing, a warm-up not counted."""
    draw()
    times = []
    for _ in range(count):
        began = time.perf_counter()
        draw()
        times.append(time.perf_counter() - began)
    return statistics.median(times)


def _fill(window: Window, games: Iterator[GameRecord], positions: int) -> float:
    """Add games until some have to leave; return the seconds it took, a warm-up not."""
    window.add([next(games)])
    window.build()
    spent = 0.0
    while window.num_seen <= positions:
        some = [next(games) for _ in range(GAMES_AT_ONCE)]
        began = time.perf_counter()
        window.add(some)
        spent += time.perf_counter() - began
    return spent


def main(
    positions: Annotated[
        int, typer.Option(help="Positions in the window.", min=1)
    ] = 500_000,
    batch_size: Annotated[int, typer.Option(help="Samples of a batch.", min=1)] = 1024,
) -> None:
    """Measure the memory of a replay window and the samples a second it gives."""
    print(f"one core, batches of {batch_size} (median), random symmetries")
    head = (
        "game",
        "positions",
        "merged",
        "memory",
        "add",
        "build",
        "batch",
        "samples/s",
        "unrolled",
    )
    print("{:<15}{:>10}{:>8}{:>10}{:>9}{:>8}{:>10}{:>12}{:>11}".format(*head))
    for spec in CASES:
        speed = measure(spec, positions, batch_size, NUM_BATCHES)
        print(
            f"{spec:<15}{speed.positions:>10,}{speed.merged_share:>8.1%}"
            f"{speed.memory_mb:>7.0f} MB{speed.add_us:>6.1f} us{speed.build_s:>6.2f} s"
            f"{speed.batch_ms:>7.2f} ms{speed.samples:>12,.0f}"
            f"{speed.unrolled_ms:>8.2f} ms",
            flush=True,
        )


if __name__ == "__main__":
    run(main)
