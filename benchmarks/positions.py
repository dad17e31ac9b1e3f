"""Random positions, and solvers in threads, for the scripts beside this one."""

from collections.abc import Callable, Generator, Iterable
from functools import partial
from queue import SimpleQueue
from typing import TypeVar

import numpy as np

from ludens.arena.openings import wins_at_once
from ludens.cores import num_cores
from ludens.loading.game import Game
from ludens.solver.exact import Solver
from ludens.state import State
from pool import in_order

T = TypeVar("T")


def random_state(game: Game, plies: int, generator: np.random.Generator) -> State:
    """Return a position after random moves that the mover cannot win at once."""
    while True:
        state = game.new(seed=int(generator.integers(2**31)))
        while state.num_plies < plies and not state.is_over:
            state.apply(int(generator.choice(state.legal_actions())))
        if not state.is_over and not wins_at_once(state):
            return state


def solve_many(
    game: Game, states: Iterable[State], solve: Callable[[Solver, State], T]
) -> Generator[T, None, None]:
    """Yield what is found out about each state, in order; they may be endless."""
    threads = num_cores()
    solvers: SimpleQueue[Solver] = SimpleQueue()
    for _ in range(threads):
        solvers.put(Solver(game, memory_mb=64))

    def solve_one(state: State) -> T:
        solver = solvers.get()  # one that nobody else uses meanwhile
        try:
            return solve(solver, state)
        finally:
            solvers.put(solver)

    yield from in_order((partial(solve_one, state) for state in states), threads)
