"""Seconds to solve random positions exactly, by how far the game has gone."""

import statistics
from dataclasses import dataclass

import numpy as np

from ludens.loading.game import Game, load_game
from ludens.solver.exact import Solver, Unsolved
from ludens.state import State

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


def random_state(game: Game, plies: int, generator: np.random.Generator) -> State:
    """Return a position after random moves that the mover cannot win at once."""
    while True:
        state = game.new(seed=int(generator.integers(2**31)))
        while state.num_plies < plies and not state.is_over:
            state.apply(int(generator.choice(state.legal_actions())))
        if not state.is_over and not _wins_at_once(state):
            return state


def _wins_at_once(state: State) -> bool:
    for action in state.legal_actions():
        child = state.copy()
        child.apply(action)
        if child.is_over and child.result == 1 - 2 * state.to_play:
            return True
    return False


def measure(spec: str, plies: int, positions: int, limit_s: float) -> Effort:
    """Solve random positions, each with an empty table."""
    game = load_game(spec)
    generator = np.random.default_rng(plies)
    times, nodes, solved = [], [], 0
    solver = Solver(game)
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


def main(positions: int = 20, limit_s: float = 10) -> None:
    """Measure and print."""
    print(f"limit {limit_s:g} s a position, one core, empty table each time")
    head = ("game", "plies", "solved", "median", "slowest", "nodes (median)")
    print("{:<16}{:>6}{:>9}{:>11}{:>11}{:>16}".format(*head))
    for spec, stages in CASES:
        for plies in stages:
            effort = measure(spec, plies, positions, limit_s)
            solved = f"{effort.solved}/{effort.positions}"
            print(
                f"{spec:<16}{plies:>6}{solved:>9}{effort.median_s:>9.4f} s"
                f"{effort.slowest_s:>9.3f} s{effort.nodes:>16,.0f}",
                flush=True,
            )
