"""Trainings that are killed in every phase end in the bytes of one that was not."""

import os
import random
import shutil
import signal
import threading
from collections.abc import Iterator, Mapping
from contextlib import redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ludens import cli
from ludens.cli import session
from ludens.cli.watching import Several
from ludens.errors import UserError
from ludens.training.progress import Silent

from .outcome import Outcome
from .processes import end, scratch, start
from .sessions import Process, arguments_for, contents, run_command

NUMBER = 200
KILLS_A_RUN = 5
ITERATIONS = 3
PHASES = ("start", "play", "learn", "gate", "examine")
"""A start has the solving, the records, and all that is loaded."""
LONGEST_S = {"start": 1.0}
"""A kill comes so soon after a phase is told of, for others within ..."""
SOON_S = 0.05
VARIANTS: Mapping[str, tuple[str, ...]] = {
    "plain": (),
    "gate": ("evaluate.gate=true", "evaluate.gate_games=4", "evaluate.gate_share=0"),
    "prioritised": ("replay.prioritised=true",),
    "threads": ("selfplay.threads=2",),
    "records": (),
}


@dataclass(frozen=True)
class Moment:
    """When a training is killed."""

    phase: str
    iteration: int
    """0 is the first of the session."""
    share: float
    """Of the phase, that is over then."""
    delay_s: float


class Mortal(Silent):
    """A watcher of a training that kills its process."""

    def __init__(self, moment: Moment) -> None:
        self._moment = moment
        self._iteration = 0
        if moment.phase == "start":
            self._die_soon()

    def progress(self, phase: str, done: int, total: int, rates: str) -> None:
        """Kill, a little later, when the moment has come."""
        now = (self._iteration, phase)
        is_due = done >= self._moment.share * (total - 1)
        if now == (self._moment.iteration, self._moment.phase) and is_due:
            self._die_soon()

    def iteration(self, metrics: Mapping[str, Any]) -> None:
        """Count iterations."""
        self._iteration += 1

    def _die_soon(self) -> None:
        die = (os.getpid(), signal.SIGKILL)
        timer = threading.Timer(self._moment.delay_s, os.kill, die)
        timer.daemon = True
        timer.start()


def train_and_die(arguments: list[str], output: Path, moment: Moment) -> None:
    """Train as the command does, but be killed."""
    watch = session.Session._watch

    def watch_too(self: session.Session, *given: Any) -> Several:
        return Several([watch(self, *given), Mortal(moment)])

    session.Session._watch = watch_too  # type: ignore
    run_command(arguments, output)


def run(n: int, seed: int, train: Any = train_and_die) -> Outcome:
    """Kill trainings of each variant in turn, some times each."""
    rng = random.Random(f"trainings {seed}")
    with scratch() as folder:
        trainer = Trainer(Path(folder), train)
        found = [*_failures(n, rng, trainer)]
    return Outcome("trainings", n, found)


def _failures(n: int, rng: random.Random, trainer: "Trainer") -> Iterator[str]:
    variants = list(VARIANTS)
    for first in range(0, n, KILLS_A_RUN):
        variant = variants[first // KILLS_A_RUN % len(variants)]
        moments = [make_moment(rng) for _ in range(min(KILLS_A_RUN, n - first))]
        try:
            trainer.check(variant, moments)
        except (AssertionError, UserError) as error:
            yield f"{variant}, {moments}: {error}"


def make_moment(rng: random.Random) -> Moment:
    """Return a moment, of any phase."""
    phase = rng.choice(PHASES)
    delay_s = rng.uniform(0, LONGEST_S.get(phase, SOON_S))
    return Moment(phase, rng.randrange(2), rng.random(), delay_s)


class Trainer:
    """Trains in a folder, with kills and without."""

    def __init__(self, folder: Path, train: Any) -> None:
        self._folder = folder
        self._train = train
        self._unhurt: dict[str, Any] = {}

    def check(self, variant: str, moments: list[Moment]) -> None:
        """Train with kills, then to the end: it is as if there had been none."""
        folder = self._folder / "killed" / "run"
        for moment in moments:
            words = self._arguments(variant, folder)
            code = end(start(self._train, words, self._folder / "out", moment))
            said = (self._folder / "out").read_text()
            assert code in (0, -signal.SIGKILL), said[-500:]
        self._finish(variant, folder)
        found, wanted = contents(folder), self.unhurt(variant)
        shutil.rmtree(folder)
        for part, kept in wanted.items():
            assert found[part] == kept, f"{part} differ from those without a kill"

    def unhurt(self, variant: str) -> Any:
        """Return what a training holds that is never killed."""
        if variant not in self._unhurt:
            folder = self._folder / variant / "run"
            self._finish(variant, folder)
            self._unhurt[variant] = contents(folder)
        return self._unhurt[variant]

    def _finish(self, variant: str, folder: Path) -> None:
        words = self._arguments(variant, folder)
        with Process(words, self._folder / "out") as process:
            assert process.end() == 0, process.out[-500:]

    def _arguments(self, variant: str, folder: Path) -> list[str]:
        folder.parent.mkdir(exist_ok=True)
        sets = ("evaluate.every=1", *VARIANTS[variant])
        more = [word for setting in sets for word in ("--set", setting)]
        if variant == "records":
            more += ["--records", str(self._records())]
        return arguments_for(folder, "--iterations", ITERATIONS, *more)

    def _records(self) -> Path:
        """Return a folder with games of others, made once."""
        folder = self._folder / "games"
        if not folder.exists():
            words = "match random random --game tic_tac_toe --games 20 --save"
            with open(os.devnull, "w") as nowhere, redirect_stdout(nowhere):
                assert cli.run([*words.split(), str(folder)]) == 0
        return folder
