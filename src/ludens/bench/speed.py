"""How fast this machine is at one game: rules, search and self-play."""

import time
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from ludens.bench import kernel as bench_kernel
from ludens.cores import num_cores
from ludens.infer.evaluator import make_evaluator
from ludens.loading.game import Game
from ludens.nets.shipped import shipped_net
from ludens.nets.weights import Net, load_net, new_net
from ludens.search.config import SearchConfig
from ludens.search.model import Evaluator
from ludens.search.search import Search
from ludens.selfplay.config import SelfplayConfig
from ludens.selfplay.share import GameRecord, Tally
from ludens.selfplay.worker import play_iteration
from ludens.training.config import read_config

GAMES = 256
SIMS = 32

Play = Callable[[float], tuple[int, int]]
"""Plays random games for about so many seconds; returns games and steps."""
Run = Callable[[], int]
"""Searches once; returns the simulations done."""


def random_games(game: Game) -> Play:
    """Play random games with the compiled rules, on one core."""
    kernel = game.kernel(bench_kernel)
    generator, totals = np.array([1], np.uint64), np.zeros(4)

    def play(seconds: float) -> tuple[int, int]:
        games = steps = 0
        batch = 1
        end = time.perf_counter() + seconds
        while True:
            steps += kernel.play_random(batch, generator, totals)
            games += batch
            if time.perf_counter() >= end:
                return games, steps
            batch = min(2 * batch, 10_000)

    return play


def searches(search: Search) -> Run:
    """Search games from their start, again and again."""
    seeds = range(len(search.forest.heads))
    states = np.array([search.game.new(seed=seed).raw for seed in seeds])

    def once() -> int:
        search.reset(states, seeds)
        return int(search.run().sims.sum())

    return once


def sims_a_second(run: Run, seconds: float) -> float:
    """Search for so long; return the simulations a second."""
    sims, began = 0, time.perf_counter()
    while True:
        sims += run()
        spent = time.perf_counter() - began
        if spent >= seconds:
            return sims / spent


@dataclass
class Selfplay:
    """Self-play with one net that goes on where the last iteration left it."""

    game: Game
    search: SearchConfig
    evaluator: Evaluator
    unfinished: list[GameRecord] = field(default_factory=list)
    next_game: int = 0
    seconds: float = 0.0
    """How long the last iteration took."""

    def iterate(self, positions: int) -> Tally:
        """Play some positions more, with a thread for each core."""
        began = time.perf_counter()
        played = play_iteration(
            self.game,
            self.search,
            SelfplayConfig(positions=positions, games=GAMES, threads=num_cores()),
            self.evaluator,
            seed=1,
            net=0,
            unfinished=self.unfinished,
            first_game=self.next_game,
        )
        self.seconds = time.perf_counter() - began
        self.unfinished, self.next_game = played.unfinished, played.next_game
        return played.tally

    def positions_in(self, seconds: float) -> int:
        """Compile, let games drift apart, and tell what is played in such a time."""
        self.iterate(1)
        tally = self.iterate(2 * GAMES)
        return max(GAMES, int(seconds * tally.positions / self.seconds))


def usual_net(game: Game) -> Net:
    """Return the net that ships with a game, else a new one as its preset has it."""
    shipped = shipped_net(game)
    if shipped is not None:
        return load_net(shipped)
    return new_net(game, read_config(game).net, seed=1)


@dataclass(frozen=True)
class Speed:
    """What was measured of one game, each per second."""

    game: str
    cores: int
    random_games: float
    random_steps: float
    """On one core."""
    sims: float
    """With a constant evaluator."""
    evaluations: float
    positions: float
    """Of self-play with the net that ships, or one of that size."""


def measure(game: Game, seconds: float) -> Speed:
    """Measure the rules, the search and self-play, each for so long."""
    game.require_rules("this benchmark")
    play = random_games(game)
    play(0.0)
    games, steps = play(seconds)
    run = searches(Search(game, SearchConfig(sims=SIMS), GAMES, num_cores()))
    run()
    sims = sims_a_second(run, seconds)
    gumbel = SearchConfig(root="gumbel", sims=SIMS)
    evaluator = make_evaluator(usual_net(game), "cpu", threads=num_cores())
    selfplay = Selfplay(game, gumbel, evaluator)
    tally = selfplay.iterate(selfplay.positions_in(seconds))
    return Speed(
        game.spec,
        num_cores(),
        games / seconds,
        steps / seconds,
        sims,
        tally.evals / selfplay.seconds,
        tally.positions / selfplay.seconds,
    )


def report(speed: Speed) -> str:
    """Return what was measured, a line for each part."""
    return "\n".join(
        (
            f"{speed.game}, {speed.cores} cores (rules: one)",
            f"  rules      {speed.random_steps:>12,.0f} steps/s"
            f"  {speed.random_games:,.0f} random games/s",
            f"  search     {speed.sims:>12,.0f} simulations/s"
            f"  {GAMES} games x {SIMS}, constant evaluator",
            f"  self-play  {speed.positions:>12,.1f} positions/s"
            f"  {speed.evaluations:,.0f} evaluations/s, Gumbel, {SIMS} simulations",
        )
    )
