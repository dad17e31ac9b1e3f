"""Self-play of many games at once: each moves on as soon as its own search is done."""

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from threading import Event
from typing import Any

import numpy as np

from ludens.loading.game import Game
from ludens.rng import key, uniform
from ludens.search.config import SearchConfig
from ludens.search.model import Evaluator
from ludens.search.search import Roots, Search
from ludens.selfplay import kernel as selfplay_kernel
from ludens.selfplay.active import ActiveGame, Resigning
from ludens.selfplay.config import SelfplayConfig
from ludens.selfplay.episodes import ActiveEpisode, NotTheSame
from ludens.selfplay.share import (
    FAST,
    FULL,
    GameRecord,
    Share,
    SharePlayed,
    Tally,
    cut_shares,
    join_shares,
)

LOOK_S = 0.1
"""How often the progress is told and a wish to stop is looked for."""


class Worker:
    """The games of one share, all played at a time by one thread."""

    def __init__(
        self,
        game: Game,
        search_config: SearchConfig,
        config: SelfplayConfig,
        evaluator: Evaluator,
        share: Share,
        tally: Tally,
    ) -> None:
        self.game = game
        self.search_config = search_config
        self.config = config
        self.share = share
        self.tally = tally
        self._kind = ActiveEpisode if game.environment else ActiveGame
        self._finished: list[GameRecord] = []
        self._next_game = share.first_game
        self._kernel = game.kernel(selfplay_kernel)
        self._resigning = Resigning(config, game.num_players)
        self._search = Search(game, search_config, share.slots, evaluator=evaluator)
        self._states = game.states(share.slots)
        self.games = [
            self._resume(slot, record) for slot, record in enumerate(share.unfinished)
        ]
        for slot in range(len(self.games), share.slots):
            self.games.append(self._begin(slot))
        self._kinds = [FULL] * share.slots
        self._is_open = np.ones(share.slots, np.bool_)
        """[slots] Those whose games go on."""
        self._plan(np.arange(share.slots))

    def play(self, stop: Event) -> SharePlayed:
        """Play until the positions of the share have been searched."""
        room = self.share.slots * self.search_config.leaf_batch
        while self._goes_on() and not stop.is_set():
            idle = self._open_of(self._search.idle())
            if len(idle) > 0:
                self._move(idle)
            self.tally.evals += self._search.step()
            self.tally.batches += 1
            self.tally.room += room
        left = [self.games[slot] for slot in np.flatnonzero(self._is_open)]
        unfinished = [active.record(self.share.net, "cut") for active in left]
        for active in left:
            active.close()
        return SharePlayed(self._finished, unfinished, self.tally, self._next_game)

    def _goes_on(self) -> bool:
        if self.share.num_games:
            return bool(self._is_open.any())
        return self.tally.positions < self.share.quota

    def _open_of(self, slots: Any) -> Any:
        return slots[self._is_open[slots]]

    def _resume(self, slot: int, played: GameRecord) -> ActiveGame:
        """Go on with a game; begin another if its environment did something else."""
        try:
            return self._kind.resume(self.game, played, self._states, slot)
        except NotTheSame:
            self.tally.dropped += 1
            return self._begin(slot)

    def _begin(self, slot: int) -> ActiveGame:
        """Start a game, some of them with random moves."""
        number = self._next_game
        self._next_game += self.share.stride
        seed = game_seed(self.share, number)
        active = self._kind(self.game, number, seed, self._states, slot)
        if uniform(seed, "opened") < self.config.opening_share:
            most = self.config.opening_plies
            active.open(min(most, 1 + int(uniform(seed, "length") * most)))
        return active

    def _plan(self, slots: Any) -> None:
        """Begin the searches of some games, each with its number of simulations."""
        share = self.config.fast_share
        games = [self.games[slot] for slot in slots.tolist()]
        seeds = [key(active.seed, "tree", active.num_plies) for active in games]
        self._search.reset(self._states[slots], seeds, slots)
        marks = (uniform(active.seed, "plan", active.num_plies) for active in games)
        kinds = [FAST if mark < share else FULL for mark in marks]
        for slot, kind in zip(slots.tolist(), kinds, strict=True):
            self._kinds[slot] = kind
        sims = {FAST: self.config.fast_sims, FULL: self.search_config.sims}
        self._search.set_budget(slots, [sims[kind] for kind in kinds])

    def _move(self, idle: Any) -> None:
        """Play the moves that were found, and go on with the next search."""
        roots = self._search.read_roots(idle)
        self.tally.sims += int(roots.sims.sum())
        self.tally.depth += self._search.sum_of_depths(idle)
        self.tally.positions += len(idle)
        slots = idle.tolist()
        games = [self.games[slot] for slot in slots]
        actions = self._choose(games, roots)
        kinds = [self._kinds[slot] for slot in slots]
        policies = roots.policy.astype(np.float16)
        for active, *thought in zip(
            games, kinds, policies, roots.values.tolist(), strict=True
        ):
            active.note_search(*thought)
        rewards, to_play = self._step(idle, actions)
        for slot, *step in zip(
            slots, actions.tolist(), rewards.tolist(), to_play.tolist(), strict=True
        ):
            self._note(slot, *step)
        self._plan(self._open_of(idle))

    def _step(self, slots: Any, actions: Any) -> tuple[Any, Any]:
        """Play an action in each of some games; return rewards and who is next [N]."""
        rewards, to_play = np.empty(len(slots)), np.empty(len(slots), np.int8)
        if self.game.environment is None:
            self._kernel.step_all(self._states, slots, actions, rewards, to_play)
            return rewards, to_play
        for n, (slot, action) in enumerate(zip(slots, actions.tolist(), strict=True)):
            active = self.games[slot]
            assert isinstance(active, ActiveEpisode)
            rewards[n] = active.step(action)
        return rewards, self._states["to_play"][slots]

    def _choose(self, games: list[ActiveGame], roots: Roots) -> Any:
        """Return the actions [N] to play: sampled, or the search's at temperature 0."""
        actions, at = roots.chosen.copy(), self.config.temperature_at
        temperatures = np.array([at(active.num_plies) for active in games])
        rows = np.flatnonzero(temperatures)
        if len(rows):
            moving = (games[n] for n in rows.tolist())
            words = [key(one.seed, "sampling", one.num_plies) for one in moving]
            seeds = np.array(words, np.uint64)
            self._kernel.sample_all(
                roots.policy, temperatures[rows], rows, seeds, actions
            )
        return actions

    def _note(self, slot: int, action: int, reward: float, to_play: int) -> None:
        """Take note of a move; begin another game when it was the last."""
        active = self.games[slot]
        active.note(action, reward, to_play)
        ending = self._ending(active)
        if ending:
            self._finish(active, ending)
            active.close()
            self._follow(slot)

    def _follow(self, slot: int) -> None:
        """Begin another game, unless all that are wanted have begun."""
        share, most = self.share, self.share.num_games
        if most and self._next_game >= share.first_game + most * share.stride:
            self._is_open[slot] = False
        else:
            self.games[slot] = self._begin(slot)

    def _ending(self, active: ActiveGame) -> str:
        """Return how a game ends now, or nothing if it goes on."""
        if active.is_over:
            return "played"
        if self._resigning.resigns(active):
            return "resigned"
        is_long = 0 < self.config.max_plies <= active.num_plies
        return "cut" if is_long or active.is_cut else ""

    def _finish(self, active: ActiveGame, ending: str) -> None:
        record = active.record(self.share.net, ending)
        self._finished.append(record)
        self.tally.games += 1
        self.tally.resigned += ending == "resigned"
        for player in self._resigning.would_have_resigned(active):
            self.tally.control += 1
            self.tally.control_wrong += record.result != (-1.0, 1.0)[player]


def game_seed(share: Share, number: int) -> int:
    """Return the seed of a game that is begun in a share."""
    return key(share.seed, "game", number)


def play_share(
    game: Game,
    search_config: SearchConfig,
    config: SelfplayConfig,
    evaluator: Evaluator,
    share: Share,
    tally: Tally | None = None,
    stop: Event | None = None,
    stage: "list[Worker] | None" = None,
) -> SharePlayed:
    """Play a share; the result depends on nothing else than what is given.

    `tally` is filled meanwhile, and `stage` has who plays. A share that is told to stop
    is not whole.
    """
    tally = Tally() if tally is None else tally
    worker = Worker(game, search_config, config, evaluator, share, tally)
    if stage is not None:
        stage.append(worker)
    return worker.play(stop or Event())


def play_games(
    game: Game,
    search_config: SearchConfig,
    config: SelfplayConfig,
    evaluator: Evaluator,
    shares: Sequence[Share],
) -> Iterator[SharePlayed]:
    """Play shares on all threads; give what they bring in their order."""
    stop = Event()
    how = (game, search_config, config, evaluator)
    pool = ThreadPoolExecutor(config.num_threads)
    try:
        running = [pool.submit(play_share, *how, one, stop=stop) for one in shares]
        for future in running:
            yield future.result()
    finally:
        stop.set()
        pool.shutdown(cancel_futures=True)


def play_iteration(
    game: Game,
    search_config: SearchConfig,
    config: SelfplayConfig,
    evaluator: Evaluator,
    *,
    seed: int,
    net: int,
    first_game: int = 0,
    unfinished: Sequence[GameRecord] = (),
    should_stop: Callable[[], bool] = lambda: False,
    on_progress: Callable[[Tally], None] = lambda tally: None,
    stage: list[Worker] | None = None,
) -> SharePlayed:
    """Play the shares of an iteration on all threads; `stage` has who plays."""
    shares = cut_shares(config, seed, net, first_game, unfinished)
    tallies, stop = [Tally() for _ in shares], Event()
    how = (game, search_config, config, evaluator)
    with ThreadPoolExecutor(config.num_threads) as pool:
        running = [
            pool.submit(play_share, *how, share, tally, stop, stage)
            for share, tally in zip(shares, tallies, strict=True)
        ]
        while wait(running, LOOK_S).not_done:
            on_progress(sum(tallies, Tally()))
            if should_stop() or any(f.done() and f.exception() for f in running):
                stop.set()
    return join_shares(future.result() for future in running)
