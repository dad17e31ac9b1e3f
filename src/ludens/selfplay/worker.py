"""Self-play of many games at once: each moves on as soon as its own search is done."""

import os
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from dataclasses import dataclass, field, fields
from itertools import count, pairwise
from threading import Event
from typing import Any

import numpy as np

from ludens.loading import Game
from ludens.rng import seed_from
from ludens.search.config import SearchConfig
from ludens.search.search import Evaluator, Roots, Search
from ludens.selfplay.config import SelfplayConfig
from ludens.selfplay.ongoing import (
    FAST,
    FULL,
    KERNEL,
    LENGTH,
    MOVE,
    OPENING,
    PLAN,
    Ongoing,
)
from ludens.selfplay.played import Played

LOOK_S = 0.1
"""How often the progress is told and a wish to stop is looked for."""


@dataclass
class Tally:
    """What self-play did, in numbers."""

    positions: int = 0
    games: int = 0
    evals: int = 0
    sims: int = 0
    batches: int = 0
    resigned: int = 0
    control: int = 0
    """Games that would have been resigned, had they not been in the control sample."""
    control_wrong: int = 0
    """Of these, the ones that were not lost."""

    def __add__(self, other: "Tally") -> "Tally":
        sums = {
            f.name: getattr(self, f.name) + getattr(other, f.name) for f in fields(self)
        }
        return Tally(**sums)


@dataclass(frozen=True)
class Crop:
    """What an iteration of self-play brings in."""

    games: list[Played]
    unfinished: list[Played]
    """Games in progress, for the next iteration to go on with."""
    tally: Tally
    seconds: float
    next_number: int


@dataclass
class Worker:
    """The games that one thread plays at a time."""

    game: Game
    search_config: SearchConfig
    config: SelfplayConfig
    evaluator: Evaluator
    seed: int
    net: int
    numbers: Iterator[int]
    games: list[Ongoing]
    num_slots: int
    finished: list[Played] = field(default_factory=list)
    tally: Tally = field(default_factory=Tally)

    def __post_init__(self) -> None:
        self._kernel = self.game.kernel(KERNEL)
        self._search = Search(
            self.game, self.search_config, self.num_slots, evaluator=self.evaluator
        )
        while len(self.games) < self.num_slots:
            self.games.append(self._begin())
        self._kinds = [FULL] * self.num_slots
        self._plan(np.arange(self.num_slots))

    def play(self, positions: int, stop: Event) -> None:
        """Play until so many positions have been searched."""
        while self.tally.positions < positions and not stop.is_set():
            idle = self._search.idle()
            if len(idle) > 0:
                self._move(idle)
            self.tally.evals += self._search.step()
            self.tally.batches += 1

    def _begin(self) -> Ongoing:
        """Start a game, some of them with random moves."""
        number = next(self.numbers)
        ongoing = Ongoing(self.game, number, seed_from(self.seed, number))
        if ongoing.fraction(OPENING) < self.config.opening_share:
            most = self.config.opening_plies
            ongoing.open(min(most, 1 + int(ongoing.fraction(LENGTH) * most)))
        return ongoing

    def _plan(self, games: Any) -> None:
        """Plant the trees of some games, each with its number of simulations."""
        states = self.game.states(len(games))
        for n, g in enumerate(games):
            ongoing = self.games[g]
            states[n] = ongoing.state
            is_fast = ongoing.fraction(PLAN) < self.config.fast_share
            self._kinds[g] = FAST if is_fast else FULL
        seeds = [seed_from(self.games[g].seed, self.games[g].num_plies) for g in games]
        self._search.replant(games, states, seeds)
        sims = {FAST: self.config.fast_sims, FULL: self.search_config.sims}
        self._search.allow(games, [sims[self._kinds[g]] for g in games])

    def _move(self, idle: Any) -> None:
        """Play the moves that were found, and go on with the next search."""
        roots = self._search.roots(idle)
        self.tally.sims += int(roots.sims.sum())
        self.tally.positions += len(idle)
        for n, g in enumerate(idle):
            ongoing = self.games[g]
            action = self._choose(ongoing, roots, n)
            policy = roots.policy[n].astype(np.float16)
            ongoing.play(action, self._kinds[g], policy, float(roots.values[n]))
            ending = self._ending(ongoing)
            if ending:
                self._finish(ongoing, ending)
                self.games[g] = self._begin()
        self._plan(idle)

    def _choose(self, ongoing: Ongoing, roots: Roots, n: int) -> int:
        config = self.config
        if config.temperature > 0 and ongoing.num_plies < config.temperature_plies:
            policy, rng = roots.policy[n], ongoing.rng(MOVE)
            return int(self._kernel.pick_warm(policy, config.temperature, rng))
        return int(roots.chosen[n])

    def _ending(self, ongoing: Ongoing) -> str:
        """Return how a game ends now, or nothing if it goes on."""
        if ongoing.is_over:
            return "played"
        if not self._is_control(ongoing) and self._despairs(
            ongoing.opinions(int(ongoing.state.to_play))
        ):
            return "resigned"
        is_long = 0 < self.config.max_plies <= ongoing.num_plies
        return "cut" if is_long else ""

    def _is_control(self, ongoing: Ongoing) -> bool:
        """Tell whether a game is one of those that show if giving up is right."""
        return seed_from(ongoing.seed) / 2**64 < self.config.resign_control

    def _despairs(self, opinions: list[float]) -> bool:
        """Tell whether a player has just seen no hope for some moves in a row."""
        config = self.config
        if config.resign_below == 0 or self.game.num_players == 1:
            return False
        last = opinions[-config.resign_plies :]
        return len(last) == config.resign_plies and max(last) < -config.resign_below

    def _finish(self, ongoing: Ongoing, ending: str) -> None:
        played = ongoing.record(self.net, ending)
        self.finished.append(played)
        self.tally.games += 1
        self.tally.resigned += ending == "resigned"
        if self._is_control(ongoing):
            for player, loss in ((0, -1.0), (1, 1.0)):
                opinions = ongoing.opinions(player)
                ends = range(1, len(opinions) + 1)
                if any(self._despairs(opinions[:end]) for end in ends):
                    self.tally.control += 1
                    self.tally.control_wrong += played.result != loss


def play_iteration(
    game: Game,
    search_config: SearchConfig,
    config: SelfplayConfig,
    evaluator: Evaluator,
    *,
    seed: int,
    net: int,
    first_number: int = 0,
    unfinished: Sequence[Played] = (),
    should_stop: Callable[[], bool] = lambda: False,
    on_progress: Callable[[Tally], None] = lambda tally: None,
) -> Crop:
    """Play until the positions of an iteration are searched, on all threads."""
    began = time.perf_counter()
    num_threads = min(config.threads or os.cpu_count() or 1, config.games)
    bounds = np.linspace(0, config.games, num_threads + 1).astype(int)
    workers = [
        Worker(
            game,
            search_config,
            config,
            evaluator,
            seed,
            net,
            numbers=count(first_number + w, num_threads),
            games=[Ongoing.resume(game, p) for p in unfinished[a:b]],
            num_slots=int(b - a),
        )
        for w, (a, b) in enumerate(pairwise(bounds))
    ]
    quota = -(-config.positions // num_threads)
    stop = Event()
    with ThreadPoolExecutor(num_threads) as pool:
        running = [pool.submit(worker.play, quota, stop) for worker in workers]
        while wait(running, LOOK_S).not_done:
            on_progress(sum((w.tally for w in workers), Tally()))
            if should_stop() or any(f.done() and f.exception() for f in running):
                stop.set()
    for future in running:
        future.result()
    return Crop(
        games=sorted((p for w in workers for p in w.finished), key=lambda p: p.number),
        unfinished=[g.record(net, "cut") for w in workers for g in w.games],
        tally=sum((w.tally for w in workers), Tally()),
        seconds=time.perf_counter() - began,
        next_number=max(next(worker.numbers) for worker in workers),
    )
