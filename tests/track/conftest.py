"""A training to be tracked: a run with iterations, and its config."""

import warnings

import pytest

from faults.made_runs import commit_iteration, make_net, make_run, make_state
from ludens.loading.game import load_game
from ludens.training.config import read_config

with warnings.catch_warnings():  # not ours to mend
    warnings.simplefilter("ignore")
    import mlflow  # noqa: F401


@pytest.fixture
def config():
    return read_config(load_game("tic_tac_toe", compiled=False))


@pytest.fixture
def run(tmp_path):
    with make_run(tmp_path / "one") as run:
        yield run


@pytest.fixture
def iterate(run):
    """Return a function that commits an iteration and returns its metrics."""

    def commit(number):
        metrics = {
            "loss": 1 / number,
            "loss_policy": 0.5 / number,
            "evals_per_s": 100 * number,
            "elo": float("nan") if number == 2 else 10.0 * number,
            "seconds": 1.5,
            "seconds_learn": 0.5,
            "published": True,
            "matches": [["net 1", "random", 1, 2, 3]],
            "next_number": 7,
        }
        learnt = make_net(number), make_state(number)
        commit_iteration(run, number, [], [], *learnt, metrics)
        return {"iteration": number, **metrics}

    return commit
