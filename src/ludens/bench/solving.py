"""Solve many positions in threads, in their order."""

from collections.abc import Callable, Generator, Iterable
from functools import partial
from queue import SimpleQueue
from typing import TypeVar

from ludens.arena.pool import in_order
from ludens.cores import num_cores
from ludens.loading.game import Game
from ludens.solver.exact import Solver
from ludens.state import State

T = TypeVar("T")


def solve_many(
    game: Game, states: Iterable[State], solve: Callable[[Solver, State], T]
) -> Generator[T, None, None]:
    """Yield what is found out about each state; there may be no end of them."""
    threads = num_cores()
    solvers: SimpleQueue[Solver] = SimpleQueue()
    for _ in range(threads):
        solvers.put(Solver(game))

    def solve_one(state: State) -> T:
        solver = solvers.get()  # one that nobody else uses meanwhile
        try:
            return solve(solver, state)
        finally:
            solvers.put(solver)

    yield from in_order((partial(solve_one, state) for state in states), threads)
