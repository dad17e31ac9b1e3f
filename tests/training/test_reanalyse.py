"""Stored games are searched again, and what is thought of them now is learned."""

from functools import partial
from pathlib import Path

import numpy as np
import pytest
from small_trainings import Witness, begin, load, open_tiny, train_tiny

from faults.sessions import contents
from ludens.infer.evaluator import make_evaluator
from ludens.selfplay.again import search_positions
from ludens.selfplay.share import FULL
from ludens.training.reanalyse import choose_games, search_again

GAME = load("tic_tac_toe")
AGAIN = ("replay.reanalyse=0.5", "selfplay.fast_share=0.5")


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of three iterations in one go."""
    folder = tmp_path_factory.mktemp("runs") / "run"
    train_tiny(folder, "tic_tac_toe", 3, AGAIN)
    return folder


def test_a_training_that_was_left_ends_in_the_same_bytes(trained, tmp_path):
    sets = [*AGAIN, "budget.iterations=3"]
    for _ in range(3):  # an iteration each
        witness = Witness()
        with open_tiny(tmp_path / "run", GAME, sets) as run:
            begin(run, witness, lambda seen=witness: bool(seen.iterations)).train()
        assert len(witness.iterations) == 1
    assert contents(tmp_path / "run") == contents(trained)


def test_renewed_games_teach_what_the_newest_net_thinks(trained):
    with open_tiny(trained, GAME) as run:
        training = begin(run)
        window, evaluator = training._window, make_evaluator(training._player, "cpu")
        numbers = choose_games(window, 40, seed=5, number=4)
        games = [one for one in run.games() if one.number in numbers]
        states = window.positions_of(numbers)
        assert len(states) == sum(one.num_positions for one in games) >= 40
        how = (GAME, training.config.search, evaluator)
        found, again = (
            search_again(
                games, states, 4, partial(search_positions, *how, num_trees=trees)
            )
            for trees in (16, 7)
        )
        before = window._columns.policies.copy()
        window.renew(found)
    for one, other, old in zip(found, again, games, strict=True):
        np.testing.assert_array_equal(one.policies, other.policies)
        assert one.history.tolist() == old.history.tolist()
        assert set(one.kinds[old.kinds != 0]) <= {FULL}
    changed = (window._columns.policies != before).any(1).sum()
    assert 0 < changed <= len(states)
    assert window._columns.facts["teaches"].sum() > len(states) / 2


def test_a_share_of_the_positions_is_searched_again(trained):
    with open_tiny(trained, GAME) as run:
        window = begin(run)._window
    sizes = window.game_sizes()
    chosen = choose_games(window, 60, seed=1, number=9)
    assert 60 <= sum(sizes[number] for number in chosen) < 60 + 9
    assert chosen != choose_games(window, 60, seed=1, number=10)
