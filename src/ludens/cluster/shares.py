"""An iteration of self-play, spread over a cluster: the games that threads play."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from threading import Event

from ludens.cluster.checking import check_played
from ludens.cluster.hands import Cluster, in_order
from ludens.cluster.jobs import ShareJob, portable_spec, sha256, unpack_played
from ludens.cluster.ledger import Ledger
from ludens.cluster.wire import Facts
from ludens.infer.evaluator import make_evaluator
from ludens.loading.game import Game
from ludens.nets.weights import Net
from ludens.search.config import SearchConfig
from ludens.search.model import Evaluator
from ludens.selfplay.config import SelfplayConfig
from ludens.selfplay.share import (
    GameRecord,
    Share,
    SharePlayed,
    Tally,
    cut_shares,
    join_shares,
)
from ludens.selfplay.worker import play_share

_SPARE_BYTES = 2**20
_MOST_PLIES = 20_000
"""Of a game where nothing else is said."""
_PLY_BYTES = 1024
"""Of a position beside its policy and what was observed: more than any has."""


@dataclass(frozen=True)
class ShareTask:
    """A share to play with a net, on a worker or here."""

    game: Game
    search: SearchConfig
    config: SelfplayConfig
    share: Share
    nets: Mapping[str, bytes]
    """The one that plays, by its name."""
    evaluator: Callable[[], Evaluator]
    """Returns the net, ready to be asked here."""

    @property
    def most_games(self) -> int:
        """The most that can have been played: each has a position of its own."""
        return self.share.num_games or self.share.quota + 2 * self.share.slots

    @property
    def max_bytes(self) -> int:
        """The most that an honest worker can answer."""
        rows, columns, planes = self.game.observation_shape
        ply_bytes = _PLY_BYTES + 4 * (self.game.num_actions + rows * columns * planes)
        plies = sum(len(one.kinds) for one in self.share.unfinished) + self.most_games
        if self.share.num_games:
            plies *= self.config.max_plies or _MOST_PLIES
        return _SPARE_BYTES + ply_bytes * plies

    def to_bytes(self) -> bytes:
        """Return it as a job."""
        [net] = self.nets
        job = ShareJob(
            portable_spec(self.game), net, self.search, self.config, self.share
        )
        return job.to_bytes()

    def read(self, content: bytes) -> tuple[SharePlayed, Facts]:
        """Return what a worker brought; ValueError if it cannot be."""
        most, actions = self.most_games, self.game.num_actions
        played, figures = unpack_played(content, most, actions)
        check_played(self.game, self.share, played)
        tally = played.tally
        counts = {"games": tally.games, "positions": tally.positions}
        return played, {**figures, **counts, "evals": tally.evals}

    def play(self, stop: Event) -> SharePlayed:
        """Play it here."""
        how = (self.game, self.search, self.config, self.evaluator())
        return play_share(*how, self.share, stop=stop)


def make_tasks(
    game: Game,
    search: SearchConfig,
    config: SelfplayConfig,
    net: Net,
    make_evaluator: Callable[[Net], Evaluator],
    shares: Sequence[Share],
) -> list[ShareTask]:
    """Return shares as tasks for a net, which is loaded here if need be."""
    content = net.to_bytes()
    nets = {sha256(content): content}
    make = cache(lambda: make_evaluator(net))
    return [ShareTask(game, search, config, share, nets, make) for share in shares]


def play_shares(
    cluster: Cluster,
    game: Game,
    search: SearchConfig,
    config: SelfplayConfig,
    net: Net,
    make_evaluator: Callable[[Net], Evaluator],
    *,
    seed: int,
    first_game: int = 0,
    unfinished: Sequence[GameRecord] = (),
    should_stop: Callable[[], bool] = lambda: False,
    on_progress: Callable[[Tally], None] = lambda tally: None,
    ledger: Ledger | None = None,
) -> SharePlayed | None:
    """Play the shares of an iteration on a cluster; None if somebody wants to stop."""
    shares = cut_shares(config, seed, net.card.iteration, first_game, unfinished)
    tasks = make_tasks(game, search, config, net, make_evaluator, shares)
    done: dict[int, SharePlayed] = {}

    def tell(running: Facts) -> None:
        total = sum((part.tally for part in done.values()), Tally())
        on_progress(total + Tally(**running))

    for index, played in cluster.spread(tasks, should_stop, tell, ledger):
        done[index] = played
    if len(done) < len(tasks):
        return None
    return join_shares(done[index] for index in range(len(tasks)))


def play_games(
    cluster: Cluster,
    game: Game,
    search: SearchConfig,
    config: SelfplayConfig,
    net: Net,
    shares: Sequence[Share],
) -> Iterator[SharePlayed]:
    """Play shares on a cluster; give what they bring in their order."""
    tasks = make_tasks(game, search, config, net, make_evaluator, shares)
    return in_order(cluster.spread(tasks))
