"""What all pages share: the library, the answers, and the threads that think."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial

from ludens.agents import Agent, SearchAgent
from ludens.agents.simple import SolverAgent
from ludens.cores import num_cores
from ludens.errors import UserError
from ludens.nets.finding import usual_agent
from ludens.state import State
from ludens.web import messages, work
from ludens.web.answers import Answers
from ludens.web.library import Library
from ludens.web.limits import MAX_JOBS, MAX_SOCKETS
from ludens.web.players import maker_of, openly
from ludens.web.positions import open_game, tell_game
from ludens.web.thinking import Crew, Job, Work
from ludens.web.work import Task

NUM_CLERKS = MAX_SOCKETS * (MAX_JOBS + 1)
"""Threads for what needs no thinking: reading, replaying, compiling. They are as many
as there can be requests, so that no page waits while another's game is compiled."""
SOLVER_S, REVIEW_SOLVER_S = 10.0, 2.0
"""What a solver has for a move, if nobody says so."""
Begin = Callable[[Job], Work]
Grown = dict[str, SearchAgent]
"""The search of the last tree that a page has seen, by what it was asked for."""
Thinking = (
    messages.Move | messages.Analyse | messages.Review | messages.Solve | messages.Tree
)


class Desk:
    """Prepare what pages ask for."""

    def __init__(self, library: Library, num_threads: int = 0) -> None:
        self.library = library
        self.answers = Answers(library)
        self.crew = Crew(num_threads or num_cores())
        self.clerks = ThreadPoolExecutor(NUM_CLERKS, "clerk")
        self._warm: set[tuple[str, str]] = set()

    def close(self) -> None:
        """End all threads."""
        self.crew.close()
        self.clerks.shutdown(wait=False, cancel_futures=True)

    def prepare(self, request: Thinking, grown: Grown) -> Begin:
        """Load all that some thinking needs, and compile it if it never was."""
        is_move = isinstance(request, messages.Move)
        state, told = (
            tell_game(self.library, request.game)
            if is_move
            else (open_game(self.library, request.game), [])
        )
        if state.is_over and not isinstance(request, messages.Review):
            raise UserError("the game is over in this position")
        match request:
            case messages.Solve():
                task = Task(state, self._agent(state, "solver"), request.seconds)
                return partial(work.solve, task=task)
            case messages.Review():
                agent = self._agent(state, openly(request.agent), request.sims)
                return partial(work.review, task=Task(state, agent, REVIEW_SOLVER_S))
            case messages.Tree():
                return self._tree(state, request, grown)
        seconds = request.seconds
        text = request.agent if is_move else openly(request.agent)
        agent = self._agent(state, text, request.sims, seconds)
        spare = None
        if is_move and isinstance(agent, SolverAgent):
            spare = self._agent(state, usual_agent(state.game))
        do = work.move if is_move else work.analyse
        return partial(do, task=Task(state, agent, seconds or SOLVER_S, told, spare))

    def _tree(self, state: State, request: messages.Tree, grown: Grown) -> Begin:
        asked = request.model_dump_json(include={"game", "agent", "sims"})
        agent: Agent | None = grown.pop(asked, None)
        if agent is None:
            agent = self._agent(state, request.agent, request.sims)
        task = Task(state, agent, SOLVER_S)

        def begin(job: Job) -> Work:
            reply = yield from work.tree(job, task, request)
            assert isinstance(agent, SearchAgent)
            grown.clear()
            grown[asked] = agent
            return reply

        return begin

    def _agent(
        self,
        state: State,
        text: str,
        sims: int | None = None,
        seconds: float | None = None,
    ) -> Agent:
        shelved = self.library.shelve(state.game.spec)
        wishes = {"sims": sims, "seconds": seconds}
        with shelved.lock:
            make = maker_of(
                self.library, state.game, text, wishes, self.crew.num_threads
            )
            agent = make((state.seed or 0) + len(state.history))
            self._warm_up(state, agent, text.partition(":")[0])
        return agent

    def _warm_up(self, state: State, agent: Agent, name: str) -> None:
        """Compile a search by its first simulation, not in a thread that thinks."""
        known = (state.game.spec, name)
        if known not in self._warm and isinstance(agent, SearchAgent):
            maker_of(self.library, state.game, name, {"sims": 1}, 1)(0).choose(state)
            self._warm.add(known)
