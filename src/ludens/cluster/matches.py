"""Matches, spread over a cluster: the same games for any number of workers."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from itertools import islice
from threading import Event

from ludens.agents.networks import named_net
from ludens.arena.match import Contest, ply_limit
from ludens.arena.openings import Opening
from ludens.arena.play import Played, Player
from ludens.cluster.address import ClusterWish
from ludens.cluster.hands import Cluster, in_order
from ludens.cluster.jobs import portable_spec, read_figures, sha256
from ludens.cluster.ledger import Ledger
from ludens.cluster.rounds import RoundsJob, replay
from ludens.cluster.wire import Facts, unpack
from ludens.cores import num_cores
from ludens.loading.game import Game
from ludens.log import say
from ludens.nets.weights import Net

Rounds = list[tuple[Played, ...]]
JOBS = 16
"""Jobs that a match is cut into, if none gets more than ..."""
MOST_ROUNDS = 32
"""... so many openings."""
WINDOW = 64
"""Jobs under way at a time: a match that is decided early has few games in vain."""
_SPARE_BYTES, _GAME_BYTES = 2**16, 2**17


@dataclass(frozen=True)
class RoundsTask:
    """A few openings of a match, to be played on a worker or here."""

    contest: Contest
    job: RoundsJob
    openings: Sequence[Opening]
    nets: Mapping[str, bytes]

    @property
    def max_bytes(self) -> int:
        """The most that an honest worker can answer."""
        return _SPARE_BYTES + _GAME_BYTES * len(self.openings) * len(self.job.agents)

    def to_bytes(self) -> bytes:
        """Return it as a job."""
        return self.job.to_bytes()

    def read(self, content: bytes) -> tuple[Rounds, Facts]:
        """Return the games that a worker brought; ValueError if they cannot be."""
        facts, _ = unpack(content)
        histories = facts.get("histories")
        rounds = [tuple(self.contest.games_of(opening)) for opening in self.openings]
        games = [played for one in rounds for played in one]
        if not isinstance(histories, list) or len(histories) != len(games):
            raise ValueError("it has another number of games")
        most = ply_limit(self.contest.game, self.contest.max_plies)
        for played, history in zip(games, histories, strict=True):
            if not isinstance(history, list):
                raise ValueError("it has a game that is none")
            replay(played, history, most)
        return rounds, {**read_figures(facts), "games": len(games)}

    def play(self, stop: Event) -> Rounds:
        """Play it here."""
        here = replace(self.contest, spread=None, threads=1, should_stop=stop.is_set)
        return list(here.play_from(self.openings, len(self.openings)))


@dataclass(frozen=True)
class Spreading:
    """Lets the workers of a cluster play the games of contests."""

    cluster: Cluster
    ledger: Ledger = field(default_factory=Ledger)
    """Who has played what."""

    def __call__(
        self, contest: Contest, openings: Iterable[Opening], num_rounds: int
    ) -> Iterator[tuple[Played, ...]]:
        """Yield all games of one opening at a time, in order."""
        if contest.game.environment or not all(one.text for one in contest.players):
            yield from contest.play_from(openings, num_rounds)
            return
        size = max(1, min(MOST_ROUNDS, num_rounds // JOBS))
        agents, nets = tell_agents(contest)
        left = iter(openings)
        while some := list(islice(left, size * WINDOW)):
            parts = [some[at : at + size] for at in range(0, len(some), size)]
            tasks = [make_task(contest, agents, nets, part) for part in parts]
            spread = self.cluster.spread(tasks, contest.should_stop, ledger=self.ledger)
            for rounds in in_order(spread):
                yield from rounds


@contextmanager
def spreading(
    address: str, workers: int, game: Game, threads: int | None = None
) -> Iterator[Spreading | None]:
    """Give who lets a cluster play, None without an address; then let it go."""
    if not address:
        yield None
        return
    wish = ClusterWish(address, workers)
    with announced(wish, game, None, threads or num_cores()) as cluster:
        yield Spreading(cluster)


@contextmanager
def announced(
    wish: ClusterWish, game: Game, net: Net | None, threads: int
) -> Iterator[Cluster]:
    """Give a cluster whose comings and goings are printed; then let it go."""
    with Cluster(wish, game, net, threads) as cluster:
        cluster.tell(say)
        yield cluster


def tell_agents(contest: Contest) -> tuple[list[list[str]], dict[str, bytes]]:
    """Return name, text and net of each agent, and these nets by their names."""
    agents, nets = [], dict[str, bytes]()
    for player in contest.players:
        content = player.net or _named(player, contest)
        name = sha256(content) if content else ""
        nets |= {name: content} if content else {}
        agents.append([player.name, player.text, name])
    return agents, nets


def _named(player: Player, contest: Contest) -> bytes:
    net = named_net(player.text, contest.game)
    return b"" if net is None else net.to_bytes()


def make_task(
    contest: Contest,
    agents: Sequence[Sequence[str]],
    nets: Mapping[str, bytes],
    openings: Sequence[Opening],
) -> RoundsTask:
    """Return a task with a few openings of a contest."""
    job = RoundsJob(
        portable_spec(contest.game),
        agents,
        contest.seed,
        contest.limit.seconds,
        contest.max_plies,
        [(one.number, one.dice, one.history) for one in openings],
    )
    return RoundsTask(contest, job, openings, {n: nets[n] for n in job.nets})
