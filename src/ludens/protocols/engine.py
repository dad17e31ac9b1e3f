"""An analysis engine for every game: queries in, answers out, a line of JSON each.

Queries about positions wait for one of a few threads, those of the highest priority
first; a thread thinks about one position until it is done, or terminated. All other
queries are answered at once.
"""

import sys
import threading
import time
import traceback
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from queue import PriorityQueue
from typing import Any

from ludens.agents import Limit, Maker
from ludens.agents.agent import SLICE_S, Thought
from ludens.agents.simple import in_slices
from ludens.errors import UserError
from ludens.loading.game import Game
from ludens.protocols import queries as ask
from ludens.protocols.answers import (
    NOTHING,
    Reply,
    allowed_actions,
    analysis_reply,
    legal_reply,
    move_reply,
    solution_reply,
    version_reply,
)
from ludens.protocols.positions import last_position, turns
from ludens.search.memory import nodes_for
from ludens.solver.exact import Solver
from ludens.state import State

MEMORY_MB = 512
"""For a tree whose search only a clock ends."""
MOST_VISITS = 1_000_000


@dataclass(order=True)
class Task:
    """A position to think about; what is urgent comes first, then what came first."""

    urgency: int
    number: int
    asked: Any = field(compare=False)
    state: State = field(compare=False)
    is_begun: bool = field(default=False, compare=False)
    is_terminated: bool = field(default=False, compare=False)

    @property
    def head(self) -> Reply:
        """What every answer begins with."""
        head = {"id": self.asked.id, "turnNumber": self.state.num_plies}
        if not isinstance(self.asked, ask.Analyze):
            head["action"] = self.asked.action
        return head


class Engine:
    """Answers queries about one game with agents of one kind.

    `write` gets each answer, from one thread at a time.
    """

    def __init__(
        self,
        game: Game,
        agent: str,
        make: Maker,
        write: Callable[[Reply], None],
        num_threads: int = 1,
    ) -> None:
        self._game = game
        self._agent = agent
        self._make = make
        self._write = write
        self._writing = threading.Lock()
        self._error: OSError | None = None
        self._waiting: PriorityQueue[Task] = PriorityQueue()
        self._open: list[Task] = []
        """Tasks that wait, or are thought about."""
        self._changing = threading.Lock()
        self._count = 0
        for number in range(num_threads):
            name = f"thinker {number}"
            threading.Thread(target=self._work, name=name, daemon=True).start()

    def run(self, lines: Iterable[str]) -> None:
        """Answer all queries; return when the last of them is answered."""
        for line in lines:
            if line.strip():
                self.take(line)
            if self._error is not None:
                raise self._error
        self._waiting.join()

    def take(self, line: str) -> None:
        """Answer a query, or let it wait for a thread."""
        known = None
        try:
            asked = ask.read_query(line)
            known = asked.id
            for name in asked.unknown:
                warning = f"there is no field {name!r}; it is ignored"
                self._tell({"id": known, "warning": warning, "field": name})
            if isinstance(asked, ask.Thinking):
                self._queue(asked)
            else:
                self._answer(asked)
        except UserError as error:
            self._blame(error, known)

    def _answer(self, asked: Any) -> None:
        reply: Reply = {"id": asked.id, "action": asked.action}
        if isinstance(asked, ask.Legal):
            reply |= legal_reply(last_position(self._game, asked))
        elif isinstance(asked, ask.QueryVersion):
            reply |= version_reply(self._game, self._agent)
        elif isinstance(asked, ask.Terminate):
            reply["terminateId"] = asked.terminate_id
        self._tell(reply)
        if isinstance(asked, ask.Terminate | ask.TerminateAll):
            self._terminate(getattr(asked, "terminate_id", None), asked.turn_numbers)

    def _queue(self, asked: Any) -> None:
        """Let the positions of a query wait for a thread."""
        for state in self._positions(asked):
            with self._changing:
                self._count += 1
                task = Task(-asked.priority, self._count, asked, state)
                self._open.append(task)
            self._waiting.put(task)

    def _positions(self, asked: Any) -> list[State]:
        """Return the positions that a query wants thought about."""
        known = turns(self._game, asked)
        wanted, place = [max(known)], "moves"
        if isinstance(asked, ask.Analyze) and asked.analyze_turns is not None:
            wanted, place = asked.analyze_turns, "analyzeTurns"
        for turn in wanted:
            if turn not in known:
                raise ask.BadQuery(f"the game has {max(known)} moves", place)
            if known[turn].is_over:
                raise ask.BadQuery(f"the game is over after {turn} moves", place)
            if isinstance(asked, ask.Analyze):
                allowed_actions(known[turn], asked)
        return [known[turn] for turn in wanted]

    def _terminate(self, query: str | None, turn_numbers: list[int] | None) -> None:
        """End tasks; those that no thread has begun are answered here."""
        with self._changing:
            ended = [
                task
                for task in self._open
                if query in (None, task.asked.id)
                and (turn_numbers is None or task.state.num_plies in turn_numbers)
            ]
            for task in ended:
                task.is_terminated = True
            unbegun = [task for task in ended if not task.is_begun]
            self._open = [task for task in self._open if task not in unbegun]
        for task in unbegun:
            self._tell(task.head | self._last(task, None))

    def _work(self) -> None:
        """Do one task after the other."""
        while True:
            task = self._waiting.get()
            with self._changing:
                task.is_begun = not task.is_terminated
            try:
                if task.is_begun:
                    self._tell(task.head | self._think(task))
            except UserError as error:
                self._blame(error, task.asked.id)
            except Exception as error:  # nobody may wait for an answer for ever
                traceback.print_exc(file=sys.stderr)
                self._blame(error, task.asked.id)
            finally:
                with self._changing:
                    self._open = [one for one in self._open if one is not task]
                self._waiting.task_done()

    def _think(self, task: Task) -> Reply:
        """Think about a position; return the last answer."""
        asked = task.asked
        if isinstance(asked, ask.Solve):
            return self._solve(task)
        thought, told_s = None, time.perf_counter()
        every_s = getattr(asked, "report_during_search_every", None)
        for thought in self._thoughts(task, min(SLICE_S, every_s or SLICE_S)):
            is_due = every_s and time.perf_counter() >= told_s + every_s
            if is_due and thought.analyse is not None:
                told_s = time.perf_counter()
                report = analysis_reply(thought, task.state, asked, is_during=True)
                self._tell(task.head | report)
        return self._last(task, thought)

    def _last(self, task: Task, thought: Thought | None) -> Reply:
        """Return the last answer to a query."""
        if isinstance(task.asked, ask.Genmove):
            return move_reply(thought, task.state)
        if isinstance(task.asked, ask.Solve):
            return NOTHING
        return analysis_reply(thought, task.state, task.asked, is_during=False)

    def _thoughts(self, task: Task, slice_s: float) -> Iterator[Thought]:
        """Give what an agent knows after each slice, until it is terminated."""
        agent, limit = self._make(task.asked.seed), self._limit(task)
        for thought in agent.think(task.state, limit, slice_s):
            if thought is not None:
                yield thought
            if task.is_terminated:
                return

    def _limit(self, task: Task) -> Limit:
        """Return how long to think; what only a clock ends gets room for a tree."""
        asked, moves = task.asked, None
        if isinstance(asked, ask.Analyze):
            moves = allowed_actions(task.state, asked)
        sims = asked.max_visits
        if sims is None and asked.max_time is not None:
            sims = nodes_for(self._game, MOST_VISITS, MEMORY_MB)
        return Limit(sims=sims, seconds=asked.max_time, moves=moves)

    def _solve(self, task: Task) -> Reply:
        solver, state = Solver(self._game, memory_mb=64), task.state
        limit = Limit(seconds=task.asked.max_time)
        work = in_slices(lambda part: solver.solve(state, part.seconds), limit, SLICE_S)
        while not task.is_terminated:
            try:
                next(work)
            except StopIteration as end:
                return solution_reply(end.value, state)
        return NOTHING

    def _blame(self, error: Exception, known: str | None) -> None:
        reply = {"id": getattr(error, "id", None) or known, "error": str(error)}
        place = getattr(error, "field", "")
        self._tell(reply | ({"field": place} if place else {}))

    def _tell(self, reply: Reply) -> None:
        with self._writing:
            try:
                self._write(reply)
            except OSError as error:  # nobody listens any more
                self._error = error
