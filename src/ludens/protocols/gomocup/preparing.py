"""Make games ready to be searched, in the background: loaded, compiled, warm."""

import threading
import time
from collections.abc import Callable

from ludens.agents import agent_maker
from ludens.agents.agent import Limit
from ludens.agents.compiling import prepare_agents
from ludens.errors import UserError
from ludens.loading.game import Game, load_game
from ludens.nets.shipped import usual_agent

SETTLE_S = 0.2
"""How long a wish stands before it is granted: a rule often comes after the size."""
LOOK_S = 0.02
"""Between two looks at whether anybody still waits."""


class Preparing:
    """Has the game that was wanted last, once it is ready; earlier wishes lapse.

    `complain` gets what went wrong, a line.
    """

    def __init__(self, agent: str, complain: Callable[[str], None]) -> None:
        self._agent = agent
        self._complain = complain
        self._wanted = ""
        self._is_urgent = False
        self._ready: Game | None = None
        self._failed = ""
        self._change = threading.Condition()
        threading.Thread(target=self._work, name="preparing", daemon=True).start()

    def want(self, spec: str) -> None:
        """Begin to prepare a game."""
        with self._change:
            self._wanted = spec
            self._change.notify_all()

    def wait(
        self, spec: str, until_s: float, is_stopped: Callable[[], bool]
    ) -> Game | None:
        """Return a game as soon as it is ready, None if that takes too long."""
        with self._change:
            self._wanted, self._is_urgent = spec, True
            self._change.notify_all()
            while not self.is_ready(spec):
                left_s = until_s - time.perf_counter()
                if left_s <= 0 or is_stopped() or self._failed == spec:
                    return None
                self._change.wait(min(left_s, LOOK_S))
            return self._ready

    def is_ready(self, spec: str) -> bool:
        """Tell whether a game is ready now."""
        ready = self._ready
        return ready is not None and ready.spec == spec

    def agent_of(self, game: Game) -> str:
        """Return who plays a game: whom the user named, or the usual agent."""
        return self._agent or usual_agent(game)

    def _work(self) -> None:
        while True:
            spec = self._next()
            try:
                ready, failed = self._prepare(spec), ""
            except Exception as error:  # moves without a search are better than none
                why = str(error) if isinstance(error, UserError) else repr(error)
                self._complain(f"cannot search: {why}")
                ready, failed = None, spec
            with self._change:
                self._ready, self._failed = ready, failed
                self._change.notify_all()

    def _next(self) -> str:
        """Wait for a wish that nothing is known of, and that stands for a while."""
        with self._change:
            while True:
                spec = self._wanted
                known = self._failed if self._ready is None else self._ready.spec
                if spec == known:
                    self._change.wait()
                elif self._is_urgent or not self._change.wait(SETTLE_S):
                    self._is_urgent = False
                    return spec

    def _prepare(self, spec: str) -> Game:
        game = load_game(spec)
        who = self.agent_of(game)
        prepare_agents(game, [with_open_root(who)])
        state = game.new(0)
        agent = agent_maker(with_open_root(who), game)(0)
        agent.compile()
        if agent.search is not None:
            agent.choose(state, Limit(sims=2))
        return game


def with_open_root(who: str) -> str:
    """Return an agent that thinks until its time is up, if it can."""
    return f"{who}:root=puct" if who in ("mcts", "net") else who
