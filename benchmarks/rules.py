"""Random games a second on one core: ours and the peers', by turns in one run."""

import os
import statistics
import time
from dataclasses import dataclass
from typing import Annotated

import typer

import kernels
from ludens.bench.speed import Play, random_games
from ludens.loading.game import Game, game_files, load_game
from peers_rules import installed, missing
from script import run

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
    contenders: dict[str, Play] = {"ludens": random_games(game)}
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


def copy_ns(game: Game) -> float:
    """Return the nanoseconds that a copy of one state takes, median of five."""
    kernel = game.kernel(kernels)
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


def main(
    games: Annotated[
        list[str] | None,
        typer.Argument(help="Games to measure; all if none is named.", metavar="GAME"),
    ] = None,
    rounds: Annotated[
        int, typer.Option(help="Rounds by turns; medians are shown.", min=1)
    ] = 5,
    seconds: Annotated[
        float, typer.Option(help="Time of an engine in a round.", min=0.01)
    ] = 0.5,
) -> None:
    """Measure random games a second on one core, next to the peers installed."""
    print(report(measure(games or list(game_files()), rounds, seconds)))
    for peer in missing():
        print(f"{peer} does not import here; it was not measured")


if __name__ == "__main__":
    run(main)
