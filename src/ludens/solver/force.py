"""Wins by force: whether there is one, and the line that shows it."""

import time
from dataclasses import dataclass

import numpy as np

from ludens.errors import UserError
from ludens.loading.game import Game
from ludens.solver import kernel as solver_kernel
from ludens.solver.exact import MAX_NODES, named, require_provable
from ludens.solver.stack import (
    interruptible,
    make_force_stack,
    stopped_after,
    table_size,
)
from ludens.state import State


@dataclass(frozen=True)
class Forced:
    """What was found out about a position."""

    moves: int
    """How many moves win, at least, with the fewest of one kind; 0: none were found."""
    line: tuple[int, ...]
    """Them with the answers that hold out longest, to the end of the game."""
    is_complete: bool
    """Whether a win by force was found, or there is none at all."""
    nodes: int
    """Positions of the attacker that were looked at."""
    seconds: float

    def __str__(self) -> str:
        if self.moves:
            return f"wins by force in {self.moves} move{'s' * (self.moves > 1)}"
        return "no win by force" + " was found within the limits" * (
            not self.is_complete
        )

    def named_line(self, state: State) -> list[str]:
        """Return the line in notation; the state is the one that was asked about."""
        return named(state, self.line)


class ForceProver:
    """Look for wins by force in positions of one game."""

    def __init__(self, game: Game, memory_mb: int = 256) -> None:
        require_forcing(game, "a win by force")
        self.game = game
        self._kernel = game.kernel(solver_kernel)
        size = table_size(memory_mb, self._kernel.FORCE_ENTRY)
        self._stack = make_force_stack(game, self._kernel, size)
        self._ask(game.new(seed=0), 0)  # compiles

    def prove(
        self, state: State, seconds: float | None = None, nodes: int | None = None
    ) -> Forced:
        """Return a win by force for the player to move, if one is found in time.

        The limits are for the win; the line costs a little more.
        """
        if state.is_over:
            raise UserError("the game is over in this position")
        return interruptible(
            lambda: self._prove(state, seconds, nodes), self._stack.stop
        )

    def _prove(self, state: State, seconds: float | None, nodes: int | None) -> Forced:
        began_s = time.perf_counter()
        with stopped_after(self._stack.stop, seconds):
            verdict, moves, _ = self._ask(state, MAX_NODES if nodes is None else nodes)
        num_nodes = int(self._stack.counts[0])
        is_won = verdict == self._kernel.WON
        line = tuple(self._line(state)) if is_won else ()
        seconds = time.perf_counter() - began_s
        is_complete = verdict in (self._kernel.WON, self._kernel.UNWON)
        return Forced(moves if is_won else 0, line, is_complete, num_nodes, seconds)

    def _ask(self, state: State, nodes: int) -> tuple[int, int, int]:
        """Return the verdict on a position, the number of moves and the first one."""
        stack = self._stack
        stack.states[0] = state.raw
        verdict = int(self._kernel.force(stack, nodes, nodes))
        frame = stack.frames[0]
        return verdict, int(frame.left), int(stack.actions[0, max(0, frame.next - 1)])

    def _line(self, state: State) -> list[int]:
        """Follow a win against the answers that hold out longest."""
        at, attacker, line = state.copy(), state.to_play, list[int]()
        while not at.is_over:
            action = (
                self._ask(at, MAX_NODES)[2]
                if at.to_play == attacker
                else self._toughest(at, attacker)
            )
            line.append(action)
            at.apply(action)
        return line

    def _toughest(self, state: State, attacker: int) -> int:
        """Return the answer after which the win takes the most moves."""
        actions = np.empty(self.game.num_actions, np.int32)
        count = self.game.rules.answers(state.raw, actions)
        lengths = {}
        for action in map(int, actions[:count]):
            after = state.copy()
            after.apply(action)
            lengths[action] = self._ask(after, MAX_NODES)[1]
        return max(lengths, key=lengths.__getitem__)


def require_forcing(game: Game, what: str) -> None:
    """Refuse games that do not say which moves force an answer."""
    require_provable(game, what)
    if not game.defines("forcing"):
        raise UserError(
            f"{game.name} does not say which moves force an answer (forcing)"
        )


def require_pressing(game: Game, what: str) -> None:
    """Refuse games that do not say which moves threaten a win by force."""
    if not game.defines("pressing"):
        raise UserError(f"{game.name} has no moves that press; {what} is for those")
