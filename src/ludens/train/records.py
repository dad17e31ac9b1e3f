"""Learn from games that others have played, before self-play begins."""

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from ludens.errors import UserError
from ludens.formats.record import load_record
from ludens.learn.config import ReplayConfig
from ludens.learn.learner import Learner
from ludens.learn.replay import Window
from ludens.loading import Game
from ludens.rng import seed_from
from ludens.selfplay.ongoing import FULL
from ludens.selfplay.played import Played
from ludens.state import State

WHOLE = 1_000_000_000
"""Positions of a window that never lets a game go."""
Say = Callable[[str], None]


@dataclass(frozen=True)
class Lessons:
    """Records of finished games, most to learn from and some to be examined with."""

    train: Window
    validation: Window


def read_lessons(
    game: Game, replay: ReplayConfig, folder: Path, share: float, seed: int, say: Say
) -> Lessons:
    """Read all JSON records in a folder; a share of the games is for validation."""
    found = list(_read_games(game, folder, say))
    if len(found) < 2:
        raise UserError(f"{folder} has too few finished games of {game.spec} to learn")
    marks = np.array([seed_from(seed, played.number) / 2**64 for played in found])
    is_kept = marks < share
    if not is_kept.any() or is_kept.all():
        is_kept = marks == marks.min()
    # A move of the record is the lesson, and the result: nobody searched.
    config = replace(replay, window_start=WHOLE, window_max=WHOLE, q_share=0.0)
    windows = []
    for wanted in (False, True):
        window = Window(game, config)
        chosen = zip(found, is_kept, strict=True)
        window.add([played for played, kept in chosen if kept == wanted])
        windows.append(window)
    sizes = f"{len(found) - is_kept.sum():,} games to learn from"
    say(f"{folder}: {sizes}, {is_kept.sum():,} to be examined with")
    return Lessons(*windows)


def pretrain(
    learner: Learner, lessons: Lessons, epochs: int, seed: int, say: Say,
    should_stop: Callable[[], bool],
) -> dict[str, float]:  # fmt: skip
    """Learn from records; the weights that do best in validation are kept."""
    size = learner.config.batch_size
    steps = max(1, lessons.train.num_samples // size)
    batches = max(1, min(50, lessons.validation.num_samples // size))
    best, kept, metrics = np.inf, learner.tensors(), {}
    for epoch in range(1, epochs + 1):
        if should_stop():
            break
        rng = np.random.default_rng((seed, epoch))
        learned = learner.learn(lessons.train, steps, rng, should_stop=should_stop)
        examined = learner.measure(
            lessons.validation, batches, np.random.default_rng(seed)
        )
        say(
            f"records, epoch {epoch}: loss {learned['loss']:.3f}, in validation"
            f" {examined['loss']:.3f} (policy {examined['loss_policy']:.3f},"
            f" value {examined['loss_value']:.3f})"
        )
        if examined["loss"] < best:
            best, kept = examined["loss"], learner.tensors()
            metrics = {
                "records_loss": learned["loss"],
                "records_validation": examined["loss"],
                "records_validation_policy": examined["loss_policy"],
                "records_validation_value": examined["loss_value"],
                "records_epoch": epoch,
            }
    learner.restore(kept)
    return metrics


def _read_games(game: Game, folder: Path, say: Say) -> Iterator[Played]:
    """Give the finished games of this game and these options; say what is left out."""
    if not folder.is_dir():
        raise UserError(f"there is no folder {folder}")
    left_out: Counter[str] = Counter()
    for number, path in enumerate(sorted(folder.glob("*.json"))):
        record = load_record(path)
        if (
            record.game != Path(game.name).stem
            or record.options != game.changed_options
        ):
            left_out["of another game or other options"] += 1
            continue
        if any(isinstance(step, str) for step in record.history):
            left_out["edited by hand"] += 1
            continue
        state = record.replay(game)
        if state.is_over:
            yield _played(state, number)
        else:
            left_out["not finished"] += 1
    for why, count in left_out.items():
        say(f"{folder}: {count:,} records are left out: {why}")


def _played(end: State, number: int) -> Played:
    """Return a record as if a search had been sure of each of its moves."""
    history = [step for step in end.history if not isinstance(step, str)]
    state = State(end.game)
    actions = []
    for step in history:
        if not state.is_chance:
            actions.append(step)
        state.apply_step(step)
    policies = np.zeros((len(actions), end.game.num_actions), np.float16)
    policies[np.arange(len(actions)), actions] = 1.0
    result = end.result if end.game.num_players == 2 else end.score
    return Played(
        number=number,
        seed=0,
        net=0,
        history=np.array(history, np.int32),
        kinds=np.full(len(actions), FULL, np.uint8),
        policies=policies,
        values=np.zeros(len(actions), np.float32),
        result=float(result or 0.0),
        is_over=True,
        ending="played",
    )
