"""What all pages share: the library, the answers, and the threads that think."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from threading import BoundedSemaphore

from ludens.agents import AGENTS, Agent, Limit
from ludens.agents.agent import NO_LIMIT
from ludens.arena.match import Contest
from ludens.arena.play import Player
from ludens.cores import num_cores
from ludens.errors import Refusal, UserError
from ludens.loading.game import Game, parse_spec
from ludens.nets.shipped import usual_agent
from ludens.rng import sub_seed
from ludens.solver.exact import Solver
from ludens.state import State
from ludens.web import arena, messages, work
from ludens.web.answers import Answers
from ludens.web.library import Library
from ludens.web.limits import MAX_JOBS, MAX_MATCH_SIMS, MAX_SOCKETS
from ludens.web.players import maker_of, openly
from ludens.web.positions import open_game, tell_game
from ludens.web.rereading import Rereading
from ludens.web.thinking import Crew, Job, Work
from ludens.web.work import Task

NUM_CLERKS = MAX_SOCKETS * (MAX_JOBS + 1)
"""Threads for what needs no thinking: reading, replaying, compiling. They are as many
as there can be requests, so that no page waits while another's game is compiled."""
SOLVER_S, REVIEW_SOLVER_S = 10.0, 2.0
"""What a solver has for a move, if nobody says so."""
JUDGE_SIMS = 100
"""To tell whether a position is even: openings are many, and need no more."""
Begin = Callable[[Job], Work]
Grown = dict[str, Agent]
"""The agent of the last tree that a page has seen, by what it was asked for."""
Thinking = (
    messages.Move
    | messages.Analyse
    | messages.Review
    | messages.Solve
    | messages.Tree
    | messages.Match
)


class Desk:
    """Prepare what pages ask for."""

    def __init__(
        self,
        library: Library,
        num_threads: int = 0,
        rereading: Rereading | None = None,
    ) -> None:
        self.library = library
        self.rereading = rereading
        self.answers = Answers(library, is_watched=rereading is not None)
        self.crew = Crew(num_threads or num_cores())
        self.clerks = ThreadPoolExecutor(NUM_CLERKS, "clerk")
        self._warm: set[tuple[str, str]] = set()
        self._places = BoundedSemaphore(self.crew.num_threads)
        """Of programs of others that run at a time, for all pages together."""

    def close(self) -> None:
        """End all threads."""
        self.crew.close()
        self.clerks.shutdown(wait=False, cancel_futures=True)

    def prepare(self, request: Thinking, grown: Grown) -> Begin:
        """Load all that some thinking needs, and compile it if it never was."""
        if isinstance(request, messages.Match):
            return self._match(request)
        is_move = isinstance(request, messages.Move)
        state, told = (
            tell_game(self.library, request.game)
            if is_move
            else (open_game(self.library, request.game), [])
        )
        if state.is_over and not isinstance(request, messages.Review):
            raise UserError("the game is over in this position")
        who = "" if isinstance(request, messages.Solve) else request.agent
        if who in self.library.engines and not is_move:
            raise UserError(f"{who} tells nothing but its moves")
        match request:
            case messages.Solve():
                with self.library.shelve(state.game.spec).lock:
                    solver = Solver(state.game, memory_mb=64)
                limit = Limit(seconds=request.seconds)
                return partial(work.solve, state=state, solver=solver, limit=limit)
            case messages.Review():
                agent = self._agent(state, openly(request.agent), request.sims)
                limit = _limit(agent, REVIEW_SOLVER_S)
                return partial(work.review, task=Task(state, agent, limit))
            case messages.Tree():
                return self._tree(state, request, grown)
        text = request.agent if is_move else openly(request.agent)
        agent = self._agent(state, text, request.sims, request.seconds)
        limit, spare = _limit(agent, request.seconds or SOLVER_S), None
        if is_move and agent.can_fail:
            spare = self._agent(state, usual_agent(state.game))
        do = work.move if is_move else work.analyse
        places = self._places if who in self.library.engines else None
        task = Task(state, agent, limit, told, spare, places)
        return partial(do, task=task)

    def _match(self, request: messages.Match) -> Begin:
        game = self.library.load(request.spec)
        for text in request.agents:
            if text in self.library.engines:
                raise UserError(f"{text} plays no matches here; use `ludens match`")
        book = self.library.book(request.book, game) if request.book else []
        plies = None if book else request.openings
        with self.library.shelve(game.spec).lock:
            players = [self._player(game, text) for text in request.agents]
            judge = self._judge(game) if request.even and not book else None
            self.library.prepare(game, request.agents)
            terms = (request.seed, plies)
            contest = Contest(game, players, *terms, threads=1, at_once=1, book=book)
        num_games = request.games
        return partial(arena.play, contest=contest, num_games=num_games, judge=judge)

    def _judge(self, game: Game) -> Agent:
        """Return who says which positions are even."""
        wishes = {"sims": JUDGE_SIMS}
        judge = maker_of(self.library, game, usual_agent(game), wishes, 1)(0)
        judge.compile()
        return judge

    def _player(self, game: Game, text: str) -> Player:
        """Return an agent for games of which several are under way."""
        name, given = parse_spec(text)
        sims = given.get("sims", MAX_MATCH_SIMS if "seconds" in given else 0)
        if str(sims).isdecimal() and int(sims) > MAX_MATCH_SIMS:
            raise Refusal(f"sims can be at most {MAX_MATCH_SIMS:,} in a match here")
        wishes = {"sims": int(sims)} if "seconds" in given and name in AGENTS else {}
        make = maker_of(self.library, game, text, wishes, self.crew.num_threads)
        return Player(text, make)

    def _tree(self, state: State, request: messages.Tree, grown: Grown) -> Begin:
        asked = request.model_dump_json(include={"game", "agent", "sims"})
        agent = grown.pop(asked, None)
        if agent is None:
            agent = self._agent(state, request.agent, request.sims)
        task = Task(state, agent)

        def begin(job: Job) -> Work:
            reply = yield from work.tree(job, task, request)
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
            agent = make(sub_seed(state.seed or 0, "adviser", len(state.history)))
            self._warm_up(state, agent, text.partition(":")[0])
        return agent

    def _warm_up(self, state: State, agent: Agent, name: str) -> None:
        """Compile a search by its first simulation, not in a thread that thinks."""
        known = (state.game.spec, name)
        if known not in self._warm and agent.search is not None:
            maker_of(self.library, state.game, name, {"sims": 1}, 1)(0).choose(state)
            self._warm.add(known)


def _limit(agent: Agent, seconds: float) -> Limit:
    """Return the limit of an agent that may never come to an end by itself."""
    return Limit(seconds=seconds) if agent.can_fail else NO_LIMIT
