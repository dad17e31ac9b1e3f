"""Seconds to solve random positions exactly, by how far the game has gone."""

import statistics
from dataclasses import dataclass
from typing import Annotated

import numpy as np
import typer

from ludens.loading.game import load_game
from ludens.solver.exact import Solver, Unsolved
from positions import random_state
from script import run

CASES = (
    ("tic_tac_toe", (0,)),
    ("connect_four", (28, 24, 20, 16, 12, 10, 8)),
    ("triple_triad", (0,)),
    ("pyrga", (20, 18, 16, 14)),
    ("gomoku:size=7", (40, 36, 32, 28)),
)


@dataclass(frozen=True)
class Effort:
    """What it takes to solve positions after so many plies."""

    game: str
    plies: int
    positions: int
    solved: int
    median_s: float
    slowest_s: float
    nodes: float


MEMORY_MB = 256


def measure(spec: str, plies: int, positions: int, limit_s: float) -> Effort:
    """Solve random positions, each with an empty table."""
    game = load_game(spec)
    generator = np.random.default_rng(plies)
    times, nodes, solved = [], [], 0
    solver = Solver(game, MEMORY_MB)
    for _ in range(positions):
        state = random_state(game, plies, generator)
        solver.forget()
        with solver.limits(limit_s):
            try:
                solver.value(state)
                solved += 1
            except Unsolved:
                pass
            times.append(solver.seconds)
        nodes.append(solver.nodes)
    median = statistics.median(times)
    return Effort(
        spec, plies, positions, solved, median, max(times), statistics.median(nodes)
    )


def main(
    positions: Annotated[
        int, typer.Option(help="Positions at each stage of a game.", min=1)
    ] = 20,
    seconds: Annotated[
        float, typer.Option(help="Limit of time for a position.", min=0.01)
    ] = 10,
) -> None:
    """Measure the time to solve random positions, by how far the game has gone."""
    print(f"limit {seconds:g} s a position, one core, empty table each time")
    head = ("game", "plies", "solved", "median", "slowest", "nodes (median)")
    print("{:<16}{:>6}{:>9}{:>11}{:>11}{:>16}".format(*head))
    for spec, stages in CASES:
        for plies in stages:
            effort = measure(spec, plies, positions, seconds)
            solved = f"{effort.solved}/{effort.positions}"
            print(
                f"{spec:<16}{plies:>6}{solved:>9}{effort.median_s:>9.4f} s"
                f"{effort.slowest_s:>9.3f} s{effort.nodes:>16,.0f}",
                flush=True,
            )


if __name__ == "__main__":
    run(main)
