"""NaN and absurd numbers in a learner: none is kept, and learning goes back."""

import hashlib
import random
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import torch

from ludens.errors import UserError
from ludens.learn.losses import TrainingFailed
from ludens.loading.game import Game, load_game
from ludens.store.run import Run
from ludens.training.config import read_config, to_toml
from ludens.training.evaluate import Place
from ludens.training.loop import Training
from ludens.training.progress import Silent

from .outcome import Outcome

NUMBER = 200
ITERATIONS = 2
STEPS = 8
"""An iteration has at least as many."""
PARTS = ("weights", "ema", "exp_avg", "exp_avg_sq")
VALUES = (np.nan, np.inf, -np.inf, 3e30, -3e30)
SETTINGS = (
    *("net.trunk=mlp", "net.blocks=1", "net.hidden=8"),
    *("search.sims=4", "selfplay.positions=80", "selfplay.games=8"),
    *("selfplay.threads=1", "learn.batch_size=16", "learn.uses=2"),
    *("evaluate.every=0", "evaluate.solved_positions=0"),
    *("budget.minutes=0", f"budget.iterations={ITERATIONS}"),
)


@dataclass
class Poisoner(Silent):
    """A watcher that spoils a number of the learner after one of its steps."""

    part: str
    value: float
    when: int
    """The iteration."""
    step: int
    place: int
    lasts: bool
    said: list[str] = field(default_factory=list)
    training: Training | None = None
    times: int = 0

    def progress(self, phase: str, done: int, total: int, rates: str) -> None:
        """Spoil the learner when its time has come: once, or each time."""
        training = self.training
        if training is None or (phase, done) != ("learn", self.step):
            return
        is_due = training.iteration + 1 == self.when
        if is_due and (self.lasts or not self.times):
            self.times += 1
            self._spoil(training)

    def _spoil(self, training: Training) -> None:
        state = training._learner._state()
        names = sorted(name for name in state if name.startswith(f"{self.part}/"))
        tensor = state[names[self.place % len(names)]]
        with torch.no_grad():
            tensor.view(-1)[self.place % tensor.numel()] = self.value

    def say(self, line: str) -> None:
        """Keep a sentence."""
        self.said.append(line)


def run(n: int, seed: int) -> Outcome:
    """Poison learners; each ends as one that was not, or stops with what was good."""
    with TemporaryDirectory() as folder:
        found = [*_failures(n, seed, Path(folder))]
    return Outcome("poison", n, found)


def _failures(n: int, seed: int, folder: Path) -> Iterator[str]:
    unhurt = folder / "unhurt" / "run"  # a net names its run
    train(unhurt, Silent())
    for number in range(n):
        poisoner = make_poisoner(random.Random(f"{seed} {number}"))
        try:
            check(folder / str(number) / "run", poisoner, kept(unhurt))
        except (AssertionError, UserError) as error:
            yield f"{number}: {_about(poisoner)}: {error}"


def make_poisoner(rng: random.Random) -> Poisoner:
    """Return one who spoils something, anything."""
    return Poisoner(
        part=rng.choice(PARTS),
        value=rng.choice(VALUES),
        when=rng.randint(1, ITERATIONS),
        step=rng.randint(1, STEPS),
        place=rng.randrange(10**6),
        lasts=rng.random() < 0.5,
    )


def check(folder: Path, poisoner: Poisoner, wanted: Mapping[str, str]) -> None:
    """Train with poison, then without if need be: the same bytes are kept."""
    failed = ""
    try:
        train(folder, poisoner)
    except TrainingFailed as failure:
        failed = failure.why
    assert poisoner.times == (2 if poisoner.lasts else 1), "it was not tried again"
    assert any("goes back" in line for line in poisoner.said), "it did not go back"
    assert bool(failed) == poisoner.lasts, f"it ended with {failed!r}"
    with Run.open(folder) as run:
        last = run.last()
        assert last is not None
        assert not last.notes, last.notes[0]
        assert run.newest_iteration == poisoner.when - 1 if failed else ITERATIONS
    train(folder, Silent())
    assert kept(folder) == wanted, "it ends in other bytes"


def train(folder: Path, watcher: Silent) -> None:
    """Begin or resume a small training."""
    game = _game()
    config = read_config(game, sets=SETTINGS)
    facts = {"game": game.spec, "rules_hash": game.behaviour}
    with Run.start(folder, to_toml(config), facts) as run:
        training = Training(game, config, run, watcher, Place("cpu", "f32", 1))
        if isinstance(watcher, Poisoner):
            watcher.training = training
        training.train()


@cache
def _game() -> Game:
    return load_game("tic_tac_toe")


def kept(folder: Path) -> dict[str, str]:
    """Return the checksum of each net and state of a run."""
    files = (path for part in ("nets", "state") for path in (folder / part).iterdir())
    return {
        f"{path.parent.name}/{path.name}": hashlib.sha256(path.read_bytes()).hexdigest()
        for path in files
    }


def _about(poisoner: Poisoner) -> dict[str, Any]:
    shown = ("part", "value", "when", "step", "place", "lasts")
    return {name: getattr(poisoner, name) for name in shown}
