"""Self-play of many games at once: each moves on as soon as its own search is done."""

import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from dataclasses import dataclass, field, fields
from itertools import count, pairwise
from threading import Event
from typing import Any

import numpy as np

from ludens.cores import num_cores
from ludens.loading.game import Game
from ludens.rng import seed_from
from ludens.search.config import SearchConfig
from ludens.search.search import Evaluator, Roots, Search
from ludens.selfplay import kernel as selfplay_kernel
from ludens.selfplay.config import SelfplayConfig
from ludens.selfplay.ongoing import (
    FAST,
    FULL,
    LENGTH,
    MOVE,
    OPENING,
    PLAN,
    Ongoing,
)
from ludens.selfplay.played import Played
from ludens.selfplay.resigning import Resigning

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
    num_slots: int
    unfinished: Sequence[Played] = ()
    finished: list[Played] = field(default_factory=list)
    tally: Tally = field(default_factory=Tally)

    def __post_init__(self) -> None:
        self._kernel = self.game.kernel(selfplay_kernel)
        self._resigning = Resigning(self.config, self.game.num_players)
        self._search = Search(
            self.game, self.search_config, self.num_slots, evaluator=self.evaluator
        )
        self._states = self.game.states(self.num_slots)
        self.games = [
            Ongoing.resume(self.game, played, self._states, slot)
            for slot, played in enumerate(self.unfinished)
        ]
        for slot in range(len(self.games), self.num_slots):
            self.games.append(self._begin(slot))
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

    def _begin(self, slot: int) -> Ongoing:
        """Start a game, some of them with random moves."""
        number = next(self.numbers)
        seed = seed_from(self.seed, number)
        ongoing = Ongoing(self.game, number, seed, self._states, slot)
        if ongoing.fraction(OPENING) < self.config.opening_share:
            most = self.config.opening_plies
            ongoing.open(min(most, 1 + int(ongoing.fraction(LENGTH) * most)))
        return ongoing

    def _plan(self, slots: Any) -> None:
        """Plant the trees of some games, each with its number of simulations."""
        share = self.config.fast_share
        games = [self.games[slot] for slot in slots.tolist()]
        seeds = [seed_from(ongoing.seed, ongoing.num_plies) for ongoing in games]
        self._search.replant(slots, self._states[slots], seeds)
        kinds = [
            FAST if share > 0 and ongoing.fraction(PLAN) < share else FULL
            for ongoing in games
        ]
        for slot, kind in zip(slots.tolist(), kinds, strict=True):
            self._kinds[slot] = kind
        sims = {FAST: self.config.fast_sims, FULL: self.search_config.sims}
        self._search.allow(slots, [sims[kind] for kind in kinds])

    def _move(self, idle: Any) -> None:
        """Play the moves that were found, and go on with the next search."""
        roots = self._search.roots(idle)
        self.tally.sims += int(roots.sims.sum())
        self.tally.positions += len(idle)
        slots = idle.tolist()
        games = [self.games[slot] for slot in slots]
        actions = self._choose(games, roots)
        kinds = [self._kinds[slot] for slot in slots]
        policies = roots.policy.astype(np.float16)
        for ongoing, *thought in zip(
            games, kinds, policies, roots.values.tolist(), strict=True
        ):
            ongoing.note_search(*thought)
        rewards, to_play = np.empty(len(idle)), np.empty(len(idle), np.int8)
        self._kernel.step_all(self._states, idle, actions, rewards, to_play)
        for slot, *step in zip(
            slots, actions.tolist(), rewards.tolist(), to_play.tolist(), strict=True
        ):
            self._note(slot, *step)
        self._plan(idle)

    def _choose(self, games: list[Ongoing], roots: Roots) -> Any:
        """Return the actions [N] to play: early ones by lot, then the search's."""
        actions, heat = roots.chosen.copy(), self.config.temperature
        most = self.config.temperature_plies if heat > 0 else 0
        rows = [n for n, ongoing in enumerate(games) if ongoing.num_plies < most]
        if rows:
            seeds = np.array([games[n].seed_for(MOVE) for n in rows], np.uint64)
            self._kernel.pick_all(roots.policy, heat, np.array(rows), seeds, actions)
        return actions

    def _note(self, slot: int, action: int, reward: float, to_play: int) -> None:
        """Take note of a move; begin another game when it was the last."""
        ongoing = self.games[slot]
        ongoing.note(action, reward, to_play)
        ending = self._ending(ongoing)
        if ending:
            self._finish(ongoing, ending)
            self.games[slot] = self._begin(slot)

    def _ending(self, ongoing: Ongoing) -> str:
        """Return how a game ends now, or nothing if it goes on."""
        if ongoing.is_over:
            return "played"
        if self._resigning.resigns(ongoing):
            return "resigned"
        is_long = 0 < self.config.max_plies <= ongoing.num_plies
        return "cut" if is_long else ""

    def _finish(self, ongoing: Ongoing, ending: str) -> None:
        played = ongoing.record(self.net, ending)
        self.finished.append(played)
        self.tally.games += 1
        self.tally.resigned += ending == "resigned"
        for player in self._resigning.despaired(ongoing):
            self.tally.control += 1
            self.tally.control_wrong += played.result != (-1.0, 1.0)[player]


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
    num_threads = min(config.threads or num_cores(), config.games)
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
            num_slots=int(b - a),
            unfinished=unfinished[a:b],
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
