"""Games between agents: in pairs with sides swapped, many at a time, reproducible."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import islice
from typing import Protocol

from ludens.agents import Limit, agent_maker, runs_commands
from ludens.agents.agent import NO_LIMIT
from ludens.arena.openings import (
    Opening,
    agent_seed,
    default_plies,
    draw_openings,
    turn_pages,
)
from ludens.arena.play import (
    Onlooker,
    Play,
    Played,
    Player,
    Seating,
    games_together,
)
from ludens.cores import num_cores
from ludens.errors import UserError
from ludens.loading.game import Game

MAX_PLIES = 2000
"""Of a single-player game that does not end by itself, unless another limit is set."""
NO_END = 2**62


class Spread(Protocol):
    """One who lets others play the games of a contest."""

    def __call__(
        self, contest: "Contest", openings: Iterable[Opening], num_rounds: int
    ) -> Iterator[tuple[Played, ...]]:
        """Yield all games of one opening at a time, in order."""


@dataclass(frozen=True)
class Contest:
    """Agents and the terms they play on.

    One opening after the other is played: by two agents twice, with sides swapped; in a
    single-player game once by each agent. The same seed gives the same games with any
    number of threads, and with the agents in any order.
    """

    game: Game
    agents: Sequence[str | Player]
    """Texts such as mcts:sims=1000, or what makes the agents."""
    seed: int = 0
    plies: int | None = None
    """Random plies of an opening; None leaves it to the game."""
    limit: Limit = NO_LIMIT
    """Of agents, where their texts have none."""
    threads: int | None = None
    max_plies: int = 0
    """Where a game is cut off (a draw with two players); 0 leaves it to the game."""
    should_stop: Callable[[], bool] = lambda: False
    spread: "Spread | None" = None
    """Who lets others play; None: we do."""
    book: Sequence[Sequence[int]] = ()
    """Openings to begin from, as histories, instead of random plies."""
    onlooker: Onlooker | None = None
    """One who sees every move."""
    at_once: int = 0
    """The most games of a thread at a time; 0: as many as agents answer together."""

    def __post_init__(self) -> None:
        """Refuse agents that do not exist or do not play this game.

        What they need is loaded and compiled here, before there are threads.
        """
        if self.game.num_players == 2 and len(self.agents) != 2:
            raise UserError(f"{self.game.name} is for two agents")
        for player in self.players:
            agent = player.make(0, self._together)
            try:
                agent.open()
                agent.compile()
            except UserError as error:
                raise UserError(f"{player.name}: {error}") from None
            finally:
                agent.close()

    @cached_property
    def players(self) -> list[Player]:
        """The agents, ready to be made."""
        game, limit, threads = self.game, self.limit, self.threads or num_cores()
        return [
            Player(agent, agent_maker(agent, game, limit, threads), _portable(agent))
            if isinstance(agent, str)
            else agent
            for agent in self.agents
        ]

    @property
    def names(self) -> list[str]:
        """What the agents are called."""
        return [player.name for player in self.players]

    @cached_property
    def _together(self) -> int:
        together = games_together(player.make(0) for player in self.players)
        return min(together, self.at_once) if self.at_once else together

    @property
    def opening_plies(self) -> int:
        """The random plies of an opening; a book has none."""
        if self.book:
            return 0
        return default_plies(self.game) if self.plies is None else self.plies

    def play(self, num_rounds: int) -> Iterator[tuple[Played, ...]]:
        """Yield all games of one opening at a time; stopped early, only whole ones."""
        some = islice(self.openings(), num_rounds)
        if self.spread is None:
            return self.play_from(some, num_rounds)
        return self.spread(self, some, num_rounds)

    def openings(self) -> Iterator[Opening]:
        """Yield openings for ever."""
        if self.book:
            return turn_pages(self.book, self.seed)
        return draw_openings(self.game, self.seed, self.opening_plies)

    def play_from(
        self, openings: Iterable[Opening], num_rounds: int
    ) -> Iterator[tuple[Played, ...]]:
        """Yield all games of each opening, of which there are so many, here."""
        size = len(seatings(self.game, len(self.agents)))
        games = Play(
            self.players,
            self._games(openings),
            num_rounds * size,
            self._together,
            self.threads or num_cores(),
            ply_limit(self.game, self.max_plies),
            self.should_stop,
            self.onlooker,
        ).run()
        try:
            while len(games_of_one := tuple(islice(games, size))) == size:
                yield games_of_one
        finally:
            games.close()

    def tally(self, num_pairs: int) -> "MatchTally":
        """Play a match and return what it came to, for the first agent."""
        tally = MatchTally()
        for pair in self.play(num_pairs):
            tally.add(pair)
        return tally

    def scores(self, num_rounds: int) -> "Scores":
        """Let each agent play a single-player game with the same dice, so often."""
        scores = Scores(len(self.agents))
        for games in self.play(num_rounds):
            scores.add(games)
        return scores

    def _games(self, openings: Iterable[Opening]) -> Iterator[Played]:
        return (game for opening in openings for game in self.games_of(opening))

    def games_of(self, opening: Opening) -> Iterator[Played]:
        """Yield the games of an opening, about to be played."""
        seated = seatings(self.game, len(self.agents))
        for number, seating in enumerate(seated, 1 + opening.number * len(seated)):
            seeds = [self._seed(opening, seating, side) for side in range(len(seating))]
            yield Played(number, seating, opening.begin(self.game), seeds)

    def _seed(self, opening: Opening, seating: Seating, side: int) -> int:
        """Return the seed of an agent in a game.

        It depends on who begins, not on who was named first, so that the same games are
        played if the agents are named the other way round.
        """
        names = self.names
        by_name = sorted(range(len(names)), key=lambda i: names[i])
        beginner = by_name.index(seating[0])
        return agent_seed(self.seed, opening, beginner, side)


def _portable(agent: str) -> str:
    """Return the text by which another process may make an agent, "" if none may."""
    return "" if runs_commands(agent) else agent


def ply_limit(game: Game, max_plies: int = 0) -> int:
    """Return after how many plies a game is cut."""
    endless = MAX_PLIES if game.num_players == 1 else NO_END
    return max_plies or game.plain.MAX_PLIES or endless


def seatings(game: Game, num_agents: int) -> list[Seating]:
    """Return how the agents are seated in the games of one opening."""
    if game.num_players == 1:
        return [(agent,) for agent in range(num_agents)]
    return [(0, 1), (1, 0)]


@dataclass
class MatchTally:
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
    """The scores and lengths of single-player games, by agent."""

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


def play_match(
    game: Game,
    agents: Sequence[str],
    games: int = 100,
    *,
    seed: int = 0,
    limit: Limit = NO_LIMIT,
    threads: int | None = None,
) -> MatchTally | Scores:
    """Play a match between agents such as "mcts:sims=1000"; return its result.

    Two agents play pairs of games with sides swapped, counted for the first of them. In
    a single-player game, each agent plays its share of the games with the same dice.
    """
    contest = Contest(game, agents, seed, limit=limit, threads=threads)
    rounds = -(-games // len(seatings(game, len(agents))))
    single = game.num_players == 1
    return contest.scores(rounds) if single else contest.tally(rounds)
