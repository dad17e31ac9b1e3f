"""One thread that thinks about one position at a time, and can be stopped."""

import sys
import threading
import time
import traceback
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import lru_cache
from queue import SimpleQueue

from ludens.agents import Agent, Limit, agent_maker
from ludens.agents.agent import Thought
from ludens.errors import UserError
from ludens.loading.game import Game, format_spec, load_game
from ludens.protocols.gomocup.board import Board, sane_move
from ludens.protocols.gomocup.preparing import Preparing
from ludens.search.memory import nodes_for

SLICE_S = 0.05
MOST_VISITS = 1_000_000


@dataclass
class Job:
    """A question, the time by which it is to be answered, and who gets the answer."""

    work: "Callable[[Job, Thinker], list[int]]"
    board: Board
    spec: str
    memory_mb: int
    end_s: float
    tell: "Callable[[Job, list[int] | UserError], None]"
    is_stopped: bool = False

    @property
    def left_s(self) -> float:
        """The time that is left."""
        return self.end_s - time.perf_counter()


@dataclass
class Thinker:
    """Does jobs, one after the other; one that is stopped ends with its slice."""

    preparing: Preparing
    complain: Callable[[str], None]
    _jobs: SimpleQueue[Job] = field(default_factory=SimpleQueue)
    _agent: Agent | None = None
    _key: tuple[str, int] = ("", 0)
    """The game and the memory of the agent."""

    def __post_init__(self) -> None:
        threading.Thread(target=self._run, name="thinking", daemon=True).start()

    def begin(self, job: Job) -> None:
        """Let a job be done after those before it, which should be stopped."""
        self._jobs.put(job)

    def think(self, job: Job, board: Board, seconds: float) -> Thought | None:
        """Think about a position of a job; None if no search is ready in time."""
        end_s = min(time.perf_counter() + seconds, job.end_s)
        game = self.preparing.wait(job.spec, end_s, lambda: job.is_stopped)
        if game is None:
            return None
        agent, state = self._agent_for(game, job.memory_mb), board.state(game)
        left_s = max(0.001, end_s - time.perf_counter())
        last = None
        thoughts = agent.think(state, Limit(seconds=left_s), min(SLICE_S, left_s))
        for thought in thoughts:
            last = thought or last
            is_late = time.perf_counter() >= end_s
            if job.is_stopped or is_late or (thought and thought.is_final):
                break
        return last

    def choose(self, job: Job, board: Board) -> int:
        """Return the cell to play on: the search's choice, or a sane move."""
        state = board.state(plain_game(job.spec))
        if state.is_over:
            raise UserError("the game is over")
        if not board.stones:
            return board.size // 2 * (board.size + 1)
        # What takes time is done before the time is up.
        spare = -1 if self.preparing.is_ready(job.spec) else sane_move(state)
        try:
            thought = self.think(job, board, job.left_s)
        except UserError as error:  # a solver that is out of time, for example
            self.complain(str(error))
            thought = None
        if thought is not None:
            return thought.action
        if not job.is_stopped:
            self.complain(f"{job.spec} is not ready; this move is a guess")
        return sane_move(state) if spare < 0 else spare

    def _agent_for(self, game: Game, memory_mb: int) -> Agent:
        """Return the agent of the last move, or one for another game or memory."""
        if self._agent is None or self._key != (game.spec, memory_mb):
            self._agent = None  # its tree goes before there is another
            who = self.preparing.agent_of(game)
            if who in ("mcts", "net"):
                room = nodes_for(game, MOST_VISITS, memory_mb)
                sizes = {"sims": room, "max_nodes": room, "memory_mb": memory_mb}
                who = format_spec(who, {"root": "puct", **sizes})
            self._agent = agent_maker(who, game)(0)
            self._key = (game.spec, memory_mb)
        return self._agent

    def _run(self) -> None:
        while True:
            job = self._jobs.get()
            if job.is_stopped:
                continue
            try:
                answer: list[int] | UserError = job.work(job, self)
            except UserError as error:
                answer = error
            except Exception as error:  # nobody may wait for an answer for ever
                traceback.print_exc(file=sys.stderr)
                answer = UserError(repr(error))
            job.tell(job, answer)


def move(job: Job, thinker: Thinker) -> list[int]:
    """Choose a move."""
    return [thinker.choose(job, job.board)]


@lru_cache(8)
def plain_game(spec: str) -> Game:
    """Return a game as ordinary Python, which is ready at once."""
    return load_game(spec, compiled=False)
