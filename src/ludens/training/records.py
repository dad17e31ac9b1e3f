"""Learn from games that others have played, before self-play begins."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import chain
from pathlib import Path
from typing import Any
from zlib import crc32

import numpy as np

from ludens.errors import UserError
from ludens.formats.boards import Asked
from ludens.formats.record import Record
from ludens.formats.registry import SUFFIXES, scan_games
from ludens.formats.words import plural
from ludens.learn.config import ReplayConfig
from ludens.learn.learner import Learner
from ludens.learn.window import Window
from ludens.loading.game import Game, parse_spec
from ludens.rng import numpy_rng, uniform
from ludens.selfplay.share import FAST, FULL, GameRecord
from ludens.state import State
from ludens.store.database import is_run
from ludens.store.finding import run_folder
from ludens.store.run import Run

WHOLE = 1_000_000_000
"""Positions of a window that never lets a game go."""
MAX_NAMED = 5
"""Damaged files that are named; the others are counted."""
Say = Callable[[str], None]


@dataclass
class Records:
    """The games in a folder and those below it, or in a file, read only once."""

    game: Game
    folder: Path
    on_file: Callable[[int, int], None] = lambda done, total: None
    """Hears how many files were read, and of how many."""
    left_out: Counter[str] = field(default_factory=Counter, init=False)
    """How many records are not used, and why."""
    damage: dict[Path, list[str]] = field(default_factory=dict, init=False)
    """What is wrong with files, or games in them, a line for each."""
    _games: list[GameRecord] = field(default_factory=list, init=False)

    def replay(self, config: ReplayConfig) -> ReplayConfig:
        """Return what the games teach: nobody searched.

        The moves of a record are the policy, its result the value.
        """
        return replace(config, q_share=0.0, n_steps=0)

    def read(self) -> list[GameRecord]:
        """Return the finished games of this game and these options."""
        if not self.folder.exists():
            raise UserError(f"there is no file, folder or run {self.folder}")
        if self.folder.is_file() and self.folder.suffix.lower() not in SUFFIXES:
            known = ", ".join(sorted(SUFFIXES))
            raise UserError(
                f"{self.folder} is no file of games to learn from; name one of {known},"
                " a folder of them, or a run: that of ludens selfplay --run NAME"
            )
        self._games = self._games or list(self._find())
        if len(self._games) < 2:
            raise self.too_few()
        return self._games

    def too_few(self) -> UserError:
        """Return what to say when there is nothing to learn."""
        reasons = [f"{count:,} {why}" for why, count in self.left_out.items()]
        if self.damage:
            lines = list(chain(*self.damage.values()))
            reasons.append(f"{len(lines):,} damaged, such as {lines[0]}")
        hint = f" ({'; '.join(reasons)})" if reasons else ""
        what = f"finished games of {self.game.spec} to learn from"
        return UserError(f"{self.folder} has too few {what}{hint}")

    def _find(self) -> Iterator[GameRecord]:
        files = [path for path in self.folder.rglob("*") if path.is_file()]
        if self.folder.is_file():
            files = [self.folder]
        paths = sorted(path for path in files if path.suffix.lower() in SUFFIXES)
        asked, count = Asked.of(self.game), 0
        self.left_out.clear()
        self.damage.clear()
        for number, path in enumerate(paths, 1):
            for record in scan_games(path, asked):
                played = self._take(record, path, count)
                if played is not None:
                    yield played
                    count += 1
            self.on_file(number, len(paths))

    def _take(
        self, record: Record | UserError, path: Path, number: int
    ) -> GameRecord | None:
        """Return the game of a record; one that is damaged is named."""
        try:
            if isinstance(record, Record):
                return self._use(record, number)
            line = str(record)
        except UserError as error:
            line = f"{path}: {error}"
        self.damage.setdefault(path, []).append(line)
        return None

    def _use(self, record: Record, number: int) -> GameRecord | None:
        """Return the game of a record, or count why it is left out."""
        game = self.game
        theirs, ours = map(game.rules_among, (record.options, game.changed_options))
        if record.game != Path(game.name).stem or theirs != ours:
            self.left_out["of another game or other options"] += 1
            return None
        if any(isinstance(step, str) for step in record.history):
            self.left_out["edited by hand"] += 1
            return None
        state = record.replay(game)
        if not state.is_over and record.agreed is None:
            self.left_out["not finished"] += 1
            return None
        return _played(state, number, record.agreed)


@dataclass
class RunRecords(Records):
    """The newest games of another run, with the policies and values of its searches."""

    num_positions: int = 0
    """How many to learn from at most."""

    def replay(self, config: ReplayConfig) -> ReplayConfig:
        """Return what the games teach: as if they were of this run."""
        return config

    def _find(self) -> Iterator[GameRecord]:
        with Run.open(self.folder) as run:
            self._check(run.facts())
            yield from run.last_games(self.num_positions)
            if run.damage:
                self.damage = {self.folder: run.damage}

    def _check(self, facts: Mapping[str, str]) -> None:
        """Refuse a run of another game, other options or other rules."""
        theirs = facts.get("game", "")
        if not has_moves_of(self.game, theirs, facts.get("rules_hash", "")):
            same = Path(theirs).name == Path(self.game.spec).name
            other = f"other rules of {theirs}" if same else theirs
            raise UserError(f"run {self.folder} is of {other}, not of {self.game.spec}")


def has_moves_of(game: Game, theirs: str, behaviour: str) -> bool:
    """Tell whether a game has the moves of another, whatever else is observed.

    An option that its spec does not name has the default, or is newer.
    """
    options = [o for o in game.declared.values() if o.only_observed]
    if game.behaviour == behaviour or not options:
        return game.behaviour == behaviour
    _, said = parse_spec(theirs)
    known = {o.name: said.get(o.name, o.default) for o in options}
    older = {o.name: said.get(o.name, o.off) for o in options}
    return any(game.variant(seen).behaviour == behaviour for seen in (known, older))


def open_records(
    game: Game,
    source: Path,
    replay: ReplayConfig,
    on_file: Callable[[int, int], None] = lambda done, total: None,
) -> Records:
    """Return the games of a folder, a file, or a run by its name or folder."""
    for folder in (source, run_folder(str(source))):
        if is_run(folder):
            return RunRecords(game, folder, num_positions=replay.window_max)
    return Records(game, source, on_file)


@dataclass(frozen=True)
class RecordWindows:
    """Records of finished games, most to learn from and some to be examined with."""

    train: Window
    validation: Window


def split_records(
    records: Records,
    replay: ReplayConfig,
    held_out: Any,
    share: float,
    seed: int,
    say: Say,
) -> RecordWindows:
    """Split games into those to learn from and a share for validation.

    The same moves are never on both sides. States that are held out are on neither.
    """
    games, folder = records.read(), records.folder
    sums = [crc32(one.history.tobytes()) for one in games]
    marks = np.array([uniform(seed, "validation", one) for one in sums])
    is_kept = marks < share
    if not is_kept.any() or is_kept.all():
        is_kept = marks == marks.min()
    whole = replace(replay, window_start=WHOLE, window_max=WHOLE)
    config = records.replay(whole)
    windows = []
    for wanted in (False, True):
        window = Window(records.game, config, held_out)
        pairs = zip(games, is_kept, strict=True)
        window.add([played for played, kept in pairs if kept == wanted])
        if window.num_samples == 0:
            raise records.too_few()
        windows.append(window)
    _say_damage(records, say)
    for why, count in records.left_out.items():
        say(f"{folder}: records left out because they are {why}: {count:,}")
    say(
        f"{folder}: {len(games) - is_kept.sum():,} games to learn from,"
        f" {is_kept.sum():,} to be examined with"
    )
    return RecordWindows(*windows)


def _say_damage(records: Records, say: Say) -> None:
    """Count the damaged games and files, and name the first of each file."""
    damage = list(records.damage.values())
    if damage:
        count = f"{sum(map(len, damage)):,} in {plural(len(damage), 'file')}"
        say(f"{records.folder}: damaged games left out: {count}")
    for first, *others in damage[:MAX_NAMED]:
        say(f"  {first}" + (f" (and {len(others):,} more in it)" if others else ""))
    if len(damage) > MAX_NAMED:
        say(f"  and {plural(len(damage) - MAX_NAMED, 'file')} more")


def pretrain(
    learner: Learner, data: RecordWindows, epochs: int, seed: int, say: Say,
    should_stop: Callable[[], bool],
) -> dict[str, float]:  # fmt: skip
    """Learn from records; the weights that do best in validation are kept."""
    size = learner.config.batch_size
    steps = max(1, data.train.num_samples // size)
    batches = max(1, min(50, data.validation.num_samples // size))
    best, kept, metrics = np.inf, learner.tensors(), {}
    for epoch in range(1, epochs + 1):
        if should_stop():
            break
        rng = numpy_rng(seed, "epoch", epoch)
        learned = learner.learn(data.train, steps, rng, should_stop=should_stop)
        examined = learner.measure(
            data.validation, batches, numpy_rng(seed, "validating")
        )
        loss = learned.get("loss", np.nan)  # nan: all steps were skipped
        say(
            f"records, epoch {epoch}: loss {loss:.3f}, in validation"
            f" {examined['loss']:.3f} (policy {examined['loss_policy']:.3f},"
            f" value {examined['loss_value']:.3f})"
        )
        if examined["loss"] < best:
            best, kept = examined["loss"], learner.tensors()
            metrics = {
                "records_loss": loss,
                "records_validation": examined["loss"],
                "records_validation_policy": examined["loss_policy"],
                "records_validation_value": examined["loss_value"],
                "records_epoch": epoch,
            }
    learner.restore(kept)
    return metrics


def _played(end: State, number: int, agreed: int | None = None) -> GameRecord:
    """Return a record as if a search had been sure of each of its moves.

    A game that was not played to its end has the result that was agreed on.
    """
    history = [step for step in end.history if not isinstance(step, str)]
    state = State(end.game)
    actions, kinds = [], []
    for step in history:
        if not state.is_chance:
            actions.append(step)
            # A foul, which loses at once, shows a result but is no move to learn.
            kinds.append(FULL if step in state.legal_actions() else FAST)
        state.apply_step(step)
    policies = np.zeros((len(actions), end.game.num_actions), np.float16)
    policies[np.arange(len(actions)), actions] = 1.0
    result = end.result if end.game.num_players == 2 else end.score
    if not end.is_over:
        result = agreed
    return GameRecord(
        number=number,
        seed=0,
        net=0,
        history=np.array(history, np.int32),
        kinds=np.array(kinds, np.uint8),
        policies=policies,
        values=np.zeros(len(actions), np.float32),
        result=float(result or 0.0),
        is_over=end.is_over,
        ending="played" if end.is_over else "resigned",
    )
