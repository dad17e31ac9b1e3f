"""The one way to play games between agents: many at a time, in several threads.

Each thread has games of its own. An agent is asked about all games of a thread that
wait for it together, if that is faster; else a thread plays one game after the other,
each with agents of its own. No game depends on which others are played beside it, so
the same seeds give the same games for any number of threads.
"""

import time
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from queue import SimpleQueue
from threading import Condition, Thread
from typing import Protocol

from ludens.agents import Agent, Maker
from ludens.errors import Forfeit, UserError
from ludens.state import State

Seating = tuple[int, ...]
"""Which agent plays for each player, by its number."""
TOGETHER = 64
"""Games of a thread at a time, if a network answers for all of them."""
AHEAD = 4
"""Times as many games as are under way may be begun before the first is handed out."""
GRACE_S = 2.0
"""How long to wait, in all, for threads that nobody needs any more."""


@dataclass(frozen=True)
class Player:
    """A name, and what makes the agent that plays under it."""

    name: str
    make: Maker
    text: str = ""
    """By which another process makes it; "" if none can."""
    net: bytes = b""
    """Its network, where the text does not name one."""


@dataclass
class Played:
    """A game, under way or finished."""

    number: int
    seating: Seating
    state: State
    seeds: Sequence[int] = ()
    """Of the agent of each side; no two games have the same."""
    new_dice: Callable[[State], int] | None = None
    """Return other dice to go on with after a choice, if they are to be replaced."""
    agents: Sequence[Agent] = field(default=(), repr=False)
    """Of each side, while it is under way."""
    error: UserError | None = None
    """Why it could not go on."""
    forfeit: str = ""
    """Why the player to move has lost, if it has not played on."""

    @property
    def agent(self) -> Agent:
        """The agent whose turn it is."""
        return self.agents[self.state.to_play]

    def apply(self, action: int) -> None:
        """Play an action."""
        if self.new_dice is not None:
            self.state.roll_from(self.new_dice(self.state))
        self.state.apply(action)

    @property
    def result(self) -> float:
        """1 if player 0 has won, -1 if player 1 has, 0 if drawn or cut."""
        if self.forfeit:
            return -1.0 if self.state.to_play == 0 else 1.0
        return self.state.result or 0.0

    def points(self, agent: int) -> float:
        """Return 1 if an agent has won, 1/2 for a draw, 0 for a loss."""
        result = self.result
        return (1 + (result if self.seating[0] == agent else -result)) / 2


class Onlooker(Protocol):
    """One who sees each move, told by the threads that play; it changes nothing."""

    def __call__(self, game: Played, before: State, action: int) -> None:
        """Take in that an action was played from the position before."""


def games_together(agents: Iterable[Agent]) -> int:
    """Return how many games of a thread to play at a time with such agents."""
    agents = list(agents)
    if not any(agent.is_batched for agent in agents):
        return 1
    return min(TOGETHER, *(agent.capacity for agent in agents))


class Play:
    """Games that are being played."""

    def __init__(
        self,
        players: Sequence[Player],
        games: Iterable[Played],
        num_games: int,
        together: int,
        threads: int,
        max_plies: int,
        should_stop: Callable[[], bool] = lambda: False,
        onlooker: Onlooker | None = None,
    ) -> None:
        self._players = players
        self._onlooker = onlooker
        self._games = iter(games)
        self._num_threads = threads
        self._max_plies = max_plies
        self._should_stop = should_stop
        # Agents made for a single game may search in another way than those for many.
        fair = max(2, -(-num_games // threads))
        self._size = min(together, fair)
        self._num_begun = self._num_handed_out = 0
        self._alone: set[Agent] = set()
        """Agents of single games, while these are under way."""
        self._is_stopped = False
        self._change = Condition()
        self._results: SimpleQueue[tuple[int, Played] | Exception | None] = (
            SimpleQueue()
        )

    def run(self) -> Generator[Played, None, None]:
        """Yield the finished games in their order; an error is raised at its turn.

        The threads are daemons: one that is deep in a search does not hold up the exit.
        """
        threads = [
            Thread(target=self._work, daemon=True) for _ in range(self._num_threads)
        ]
        for thread in threads:
            thread.start()
        try:
            yield from self._in_order()
        finally:
            with self._change:
                self._is_stopped = True
                self._change.notify_all()
            for agent in list(self._alone):
                agent.close()
            end_s = time.monotonic() + GRACE_S
            for thread in threads:
                thread.join(max(0.0, end_s - time.monotonic()))

    def _in_order(self) -> Iterator[Played]:
        early: dict[int, Played] = {}
        num_working = self._num_threads
        while num_working:
            found = self._results.get()
            if isinstance(found, Exception):
                raise found
            if found is None:
                num_working -= 1
                continue
            early[found[0]] = found[1]
            while self._num_handed_out in early:
                game = early.pop(self._num_handed_out)
                if game.error is not None:
                    raise game.error
                with self._change:
                    self._num_handed_out += 1
                    self._change.notify_all()
                yield game

    def _work(self) -> None:
        """Play until there are no more games."""
        try:
            self._play_all()
        except Exception as error:
            self._results.put(error)
        finally:
            self._results.put(None)

    def _play_all(self) -> None:
        shared: list[Agent] = []
        if self._size > 1:
            shared = [player.make(0, self._size) for player in self._players]
        games: dict[int, Played] = {}
        while not self._is_stopped and not self._should_stop():
            while len(games) < self._size and (begun := self._begin(not games)):
                games[begun[0]] = begun[1]
                begun[1].agents = self._seat(begun[1], shared)
            games = self._put_away(games)
            if not games:
                return
            for agent in {id(g.agent): g.agent for g in games.values()}.values():
                self._move(agent, [g for g in games.values() if g.agent is agent])
                games = self._put_away(games)

    def _begin(self, can_wait: bool) -> tuple[int, Played] | None:
        """Return a game and its place in the order; None if there is none to begin."""
        ahead = AHEAD * self._size * self._num_threads
        with self._change:
            while self._num_begun - self._num_handed_out >= ahead:
                if self._is_stopped or not can_wait:
                    return None
                self._change.wait()
            game = None if self._is_stopped else next(self._games, None)
            if game is None:
                return None
            self._num_begun += 1
            return self._num_begun - 1, game

    def _seat(self, game: Played, shared: Sequence[Agent]) -> list[Agent]:
        """Return the agents of a game, new ones unless they are shared."""
        if shared:
            return [shared[agent] for agent in game.seating]
        makers = [self._players[agent].make for agent in game.seating]
        made = [make(seed) for make, seed in zip(makers, game.seeds, strict=True)]
        self._alone.update(made)
        return made

    def _move(self, agent: Agent, games: Sequence[Played]) -> None:
        """Let an agent move in games that wait for it, without their coming dice."""
        states = [game.state.copy() for game in games]
        seeds = [game.seeds[game.state.to_play] for game in games]
        try:
            actions = agent.choose_many(states, seeds=seeds)
        except UserError as error:
            if len(games) == 1:
                self._blame(games[0], error)
            else:  # ask about each, to tell in which game it fails
                for game in games:
                    self._move(agent, [game])
            return
        for game, before, action in zip(games, states, actions, strict=True):
            try:
                game.apply(action)
            except UserError as error:
                self._blame(game, error)
            else:
                if self._onlooker is not None:
                    self._onlooker(game, before, action)

    def _blame(self, game: Played, error: UserError) -> None:
        name = self._players[game.seating[game.state.to_play]].name
        line = f"{name}, game {game.number}: {error}"
        if isinstance(error, Forfeit):
            game.forfeit = line
        else:
            game.error = UserError(line)

    def _put_away(self, games: dict[int, Played]) -> dict[int, Played]:
        """Hand in the games that are finished; return the others."""
        left = {}
        for index, game in games.items():
            state = game.state
            is_over = state.is_over or state.num_plies >= self._max_plies
            if is_over or game.forfeit or game.error is not None:
                for agent in self._alone.intersection(game.agents):
                    agent.close()
                    self._alone.discard(agent)
                game.agents = ()
                self._results.put((index, game))
            else:
                left[index] = game
        return left
