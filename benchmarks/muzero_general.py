"""Self-play of MuZero: positions a second by muzero-general on an exported game.

Both sides are to play the same game with the network and simulations that the file's
MuZeroConfig names. Who has a MuZero of his own adds a function to CONTENDERS.
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

from ludens.cores import num_cores
from ludens.envs.muzero_general import make_file
from ludens.errors import UserError
from ludens.loading.game import Game, load_game
from script import run

MODULE = "exported_game"


@dataclass(frozen=True)
class Case:
    """A game, how many simulations a move has, and who plays it for how long."""

    game: Game
    sims: int
    seconds: float
    workers: int
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
            for seed in range(case.workers)
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


CONTENDERS: dict[str, Callable[[Case], Played]] = {"muzero-general": muzero_general}


def main(
    folder: Annotated[Path, typer.Option(help="Where muzero-general is.")],
    game: Annotated[str, typer.Option(help="The game.")] = "tic_tac_toe",
    sims: Annotated[int, typer.Option(help="Simulations a move.", min=1)] = 25,
    seconds: Annotated[float, typer.Option(help="How long to play.")] = 30.0,
    workers: Annotated[int, typer.Option(help="Workers, else one a core.")] = 0,
) -> None:
    """Measure the self-play of MuZero on an exported game."""
    case = Case(load_game(game), sims, seconds, workers or num_cores(), folder)
    print(f"{game}, {sims} simulations a move, {case.workers} workers")
    print(f"{'program':<16} {'games':>8} {'positions':>10} {'positions/s':>12}")
    for name, play in CONTENDERS.items():
        played = play(case)
        pace = played.positions / played.seconds
        print(f"{name:<16} {played.games:>8,} {played.positions:>10,} {pace:>12,.1f}")


if __name__ == "__main__":
    run(main)
