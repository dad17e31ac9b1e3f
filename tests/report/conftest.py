"""A run with games that keep to the rules and all that can be measured."""

import pytest
from report_pages import metrics_of, play

from faults.made_runs import commit_iteration, make_net
from ludens.loading.game import load_game
from ludens.store.run import Run
from ludens.training.config import read_config, to_toml


@pytest.fixture(scope="session")
def game():
    return load_game("tic_tac_toe", compiled=False)


@pytest.fixture
def run(tmp_path, game):
    """Return a run of six iterations with three games each."""
    config = to_toml(read_config(game))
    with Run.create(tmp_path / "one", config, {"game": game.spec, "seed": "7"}) as run:
        for i in range(1, 7):
            games = [play(game, number) for number in range(3 * i - 3, 3 * i)]
            commit_iteration(run, i, games, [], make_net(i), None, metrics_of(i))
        yield run
