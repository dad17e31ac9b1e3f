"""The self-play of a training: here or on a cluster, when it is time or ahead of it."""

import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, field
from functools import partial
from threading import Event
from typing import Any

from ludens.cluster.again import think_together
from ludens.cluster.hands import Cluster
from ludens.cluster.ledger import Ledger
from ludens.cluster.shares import play_shares
from ludens.formats.words import plural
from ludens.infer.evaluator import NetEvaluator, make_evaluator
from ludens.loading.game import Game
from ludens.nets.weights import Net
from ludens.search.config import SearchConfig
from ludens.selfplay.again import search_positions
from ludens.selfplay.config import SelfplayConfig
from ludens.selfplay.share import GameRecord, SharePlayed, Tally
from ludens.selfplay.worker import LOOK_S, Worker, play_iteration
from ludens.store.moment import Pulse
from ludens.store.stage import GameSeen, look_at
from ludens.store.workers import WorkerFigures, sum_up
from ludens.training.evaluate import Place
from ludens.training.progress import Watcher, figures_of, rates_of
from ludens.training.reanalyse import Think


@dataclass(frozen=True)
class Plan:
    """An iteration to be played, with all that decides its games."""

    number: int
    net: Net
    search: SearchConfig
    selfplay: SelfplayConfig
    seed: int
    first_game: int
    unfinished: Sequence[GameRecord]
    searched_before: int = 0
    """Positions, in all iterations before it"""


@dataclass(frozen=True)
class IterationPlayed:
    """What the self-play of an iteration brought."""

    played: SharePlayed
    metrics: dict[str, float]
    workers: Sequence[WorkerFigures] = ()
    """Those of the cluster that played it."""


@dataclass
class _Ahead:
    """An iteration that is being played while the one before is learned."""

    number: int
    outcome: "Future[IterationPlayed | None]" = field(default_factory=Future)
    tally: Tally = field(default_factory=Tally)
    began_s: float = field(default_factory=time.perf_counter)


class SelfPlay:
    """One who plays iterations, with the same games wherever and whenever."""

    def __init__(
        self,
        game: Game,
        place: Place,
        watcher: Watcher,
        pulse: Pulse,
        should_stop: Callable[[], bool],
        cluster: Cluster | None,
        show: Callable[[Sequence[GameSeen]], None] = lambda games: None,
    ) -> None:
        self.game, self.place, self.watcher = game, place, watcher
        self._show = show
        self._stage: list[Worker] = []
        """Who plays here, for those who look on."""
        self._next_look_s = 0.0
        self.pulse = pulse
        self.cluster = cluster
        self._wants_stop = should_stop
        self._over = Event()
        self._ahead: _Ahead | None = None

    def begin(self, plan: Plan) -> None:
        """Let the cluster play an iteration that is asked for later."""
        if self._ahead is not None:
            return
        ahead = _Ahead(plan.number)

        def note(tally: Tally) -> None:
            ahead.tally = tally
            self._look_on()

        pool = ThreadPoolExecutor(1)
        ahead.outcome = pool.submit(self._play, plan, note)
        pool.shutdown(wait=False)
        self._ahead = ahead

    def play(self, plan: Plan) -> IterationPlayed | None:
        """Return what an iteration brings; None if somebody wants to stop."""
        ahead, began_s = self._ahead, time.perf_counter()
        if ahead is None or ahead.number != plan.number:
            tell = self._teller(plan, began_s)
            brought = self._play(plan, tell)
            if brought is not None:
                tell(brought.played.tally)
            return brought
        tell = self._teller(plan, ahead.began_s)
        while wait([ahead.outcome], LOOK_S).not_done:
            tell(ahead.tally)
        self._ahead, brought = None, ahead.outcome.result()
        if brought is not None:
            brought.metrics["seconds_waited"] = time.perf_counter() - began_s
        return brought

    def stop(self) -> None:
        """Stop what is being played ahead."""
        if self._ahead is not None:
            self._over.set()
            wait([self._ahead.outcome])
            self._over.clear()
            self._ahead = None

    def evaluator(self, net: Net) -> NetEvaluator:
        """Return a net that is ready to be asked."""
        place = self.place
        return make_evaluator(net, place.device, place.precision, place.threads)

    def thinker(self, net: Net, search: SearchConfig, config: SelfplayConfig) -> Think:
        """Return who searches positions again with a net.

        Workers that play ahead have other things to do.
        """
        if self.cluster is not None and self._ahead is None:
            return partial(
                think_together,
                *(self.cluster, self.game, search, net, self.evaluator),
                num_trees=config.games,
                should_stop=self._should_stop,
            )
        return partial(
            search_positions,
            *(self.game, search, self.evaluator(net)),
            num_trees=config.games,
            threads=self.place.threads,
            should_stop=self._should_stop,
        )

    def _should_stop(self) -> bool:
        return self._over.is_set() or self._wants_stop()

    def _play(
        self, plan: Plan, on_progress: Callable[[Tally], None]
    ) -> IterationPlayed | None:
        began_s, ledger = time.perf_counter(), Ledger()
        played = self._play_games(plan, on_progress, ledger)
        seconds = time.perf_counter() - began_s
        if played is None or self._should_stop():
            return None
        metrics = figures_of(played, seconds, self.game.num_players)
        if self.cluster is None:
            return IterationPlayed(played, metrics)
        workers = ledger.figures()
        sums = sum_up(workers, ledger.num_twice)
        return IterationPlayed(played, metrics | sums, workers)

    def _play_games(
        self, plan: Plan, on_progress: Callable[[Tally], None], ledger: Ledger
    ) -> SharePlayed | None:
        how = (self.game, plan.search, plan.selfplay)
        terms: dict[str, Any] = {
            "seed": plan.seed,
            "first_game": plan.first_game,
            "unfinished": plan.unfinished,
            "should_stop": self._should_stop,
            "on_progress": on_progress,
        }
        try:
            if self.cluster is None:
                evaluator, number = self.evaluator(plan.net), plan.net.card.iteration
                terms |= {"net": number, "stage": self._stage}
                return play_iteration(*how, evaluator, **terms)
            hands = (self.cluster, *how, plan.net, self.evaluator)
            return play_shares(*hands, **terms, ledger=ledger)
        finally:  # trees are large
            self._stage.clear()
            self._show(())

    def _look_on(self) -> None:
        """Show some games as they stand, every few seconds."""
        if time.monotonic() >= self._next_look_s:
            self._next_look_s = time.monotonic() + self.pulse.every_s
            here = look_at(self._stage)
            self._show(here if self.cluster is None else self.cluster.games_seen())

    def _teller(self, plan: Plan, began_s: float) -> Callable[[Tally], None]:
        """Return what tells the progress of self-play."""
        total = plan.selfplay.positions
        self.watcher.progress("play", 0, total, "")

        def tell(tally: Tally) -> None:
            seconds = time.perf_counter() - began_s
            rates = f"{tally.evals / seconds:,.0f} evaluations/s"
            if self.cluster is not None:
                rates += f"   {plural(len(self.cluster.workers), 'worker')}"
            self.watcher.progress("play", tally.positions, total, rates)
            step = plan.searched_before + tally.positions
            know = partial(figures, tally, seconds)
            self.pulse.beat(plan.number, "play", step, know)
            self._look_on()

        def figures(tally: Tally, seconds: float) -> dict[str, float]:
            left = max(0, plan.selfplay.positions - tally.positions)
            found = rates_of(tally, seconds) | {"queue": left}
            if self.cluster is not None:
                found["workers"] = len(self.cluster.workers)
            return found

        return tell
