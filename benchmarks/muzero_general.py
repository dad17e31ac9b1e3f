"""Self-play of MuZero: positions a second, ours and muzero-general's.

Both play the same game with as many simulations a move, and with residual blocks and
channels as the exported file names them; each uses all cores.
"""

import os
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Annotated, Any

import typer

from ludens.bench.speed import Selfplay
from ludens.cores import num_cores
from ludens.envs.muzero_general import make_file
from ludens.envs.muzero_general.settings import sections
from ludens.errors import UserError
from ludens.infer.evaluator import make_evaluator
from ludens.loading.game import Game, load_game
from ludens.nets.config import NetConfig
from ludens.nets.weights import new_net
from ludens.search.config import SearchConfig
from script import run

MODULE = "exported_game"


@dataclass(frozen=True)
class Case:
    """A game, how many simulations a move has, and who plays it for how long."""

    game: Game
    sims: int
    seconds: float
    folder: Path
    """Where muzero-general is."""


@dataclass(frozen=True)
class Played:
    """What a contender has played."""

    games: int
    positions: int
    seconds: float


def muzero_general(case: Case) -> Played:
    """Play with the workers of muzero-general, started as it starts them."""
    with tempfile.TemporaryDirectory() as home:
        file = Path(home) / f"{MODULE}.py"
        file.write_text(make_file(case.game).text, encoding="utf-8")
        sys.path[:0] = [str(case.folder), home]
        os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
        os.environ["PYTHONPATH"] = os.pathsep.join(sys.path)  # for the workers
        try:
            return _play(case)
        finally:
            sys.path[:2] = []
            sys.modules.pop(MODULE, None)


def _play(case: Case) -> Played:
    try:
        ray, models, self_play = map(import_module, ("ray", "models", "self_play"))
    except ImportError as error:
        raise UserError(
            f"{case.folder} cannot be run as muzero-general: {error}"
        ) from None
    exported = import_module(MODULE)
    config = exported.MuZeroConfig()
    config.num_simulations = case.sims
    start = {"weights": models.MuZeroNetwork(config).get_weights()}
    ray.init(num_cpus=num_cores(), include_dashboard=False, log_to_driver=False)
    try:
        worker = self_play.SelfPlay.options(num_cpus=0)
        workers = [
            worker.remote(start, exported.Game, config, seed)
            for seed in range(num_cores())
        ]
        _games(ray, workers, config, 0.0)  # libraries are loaded
        return _games(ray, workers, config, case.seconds)
    finally:
        ray.shutdown()


def _games(ray: Any, workers: list[Any], config: Any, seconds: float) -> Played:
    """Let every worker play game after game, at least one."""

    def begin(worker: Any) -> Any:
        temperature = config.visit_softmax_temperature_fn(0)
        until = config.temperature_threshold
        return worker.play_game.remote(temperature, until, False, "self", 0)

    began, games, positions = time.perf_counter(), 0, 0
    playing = {begin(worker): worker for worker in workers}
    while playing:
        [done], _ = ray.wait(list(playing))
        worker = playing.pop(done)
        games += 1
        positions += len(ray.get(done).root_values)
        if time.perf_counter() - began < seconds:
            playing[begin(worker)] = worker
    return Played(games, positions, time.perf_counter() - began)


def ludens(case: Case) -> Played:
    """Play with a learned model of our own, many games at once."""
    named = sections(case.game)["Network"]
    blocks, channels = int(named["blocks"]), int(named["channels"])
    config = NetConfig(model="learned", blocks=blocks, channels=channels)
    net = new_net(case.game, config, seed=1)
    evaluator = make_evaluator(net, "cpu", threads=num_cores())
    search = SearchConfig(root="puct", sims=case.sims)
    selfplay = Selfplay(case.game, search, evaluator)
    tally = selfplay.iterate(selfplay.positions_in(case.seconds))
    return Played(tally.games, tally.positions, selfplay.seconds)


CONTENDERS: dict[str, Callable[[Case], Played]] = {
    "ludens": ludens,
    "muzero-general": muzero_general,
}


def main(
    folder: Annotated[Path, typer.Option(help="Where muzero-general is.")],
    game: Annotated[str, typer.Option(help="The game.")] = "tic_tac_toe",
    sims: Annotated[int, typer.Option(help="Simulations a move.", min=1)] = 25,
    seconds: Annotated[float, typer.Option(help="How long to play.")] = 30.0,
) -> None:
    """Measure our self-play with a learned model next to that of muzero-general."""
    case = Case(load_game(game), sims, seconds, folder)
    print(f"{game}, {sims} simulations a move, {num_cores()} cores")
    print(f"{'program':<16} {'games':>8} {'positions':>10} {'positions/s':>12}")
    for name, play in CONTENDERS.items():
        played = play(case)
        pace = played.positions / played.seconds
        print(f"{name:<16} {played.games:>8,} {played.positions:>10,} {pace:>12,.1f}")


if __name__ == "__main__":
    run(main)
