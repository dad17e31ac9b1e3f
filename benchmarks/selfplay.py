"""Self-play next to the bare network and to plain Python, by turns in one run."""

import statistics
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, replace
from typing import Annotated

import numpy as np
import typer

from ludens.bench.speed import GAMES, Selfplay
from ludens.bench.speed import SIMS as USUAL_SIMS
from ludens.cores import num_cores
from ludens.formats.strict import to_json
from ludens.infer.evaluator import make_evaluator
from ludens.loading.game import load_game
from ludens.nets.config import SIZES, NetConfig
from ludens.nets.weights import new_net
from ludens.search.config import SearchConfig
from ludens.search.model import Evaluator, is_learned
from ludens.selfplay.config import SelfplayConfig
from ludens.training.config import read_config
from parts import Parts, watched
from plain_selfplay import plain_positions
from script import run

CASES = {
    "connect_four": NetConfig(blocks=4, channels=48, hidden=64),
    "gomoku:size=9": NetConfig(blocks=5, channels=48, hidden=64),
    "tic_tac_toe": SIZES["tiny"],
    "triangle": None,
}
"""The net of each game; None: that of its preset, as of any other game."""
SIMS = {"triangle": 64}
CACHE_SIZE = 1 << 17
PUBLISHED = {"triangle": ("AlphaTriangle 2.0", 4.9)}
"""Moves a second with the defaults it publishes: 64 simulations, two such cores."""
PLAIN_POSITIONS = 5
"""Fewest positions to measure plain Python by; a position takes it long."""


@dataclass(frozen=True)
class Speed:
    """Medians over the rounds; evaluations and positions are per second."""

    game: str
    net: str
    sims: int
    threads: int
    batch: float
    bare_evals: float
    evals: float
    share: float
    """Of the bare network's evaluations."""
    positions: float
    cached_positions: float
    plain_positions: float
    """0 for games with chance, which it does not know."""
    parts: dict[str, float]


class Case:
    """A game with a network, and all that is measured of it."""

    def __init__(self, spec: str, seconds: float, preset: str, method: str) -> None:
        self.game = load_game(spec)
        self.seconds = seconds
        own = None if preset or method else CASES.get(spec)
        config = own or read_config(self.game, preset, method=method).net
        self.net = new_net(self.game, config, seed=1)
        self.evaluator: Evaluator = make_evaluator(self.net, "cpu", threads=num_cores())
        self.search = SearchConfig(root="gumbel", sims=SIMS.get(spec, USUAL_SIMS))
        self.plain = self._plain()
        self.ours = Selfplay(self.game, self.search, self.evaluator)
        caching = replace(self.search, cache_size=CACHE_SIZE)
        self.cached = Selfplay(self.game, caching, self.evaluator)

    def _plain(self) -> Iterator[int] | None:
        """Return self-play in plain Python; it knows no chance and no learned model."""
        if self.game.plain.MAX_OUTCOMES > 0 or is_learned(self.evaluator):
            return None
        warm_plies = SelfplayConfig().temperature_plies
        return plain_positions(self.game, self.net, self.search, warm_plies)

    def warm_up(self) -> int:
        """Compile and let games drift apart; return the positions of a round."""
        self.cached.iterate(1)
        if self.plain is not None:
            next(self.plain)
        return self.ours.positions_in(self.seconds)

    def bare(self, batch: int) -> float:
        """Return the evaluations a second of the network alone, on all threads.

        Of a learned model those are its steps.
        """
        shape = (batch, *self.game.observation_shape)
        deadline = time.perf_counter() + self.seconds

        def ask(thread: int) -> int:
            rng = np.random.default_rng(thread)
            planes, count, evaluator = rng.random(shape, np.float32), 0, self.evaluator
            choices = rng.integers(self.game.num_actions, size=batch)
            latents = evaluator(planes).latents
            while not count or time.perf_counter() < deadline:
                if is_learned(evaluator) and latents is not None:
                    evaluator.step(latents, choices)
                else:
                    evaluator(planes)
                count += batch
            return count

        began = time.perf_counter()
        with ThreadPoolExecutor(num_cores()) as pool:
            total = sum(pool.map(ask, range(num_cores())))
        return total / (time.perf_counter() - began)

    def plain_rate(self) -> float:
        """Return the positions a second of plain Python."""
        return 0.0 if self.plain is None else _rate(self.plain, self.seconds)

    def round(self, positions: int) -> dict[str, float]:
        """Return what each contender does in its turn."""
        tally, cached = self.ours.iterate(positions), self.cached.iterate(positions)
        evals = tally.evals / self.ours.seconds
        batch = tally.evals / tally.batches
        bare = self.bare(round(batch))
        return {
            "batch": batch,
            "bare_evals": bare,
            "evals": evals,
            "share": evals / bare,
            "positions": tally.positions / self.ours.seconds,
            "cached_positions": cached.positions / self.cached.seconds,
            "plain_positions": self.plain_rate(),
        }

    def parts(self, positions: int) -> dict[str, float]:
        """Return where the time of self-play goes, in shares; of rules only."""
        if is_learned(self.evaluator):
            return {}
        parts = Parts()
        with watched(self.game, parts):
            self.ours.evaluator = parts.network(self.evaluator)
            self.ours.iterate(positions)
        self.ours.evaluator = self.evaluator
        return parts.shares(self.ours.seconds, num_cores())


def _rate(positions: Iterator[int], seconds: float) -> float:
    began = time.perf_counter()
    for count, _ in enumerate(positions, 1):
        spent = time.perf_counter() - began
        if count >= PLAIN_POSITIONS and spent >= seconds:
            break
    return count / spent


def measure(
    spec: str, rounds: int, seconds: float, preset: str = "", method: str = ""
) -> Speed:
    """Let network, self-play and plain Python have their turns."""
    case = Case(spec, seconds, preset, method)
    positions = case.warm_up()
    rounds_done = [case.round(positions) for _ in range(rounds)]
    medians = {
        name: statistics.median(done[name] for done in rounds_done)
        for name in rounds_done[0]
    }
    parts = case.parts(positions)
    config = case.net.card.config
    size = f"{config.blocks} blocks x {config.channels} channels"
    sims, threads = case.search.sims, num_cores()
    return Speed(
        game=spec, net=size, sims=sims, threads=threads, parts=parts, **medians
    )


def report(speed: Speed) -> str:
    """Return a paragraph on one game."""
    parts = ", ".join(f"{name} {part:.1%}" for name, part in speed.parts.items())
    lines = (
        f"{speed.game}, {speed.net}, {speed.sims} simulations, {speed.threads} threads,"
        f" batches of {speed.batch:.0f}",
        f"  bare network     {speed.bare_evals:>10,.0f} evaluations/s",
        f"  self-play        {speed.evals:>10,.0f} evaluations/s  {speed.share:.1%}",
        *([f"    time           {parts}"] if parts else []),
        f"  self-play        {speed.positions:>10,.1f} positions/s",
        f"    with a cache   {speed.cached_positions:>10,.1f} positions/s",
        *_others(speed),
    )
    return "\n".join(lines)


def _others(speed: Speed) -> Iterator[str]:
    """Tell how many positions others make."""
    others = {"plain Python": speed.plain_positions} if speed.plain_positions else {}
    if speed.game in PUBLISHED:
        name, rate = PUBLISHED[speed.game]
        others[name] = rate
    for name, rate in others.items():
        ratio = speed.positions / rate
        yield f"  {name:<17}{rate:>10,.1f} positions/s  ours is {ratio:.1f}x"


def main(
    games: Annotated[
        list[str] | None,
        typer.Argument(help="Games to measure; four if none.", metavar="GAME"),
    ] = None,
    rounds: Annotated[
        int, typer.Option(help="Rounds by turns; medians are shown.", min=1)
    ] = 5,
    seconds: Annotated[
        float, typer.Option(help="Time of each in a round.", min=0.01)
    ] = 2.0,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
    preset: Annotated[
        str, typer.Option(help="Its nets, not our own.", metavar="small|laptop|gpu")
    ] = "",
    method: Annotated[
        str, typer.Option(help="Its nets.", metavar="alphazero|muzero")
    ] = "",
) -> None:
    """Measure self-play next to the bare network and to plain Python."""
    for spec in games or CASES:  # what is wrong is said before anything is measured
        read_config(load_game(spec), preset, method=method)
    if not as_json:
        print(f"Gumbel, {GAMES} games; medians, by turns")
    speeds = []
    for spec in games or CASES:
        speeds.append(measure(spec, rounds, seconds, preset, method))
        if not as_json:
            print(report(speeds[-1]), flush=True)
    if as_json:
        print(to_json([asdict(speed) for speed in speeds], indent=2))


if __name__ == "__main__":
    run(main)
