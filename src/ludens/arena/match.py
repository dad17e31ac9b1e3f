"""Games between agents: in pairs with sides swapped, many at a time, reproducible."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from itertools import islice
from threading import Event

from ludens.agents import Limit, Maker, agent_maker
from ludens.arena.openings import Opening, agent_seed, default_plies, draw_openings
from ludens.arena.pool import in_order
from ludens.cores import num_cores
from ludens.errors import UserError
from ludens.loading.game import Game
from ludens.state import State

Seating = tuple[int, ...]
"""Which agent plays for each player, by its number."""
MAX_PLIES = 2000
"""Of a game for one that does not end by itself, unless another limit is set."""
NO_LIMIT = 2**62


class _Stopped(Exception):
    """Nobody waits for this game any more."""


@dataclass(frozen=True)
class Played:
    """A finished game."""

    number: int
    seating: Seating
    state: State

    def points(self, agent: int) -> float:
        """Return 1 if an agent has won, 1/2 for a draw, 0 for a loss."""
        result = self.state.result or 0.0
        return (1 + (result if self.seating[0] == agent else -result)) / 2


@dataclass(frozen=True)
class Contest:
    """Agents and the terms they play on.

    One opening after the other is played: by two agents twice, with sides swapped; in a
    game for one by each agent once. The same seed gives the same games with any number
    of threads, and with the agents in any order.
    """

    game: Game
    agents: Sequence[str]
    seed: int = 0
    plies: int | None = None
    """Random plies of an opening; None leaves it to the game."""
    seconds: float | None = None
    """What an agent has for a move."""
    threads: int | None = None
    max_plies: int = 0
    """Where a game is cut, a draw for two; 0 leaves it to the game."""

    def __post_init__(self) -> None:
        """Refuse agents that do not exist or do not play this game.

        What they need is loaded and compiled here, before there are threads.
        """
        if self.game.num_players == 2 and len(self.agents) != 2:
            raise UserError(f"{self.game.name} is for two agents")
        for make in self._makers:
            make(0).compile()

    @cached_property
    def _makers(self) -> list[Maker]:
        """What makes each agent, a new one for each game."""
        threads = self.threads or num_cores()
        return [
            agent_maker(a, self.game, Limit(seconds=self.seconds), threads)
            for a in self.agents
        ]

    @property
    def opening_plies(self) -> int:
        """The random plies of an opening."""
        return default_plies(self.game) if self.plies is None else self.plies

    def play(self, num_rounds: int) -> Iterator[tuple[Played, ...]]:
        """Yield all games of one opening at a time."""
        stop = Event()
        games = in_order(self._jobs(num_rounds, stop), self.threads or num_cores())
        size = len(seatings(self.game, len(self.agents)))
        try:
            while games_of_one := tuple(islice(games, size)):
                yield games_of_one
        finally:
            stop.set()
            games.close()

    def _jobs(self, num_rounds: int, stop: Event) -> Iterator[Callable[[], Played]]:
        openings = draw_openings(self.game, self.seed, self.opening_plies)
        number = 0
        for opening in islice(openings, num_rounds):
            for seating in seatings(self.game, len(self.agents)):
                number += 1
                yield partial(self._play_game, number, opening, seating, stop)

    def _play_game(
        self, number: int, opening: Opening, seating: Seating, stop: Event
    ) -> Played:
        """Play one game with fresh agents; they never see the coming dice."""
        state = opening.begin(self.game)
        names = [self.agents[agent] for agent in seating]
        seeds = [self._seed(opening, seating, side) for side in range(len(names))]
        makers = [self._makers[agent] for agent in seating]
        players = [make(seed) for make, seed in zip(makers, seeds, strict=True)]
        limit = ply_limit(self.game, self.max_plies)
        while not state.is_over and state.num_plies < limit:
            if stop.is_set():
                raise _Stopped
            side = state.to_play
            try:
                state.apply(players[side].choose(state.copy()))
            except UserError as error:
                raise UserError(f"{names[side]}, game {number}: {error}") from None
        return Played(number, seating, state)

    def _seed(self, opening: Opening, seating: Seating, side: int) -> int:
        """Return the seed of an agent in a game.

        It depends on who begins, not on who was named first, so that the same games are
        played if the agents are named the other way round.
        """
        by_name = sorted(range(len(self.agents)), key=lambda i: self.agents[i])
        beginner = by_name.index(seating[0])
        return agent_seed(self.seed, opening, beginner, side)


def ply_limit(game: Game, max_plies: int = 0) -> int:
    """Return after how many plies a game is cut."""
    endless = MAX_PLIES if game.num_players == 1 else NO_LIMIT
    return max_plies or game.plain.MAX_PLIES or endless


def seatings(game: Game, num_agents: int) -> list[Seating]:
    """Return how the agents are seated in the games of one opening."""
    if game.num_players == 1:
        return [(agent,) for agent in range(num_agents)]
    return [(0, 1), (1, 0)]


@dataclass
class Tally:
    """What a match of two agents has come to, for the first of them."""

    wins: int = 0
    draws: int = 0
    losses: int = 0
    plies: int = 0
    pairs: list[int] = field(default_factory=lambda: [0] * 5)
    _histories: set[tuple[int | str, ...]] = field(default_factory=set)

    @property
    def num_games(self) -> int:
        """How many games were played."""
        return self.wins + self.draws + self.losses

    @property
    def num_distinct(self) -> int:
        """How many games with different moves were played."""
        return len(self._histories)

    def __str__(self) -> str:
        return f"{self.wins} won, {self.draws} drawn, {self.losses} lost"

    def add(self, pair: Sequence[Played]) -> None:
        """Count the two games of a pair."""
        points = [played.points(0) for played in pair]
        self.wins += points.count(1.0)
        self.draws += points.count(0.5)
        self.losses += points.count(0.0)
        self.pairs[round(2 * sum(points))] += 1
        self.plies += sum(played.state.num_plies for played in pair)
        self._histories |= {tuple(played.state.history) for played in pair}


class Scores:
    """The scores and lengths of games for one player, by agent."""

    def __init__(self, num_agents: int) -> None:
        self.scores: list[list[float]] = [[] for _ in range(num_agents)]
        self.plies: list[list[int]] = [[] for _ in range(num_agents)]
        self.num_cut = [0] * num_agents
        """Games that were still going on at the limit of plies."""

    @property
    def num_rounds(self) -> int:
        """How often each agent has played."""
        return len(self.scores[0])

    def add(self, games: Sequence[Played]) -> None:
        """Count the games of all agents with the same dice."""
        for played in games:
            self.scores[played.seating[0]].append(played.state.score)
            self.plies[played.seating[0]].append(played.state.num_plies)
            self.num_cut[played.seating[0]] += not played.state.is_over

    def __str__(self) -> str:
        return f"{self.num_rounds} by each agent"

    def gains(self, agent: int, over: int) -> list[float]:
        """Return by how much an agent scored more than another, dice by dice."""
        pairs = zip(self.scores[agent], self.scores[over], strict=True)
        return [own - other for own, other in pairs]
