"""Trainings that take a moment, in this process, and one who watches them."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from ludens.loading.game import Game, load_game
from ludens.store.moment import Moment
from ludens.store.run import Run
from ludens.training.config import Config, parse_config, read_config, to_toml
from ludens.training.evaluate import Place
from ludens.training.loop import Training
from marked import quick

TINY = (
    *("net.blocks=1", "net.channels=8", "net.hidden=8"),
    *("search.sims=8", "selfplay.positions=150", "selfplay.games=8"),
    *("selfplay.threads=1", "learn.batch_size=32", "learn.uses=2"),
    *("evaluate.every=0", "evaluate.games=4", "evaluate.sims=8"),
    *("evaluate.mcts_sims=8", "evaluate.earlier=1", "evaluate.solved_positions=0"),
    "budget.minutes=0",
)
"""An iteration takes a moment, and nothing depends on the time it takes."""
SMALL_GAMES = Path(__file__).parents[1] / "search"
ALONE = f"{SMALL_GAMES / 'guessing.py'}:sides=9"
WITH_CHANCE = quick(
    (str(SMALL_GAMES / "dice_race.py"), "triple_triad", ALONE, "triangle"), ALONE
)
"""Games for two with dice or dealt cards, and games for one player."""
PLACE = Place("cpu", "f32", 1)
load = cache(load_game)


@dataclass
class Witness:
    """One who keeps all that a training tells."""

    said: list[str] = field(default_factory=list)
    progressed: list[tuple[str, int, int]] = field(default_factory=list)
    moments: list[Moment] = field(default_factory=list)
    iterations: list[Mapping[str, Any]] = field(default_factory=list)

    def say(self, line: str) -> None:
        self.said.append(line)

    def warn(self, line: str) -> None:
        self.said.append(line)

    def progress(self, phase: str, done: int, total: int, rates: str) -> None:
        self.progressed.append((phase, done, total))

    def moment(self, moment: Moment) -> None:
        self.moments.append(moment)

    def iteration(self, metrics: Mapping[str, Any]) -> None:
        self.iterations.append(metrics)

    @property
    def phase(self) -> str:
        """What is going on."""
        return self.progressed[-1][0] if self.progressed else ""


def tiny_config(game: Game, sets: Iterable[str] = ()) -> Config:
    """Return settings for a small training."""
    return read_config(game, sets=[*TINY, *sets])


def open_tiny(folder: Path, game: Game, sets: Iterable[str] = ()) -> Run:
    """Return the run of a folder, made if it is new."""
    facts = {"game": game.spec, "rules_hash": game.behaviour}
    return Run.start(folder, to_toml(tiny_config(game, sets)), facts)


def begin(
    run: Run,
    witness: Witness | None = None,
    should_stop: Callable[[], bool] = lambda: False,
) -> Training:
    """Begin a session of a run."""
    game = load(run.facts()["game"])
    config = parse_config(run.facts()["config"], "the run")
    return Training(game, config, run, witness or Witness(), PLACE, should_stop)


def train_tiny(
    folder: Path, spec: str, iterations: int, sets: Iterable[str] = ()
) -> Witness:
    """Train for so many iterations; return what was told."""
    witness = Witness()
    sets = [*sets, f"budget.iterations={iterations}"]
    with open_tiny(folder, load(spec), sets) as run:
        begin(run, witness).train()
    return witness
