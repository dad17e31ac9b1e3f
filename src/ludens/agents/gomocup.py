"""Programs that speak the Gomocup protocol as agents, and what both sides know of it.

Every fault of such a program, to end, to be late, to talk nonsense or to play where it
may not, is a Forfeit: it loses the game, and nothing else happens.
"""

import re
import time
from collections.abc import Generator, Iterator
from dataclasses import dataclass

import numpy as np

from ludens.agents.agent import NO_LIMIT, SLICE_S, Agent, Limit, Thought
from ludens.agents.analysis import Analysis
from ludens.agents.programs import Program, shown
from ludens.errors import Forfeit, UserError
from ludens.loading.game import Game, title_of
from ludens.settings import setting, verify
from ludens.state import State

RULE_BITS = {"freestyle": 0, "standard": 1, "renju": 4, "caro": 8}
"""The rules of gomoku as `INFO rule` names them."""
POINT = re.compile(r"(\d{1,4})\s*,\s*(\d{1,4})", re.ASCII)
SILENT = ("MESSAGE", "DEBUG", "INFO")
"""How lines begin that are not for us."""
FOREVER_MS = 2**31 - 1


@dataclass(frozen=True)
class EngineChoice:
    """Which program plays, and what it may take."""

    cmd: str = setting("", "the command that starts a Gomocup program")
    seconds: float = setting(1.0, "time for a move", low=0.001)
    grace: float = setting(1.0, "seconds after which a move is too late")
    start: float = setting(30.0, "seconds until it has answered START", low=0.001)
    memory_mb: int = setting(0, "memory that it is told to keep to; 0: any")

    def __post_init__(self) -> None:
        verify(self)


class EngineAgent(Agent):
    """Let a program play, which runs from the first question until it is closed."""

    name = "engine"

    def __init__(
        self, game: Game, seed: int, choice: EngineChoice, words: list[str]
    ) -> None:
        super().__init__(seed, Limit(seconds=choice.seconds))
        self._game = game
        self._size = int(game.options["size"])
        self._choice = choice
        self._words = words
        self._program: Program | None = None
        self._known: list[int] | None = None
        """The moves that the program knows of, None: none that it was told."""

    def open(self) -> None:
        """Start the program; raise UserError if it does not begin a game."""
        try:
            for _ in self._start():
                pass
        except Forfeit:
            self.close()
            raise

    def close(self) -> None:
        """Kill the program with all its children."""
        if self._program is not None:
            self._program.close()
            self._program = self._known = None

    def choose(self, state: State, limit: Limit = NO_LIMIT) -> int:
        """Return what the program plays; raise Forfeit if that is no move."""
        *_, last = self.think(state, limit)
        assert last is not None
        return last.action

    def analyse(self, state: State, limit: Limit = NO_LIMIT) -> Analysis:
        """Refuse: the protocol has no words for it."""
        raise UserError("an engine tells nothing but its moves")

    def think(
        self, state: State, limit: Limit = NO_LIMIT, slice_s: float = SLICE_S
    ) -> Iterator[Thought | None]:
        """Yield None while the program thinks, then its move."""
        seconds = limit.over(self.default).seconds or self._choice.seconds
        try:
            program = yield from self._ask(state, seconds)
            until_s = time.perf_counter() + seconds + self._choice.grace
            answer = yield from _answer(program, until_s)
            if answer.upper().startswith("SUGGEST "):
                program.say(f"PLAY {answer[8:].strip()}")
                answer = yield from _answer(program, until_s)
            action = self._read(answer, state)
        except Forfeit:
            self.close()
            raise
        self._known = [*_cells(state), action]
        yield Thought(action, is_final=True)

    def stop(self) -> None:
        """Kill the program: it would think on."""
        self.close()

    def _start(self) -> Generator[None, None, Program]:
        """Return the program, which is about to play on an empty board."""
        if self._program is not None:
            self._program.say("RESTART")
            until_s = time.perf_counter() + self._choice.start
            if (yield from _answer(self._program, until_s)).upper() == "OK":
                return self._program
            self.close()
        self._program = program = Program(self._words)
        until_s = time.perf_counter() + self._choice.start
        program.say(f"START {self._size}")
        answer = yield from _answer(program, until_s)
        if answer.upper() != "OK":
            raise Forfeit(f"it answers START {self._size} with {shown(answer)!r}")
        return program

    def _ask(self, state: State, seconds: float) -> Generator[None, None, Program]:
        """Tell the program the position, and that it is to move."""
        cells, program = _cells(state), self._program
        goes_on = program is not None and cells and self._known == cells[:-1]
        if program is None or not goes_on:
            program = yield from self._start()
        program.say(
            f"INFO rule {RULE_BITS[str(self._game.options['rule'])]}",
            f"INFO max_memory {self._choice.memory_mb * 2**20}",
            f"INFO timeout_turn {max(1, round(1000 * seconds))}",
            "INFO timeout_match 0",
            f"INFO time_left {FOREVER_MS}",
        )
        if goes_on:
            program.say(f"TURN {self._point(cells[-1])}")
        elif not cells:
            program.say("BEGIN")
        else:
            own, board = 1 - 2 * state.to_play, state.look()["board"].ravel()
            whose = {cell: 1 if board[cell] == own else 2 for cell in cells}
            stones = [f"{self._point(cell)},{whose[cell]}" for cell in cells]
            program.say("BOARD", *stones, "DONE")
        return program

    def _read(self, answer: str, state: State) -> int:
        """Return the action of an answer, or say what is wrong with it."""
        try:
            cell = read_point(answer, self._size)
        except UserError:
            raise Forfeit(f"its answer {shown(answer)!r} is no move") from None
        if cell not in state.legal_actions():
            why = state.why_illegal(cell)
            raise Forfeit(f"it plays {state.action_name(cell)} illegally ({why})")
        return cell

    def _point(self, cell: int) -> str:
        return point_name(cell, self._size)


def check_game(game: Game) -> None:
    """Refuse a game that the protocol has no words for."""
    size, row = (int(game.options.get(name, 0)) for name in ("size", "row"))
    if title_of(game.name) != "gomoku" or row != 5 or game.num_actions != size**2:
        plays = "gomoku with five in a row, without swap2 and rif"
        raise UserError(f"engine plays {plays}, not {game.spec}")


def read_point(text: str, size: int) -> int:
    """Return the cell of a point such as "7,7": column and row from the top left."""
    match = POINT.fullmatch(text.strip())
    if match is None:
        raise UserError("a point is two numbers, such as 7,7")
    x, y = int(match[1]), int(match[2])
    if max(x, y) >= size:
        raise UserError(f"{x},{y} is not on the board")
    return y * size + x


def point_name(cell: int, size: int) -> str:
    """Return the text that `read_point` reads."""
    return f"{cell % size},{cell // size}"


def rule_of(bits: int) -> str:
    """Return the rule that the bits of `INFO rule` name."""
    named = (rule for rule in ("renju", "caro", "standard") if bits & RULE_BITS[rule])
    return next(named, "freestyle")


def _answer(program: Program, until_s: float) -> Generator[None, None, str]:
    """Return the next line of a program that says something to us."""
    while True:
        line = program.hear(until_s)
        if line is None:
            yield None
        elif line.strip() and not line.upper().lstrip().startswith(SILENT):
            return line.strip()


def _cells(state: State) -> list[int]:
    """Return the cells that are taken, in the order of the moves if that is known."""
    if all(isinstance(step, int) for step in state.history):
        return [int(step) for step in state.history]
    return [int(cell) for cell in np.flatnonzero(state.look()["board"])]
