"""What a run keeps of the learner, its window and its games, and takes up again."""

from collections.abc import Mapping
from typing import Any

from ludens.errors import UserError
from ludens.files import Tensors
from ludens.formats.words import plural
from ludens.learn.config import ReplayConfig
from ludens.learn.learner import Learner
from ludens.learn.losses import TrainingFailed, why_spoiled
from ludens.learn.positions import replay_games
from ludens.learn.window import Window
from ludens.loading.game import Game
from ludens.selfplay.share import GameRecord
from ludens.store.run import Run

WINDOW = "window/"
"""Before the names of what the replay window keeps in a checkpoint."""


def check_learner(learner: Learner) -> None:
    """Refuse to go on with a learner whose numbers make no sense."""
    if why := why_spoiled(learner.tensors()):
        raise TrainingFailed(why)


def pack(learner: Learner, window: Window) -> Tensors:
    """Return all that it takes to go on with learning; what is spoiled is refused."""
    check_learner(learner)
    kept = {f"{WINDOW}{name}": array for name, array in window.state().items()}
    return learner.tensors() | kept


def take_up(
    learner: Learner, window: Window, run: Run, tensors: Mapping[str, Any]
) -> None:
    """Set a learner and its window to what `pack` gave for a run."""
    own = {k: v for k, v in tensors.items() if not k.startswith(WINDOW)}
    learner.restore(own)
    state = {k.removeprefix(WINDOW): tensors[k] for k in tensors.keys() - own}
    if state.keys() != window.state().keys():
        raise UserError(f"run {run.folder} has a checkpoint of another kind")
    first = int(state["games"].min()) if len(state["games"]) else 0
    window.restore(state, run.games(first))
    num_lost = len(state["games"]) - window.num_games
    if num_lost:
        run.note(f"the replay window has lost {plural(num_lost, 'game')}")


def catch_up(window: Window, run: Run) -> None:
    """Take the games of a run into its window that are not in it yet.

    They are those of a pending iteration, and of one whose checkpoint is damaged.
    """
    last = window.last_game
    window.add(list(run.games() if last is None else run.games_after(last)))


def unfinished_games(game: Game, config: ReplayConfig, run: Run) -> list[GameRecord]:
    """Return the games that go on; they follow the rules, whoever wrote the run."""
    games = run.unfinished()
    for end, played in zip(replay_games(game, config, games).ends, games, strict=True):
        if end.to_play < 0:
            what = f"unfinished game {played.number} has nobody to move"
            raise UserError(f"run {run.folder}: {what}")
    return games
