"""A run is taken up as it was left, and not believed what the rules do not allow."""

import hashlib
import multiprocessing
import os
import signal
import sqlite3
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import save
from small_trainings import Witness, begin, load, open_tiny, train_tiny

from faults.made_runs import make_older
from faults.sessions import contents
from ludens import UserError
from ludens.learn.window import Window
from ludens.solver import graded
from ludens.store.checkpoints import STATE_FORMAT
from ludens.store.checksums import insert
from ludens.store.games import row_of
from ludens.store.run import Run
from ludens.training.resuming import pack, take_up

GAME = load("tic_tac_toe")
PROCESSES = multiprocessing.get_context("forkserver")
PHASES = (
    *("evaluate.every=1", "evaluate.gate=true", "evaluate.gate_games=4"),
    *("evaluate.solved_positions=8", "evaluate.gate_share=0"),
    "budget.iterations=2",
)
"""Settings with which an iteration has all its phases."""


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of two iterations with all phases, in one go."""
    folder = tmp_path_factory.mktemp("runs") / "run"
    train_tiny(folder, "tic_tac_toe", 2, PHASES)
    return folder


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of two iterations, with surprising positions drawn more often."""
    folder = tmp_path_factory.mktemp("runs") / "run"
    train_tiny(folder, "tic_tac_toe", 2, ["replay.prioritised=true"])
    return folder


def bytes_of(training) -> bytes:
    return STATE_FORMAT.pack(pack(training._learner, training._window), {})


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
        insert(run.base, "unfinished", [(0, *row_of(made, 1))])
    with (
        open_tiny(tmp_path / "run", GAME) as run,
        pytest.raises(UserError, match=complaint),
    ):
        begin(run)._iterate()


def train_and_die(folder: Path, phase: str, after: int) -> None:
    """Train, and be killed when so much of a phase of the second iteration is told."""

    class Mortal(Witness):
        def progress(self, now: str, done: int, total: int, rates: str) -> None:
            if (len(self.iterations), now) == (1, phase) and done >= after:
                os.kill(os.getpid(), signal.SIGKILL)

    with open_tiny(folder, GAME) as run:
        begin(run, Mortal()).train()


@pytest.mark.parametrize(
    ("phase", "after", "is_played"),
    [
        ("play", 0, False),
        ("learn", 0, True),
        ("learn", 3, True),
        ("gate", 0, True),
        ("examine", 0, True),
    ],
)
def test_kill_9_in_any_phase_loses_no_game_and_changes_no_byte(
    tmp_path, whole, phase, after, is_played
):
    folder = tmp_path / "run"
    open_tiny(folder, GAME, PHASES).close()
    process = PROCESSES.Process(target=train_and_die, args=(folder, phase, after))
    process.start()
    process.join()
    assert process.exitcode == -signal.SIGKILL
    wanted = contents(whole)
    with Run.open(folder) as run:
        assert run.newest_iteration == 1
        assert (run.pending() is not None) == is_played
    if is_played:
        kept = contents(folder)
        assert kept["games"] == wanted["games"]
        assert kept["unfinished"] == wanted["unfinished"]
    with Run.open(folder, write=True) as run:
        witness = Witness()
        begin(run, witness).train()
        assert [m["iteration"] for m in witness.iterations] == [2]
        assert witness.iterations[0]["games"] > 0
        assert ("play" in [name for name, *_ in witness.progressed]) != is_played
    assert contents(folder) == wanted


def test_a_run_of_the_first_format_ends_in_the_same_games_and_nets(tmp_path, whole):
    """It had one commit an iteration, and other checksums."""
    folder = tmp_path / "run"
    train_tiny(folder, "tic_tac_toe", 1, PHASES[:-1])
    path, truth = folder / "state" / "000001.safetensors", folder / "truth.safetensors"
    older = {"format": "ludens-state-1", "iteration": "1", "sha256": "0"}
    path.write_bytes(save(STATE_FORMAT.read(path)[0], older))
    arrays, texts = graded.FORMAT.read(truth)
    truth.write_bytes(save(arrays, texts))
    sha256 = hashlib.sha256(path.read_bytes()).hexdigest()
    make_older(folder, 1)
    base = sqlite3.connect(folder / "games.sqlite")
    with base:
        base.execute("UPDATE iterations SET state_sha256=? WHERE number=1", (sha256,))
    base.close()
    with Run.open(folder, write=True) as run:
        written = run.facts()["config"].replace("iterations = 1", "iterations = 2")
        run.save_config(written)
        begin(run).train()
    found, wanted = contents(folder), contents(whole)
    assert found["games"] == wanted["games"]
    assert found["nets"] == wanted["nets"]
    assert found["files"][-1] == wanted["files"][-1]
