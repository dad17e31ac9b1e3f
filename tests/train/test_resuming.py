"""A run is taken up as it was left, and not believed what the rules do not allow."""

import sqlite3
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from small_trainings import begin, load, open_tiny, train_tiny

from ludens import UserError
from ludens.learn.replay import Window
from ludens.store.games import row_of
from ludens.store.state import FORMAT
from ludens.train.resuming import pack, take_up

GAME = load("tic_tac_toe")


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of two iterations, with surprising positions drawn more often."""
    folder = tmp_path_factory.mktemp("runs") / "run"
    train_tiny(folder, "tic_tac_toe", 2, ["replay.prioritised=true"])
    return folder


def bytes_of(training) -> bytes:
    return FORMAT.pack(pack(training._learner, training._window), {})


def test_what_was_packed_is_taken_up(trained):
    with open_tiny(trained, GAME) as run:
        first, second = begin(run), begin(run)
        assert bytes_of(first) == bytes_of(second)
        batches = [
            training._window.sample(64, np.random.default_rng(1), 0.5)
            for training in (first, second)
        ]
        for one, other in zip(*batches, strict=True):
            np.testing.assert_array_equal(one, other)


def test_the_rate_goes_on_where_it_was(trained):
    with open_tiny(trained, GAME) as run:
        checkpoint = run.last()
        assert checkpoint is not None
        assert begin(run)._learner.num_steps == checkpoint.tensors["num_steps"][0] > 0


def test_a_checkpoint_of_another_kind_is_refused(trained):
    with open_tiny(trained, GAME) as run:
        training = begin(run)
        tensors = pack(training._learner, training._window)
        del tensors["window/priorities"]
        window = Window(GAME, training.config.replay)
        with pytest.raises(UserError, match="has a checkpoint of another kind"):
            take_up(training._learner, window, run, tensors)


@pytest.mark.parametrize(
    ("history", "complaint"),
    [
        ([4, 4], "does not follow the rules of tic_tac_toe"),
        ([4, 99], "does not follow the rules of tic_tac_toe"),
        ([-7, 0], "does not follow the rules of tic_tac_toe"),
        ([0, 3, 1, 4, 2], "has nobody to move"),
    ],
)
def test_unfinished_games_that_cannot_be_are_refused(tmp_path, history, complaint):
    sets = ["selfplay.games=1", "selfplay.opening_share=0"]
    train_tiny(tmp_path / "run", "tic_tac_toe", 1, sets)
    zeros = np.zeros((len(history), 9), np.float16)
    with open_tiny(tmp_path / "run", GAME) as run:
        [before] = run.unfinished()
        made = replace(
            before,
            history=np.array(history, np.int32),
            kinds=np.ones(len(history), np.uint8),
            policies=zeros,
            values=zeros[:, 0].astype(np.float32),
        )
        row = row_of(made, 1)
    base = sqlite3.connect(tmp_path / "run" / "games.sqlite")
    with base:
        base.execute(
            "UPDATE unfinished SET history = ?, kinds = ?, vals = ?, policies = ?",
            row[-4:],
        )
    base.close()
    with (
        open_tiny(tmp_path / "run", GAME) as run,
        pytest.raises(UserError, match=complaint),
    ):
        begin(run)
