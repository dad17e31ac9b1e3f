"""Exact play: the value of a position, the best moves and a line of perfect play."""

import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass

import numpy as np

from ludens.errors import UserError
from ludens.loading.game import Game
from ludens.solver import kernel as solver_kernel
from ludens.solver.kernel import down, up
from ludens.solver.stack import interruptible, make_stack, stopped_after, table_size
from ludens.state import State

MAX_NODES = 2**62


class Unsolved(UserError):
    """The limit of nodes or seconds was reached first."""


@dataclass(frozen=True)
class Value:
    """What perfect play leads to, for the player to move."""

    outcome: int
    """1 a win, 0 a draw, -1 a loss."""
    plies: int | None
    """How far away the end is (the quickest win, the longest loss); None: draw."""

    def __str__(self) -> str:
        word = {1: "win", 0: "draw", -1: "loss"}[self.outcome]
        if self.plies is None:
            return word
        return f"{word} in {self.plies} {'ply' if self.plies == 1 else 'plies'}"


@dataclass(frozen=True)
class Solution:
    """A solved position."""

    value: Value
    best: tuple[int, ...]
    """All actions that keep the value."""
    line: tuple[int, ...]
    """Perfect play to the end, the first of the best moves each time."""
    nodes: int
    seconds: float

    def named_line(self, state: State) -> list[str]:
        """Return the line in notation; the state is the one that was solved."""
        return named(state, self.line)


class Solver:
    """Solve positions of one game; what one search learns serves the next."""

    def __init__(self, game: Game, memory_mb: int = 256) -> None:
        require_solvable(game, "the solver")
        self.game = game
        self._kernel = game.kernel(solver_kernel)
        size = table_size(memory_mb, self._kernel.ENTRY)
        self._stack = make_stack(game, self._kernel, size)
        self._max_nodes = MAX_NODES
        self._limit = ""
        self._began = time.perf_counter()
        self._compile()

    @property
    def nodes(self) -> int:
        """How many nodes were searched since the limits were set."""
        return int(self._stack.nodes[0])

    @property
    def seconds(self) -> float:
        """How much time has passed since the limits were set."""
        return time.perf_counter() - self._began

    def forget(self) -> None:
        """Empty the table, as if nothing had been solved before."""
        self._stack.table.view(np.uint8)[:] = 0
        self._stack.history[:] = 0

    @contextmanager
    def limits(
        self, seconds: float | None = None, nodes: int | None = None
    ) -> Iterator[None]:
        """Raise Unsolved in this block once so much time or so many nodes are spent."""
        self._began = time.perf_counter()
        self._stack.nodes[0] = 0
        self._stack.stop[0] = False
        self._max_nodes = MAX_NODES if nodes is None else nodes
        given = ((seconds, "{:g} s"), (nodes, "{:,} nodes"))
        self._limit = " or ".join(w.format(n) for n, w in given if n is not None)
        try:
            with stopped_after(self._stack.stop, seconds):
                yield
        finally:
            self._max_nodes = MAX_NODES

    def stop(self) -> None:
        """Let what another thread solves within limits end as if time was up."""
        self._stack.stop[0] = True

    def solve(
        self, state: State, seconds: float | None = None, nodes: int | None = None
    ) -> Solution:
        """Return the value, the best moves and a line of perfect play."""
        _refuse_over(state)
        return interruptible(
            lambda: self._solve(state, seconds, nodes), self._stack.stop
        )

    def _solve(
        self, state: State, seconds: float | None, nodes: int | None
    ) -> Solution:
        with self.limits(seconds, nodes):
            exact = self._exact(state)
            best = tuple(
                a for a in state.legal_actions() if self._keeps(state, a, exact)
            )
            line = self._line(state, best[0])
        return Solution(self._value(exact), best, line, self.nodes, self.seconds)

    def score(self, state: State) -> int:
        """Return the value as connect four players count it.

        A winner's score is one more than half the board less the moves he has made when
        he wins, so that quicker is more; the loser's is the same with a minus sign.
        """
        value = self.value(state)
        if value.plies is None:
            return 0
        played, left = state.num_plies, value.plies
        mover_wins = value.outcome > 0
        moves = (
            played // 2 + (left + 1) // 2
            if mover_wins
            else (played + 1) // 2 + left // 2
        )
        return value.outcome * (self.game.plain.MAX_PLIES // 2 + 1 - moves)

    def value(self, state: State) -> Value:
        """Return the value of a position that is not over."""
        _refuse_over(state)
        exact = interruptible(lambda: self._exact(state), self._stack.stop)
        return self._value(exact)

    def values(self, state: State) -> dict[int, Value]:
        """Return the value of every legal action, for the player who makes it."""
        return interruptible(lambda: self._values(state), self._stack.stop)

    def _values(self, state: State) -> dict[int, Value]:
        found = {}
        for action in state.legal_actions():
            child = state.copy()
            child.apply(action)
            found[action] = self._value(
                self._seen_from(state, child, self._exact(child))
            )
        return found

    def outcomes(self, state: State) -> dict[int, int]:
        """Return what every legal action leads to, 1, 0 or -1 for who makes it.

        How far away the end is stays open, which is far less work than `values`.
        """
        found = {}
        for action in state.legal_actions():
            child = state.copy()
            child.apply(action)
            mover = 0 if child.is_over else child.to_play
            sign = 1 if mover == state.to_play else -1
            found[action] = sign * self._outcome(child)
        return found

    def _outcome(self, state: State) -> int:
        """Return who wins, 1, 0 or -1 for the player to move (if over, player 0)."""
        if state.is_over:
            return int(state.result or 0)
        if self._search(state, 0, 1) > 0:
            return 1
        return -1 if self._search(state, -1, 0) < 0 else 0

    def _compile(self) -> None:
        """Call everything once, so that compiling does not count as solving.

        Nor does the first touch of the table's memory: 0.1 s for 256 MB.
        """
        self.forget()
        state = self.game.new(seed=0)
        with suppress(Unsolved), self.limits(nodes=0):
            self._search(state, 0, 1)
        while not state.is_over:
            state.apply(state.legal_actions()[0])
        self._seen_from(state, state, self._exact(state))

    def _exact(self, state: State) -> int:
        """Narrow the value down by asking whether it is above some middle."""
        win: int = self._kernel.WIN
        if state.is_over:
            return int(state.result or 0) * win
        low, high = -(win - 1), win - 1
        while low < high:
            # First who wins, then how quickly.
            middle = (
                0 if low < 1 <= high else -1 if low < 0 <= high else (low + high) // 2
            )
            value = self._search(state, middle, middle + 1)
            low, high = (value, high) if value > middle else (low, value)
        return low

    def _search(self, state: State, alpha: int, beta: int) -> int:
        """Return the value, or a bound of it outside (alpha, beta)."""
        self._stack.states[0] = state.raw
        window = (alpha, beta)
        value = self._kernel.search(self._stack, window, self._max_nodes)
        if value == self._kernel.STOPPED:
            raise Unsolved(
                f"not solved within {self._limit} ({self.nodes:,} nodes searched)"
            )
        if value == self._kernel.HAS_CHANCE:
            raise UserError(
                f"{self.game.name} has chance; only games without can be solved"
            )
        return int(value)

    def _keeps(self, state: State, action: int, exact: int) -> bool:
        """Tell whether an action keeps the value of the position."""
        child = state.copy()
        child.apply(action)
        if child.is_over:
            return self._seen_from(state, child, self._exact(child)) >= exact
        flips = child.to_play != state.to_play
        bound = down(exact, flips)
        if flips:
            return self._search(child, bound, bound + 1) <= bound
        return self._search(child, bound - 1, bound) >= bound

    def _seen_from(self, state: State, child: State, exact: int) -> int:
        """Return a child's value one ply higher, for the player who moved there."""
        mover = 0 if child.is_over else child.to_play
        return up(exact, mover != state.to_play)

    def _line(self, state: State, first: int) -> tuple[int, ...]:
        """Follow a best move, then best moves to the end."""
        line = [first]
        at = state.copy()
        at.apply(first)
        while not at.is_over:
            exact = self._exact(at)
            line.append(
                next(a for a in at.legal_actions() if self._keeps(at, a, exact))
            )
            at.apply(line[-1])
        return tuple(line)

    def _value(self, exact: int) -> Value:
        if exact == 0:
            return Value(0, None)
        return Value(1 if exact > 0 else -1, self._kernel.WIN - abs(exact))


def named(state: State, line: tuple[int, ...]) -> list[str]:
    """Return actions that follow one another in notation."""
    names, at = [], state.copy()
    for action in line:
        names.append(at.action_name(action))
        at.apply(action)
    return names


def _refuse_over(state: State) -> None:
    if state.is_over:
        raise UserError("the game is over in this position")


def require_provable(game: Game, what: str) -> None:
    """Refuse games that a search cannot have proofs of."""
    require_solvable(game, what)
    if game.turn_order.has_chance:
        raise UserError(f"{what} is for games without chance, not {game.name}")


def require_solvable(game: Game, what: str) -> None:
    """Refuse games that exact play says nothing about."""
    game.require_rules(what)
    if game.num_players != 2:
        raise UserError(
            f"{game.name} is for one player; only two-player games are solved"
        )
    if game.plain.MAX_PLIES == 0:
        raise UserError(
            f"{game.name} has no longest game (MAX_PLIES); it cannot be solved"
        )
