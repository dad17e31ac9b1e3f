"""Giving up: hopeless games end early, a control sample shows if that is right."""

from pathlib import Path

import numpy as np
import pytest
from made_iterations import gloomy, play

from ludens.game import Planes
from ludens.loading.game import Game
from ludens.rng import uniform
from ludens.search.model import Evaluation, Evaluator


def losing(**settings):
    """Play connect four with evaluations that give the first player no hope."""
    settings = {"resign_plies": 2, "opening_share": 0.0} | settings
    return play("connect_four", gloomy, sims=2, positions=600, games=16, **settings)


def is_control(played, share):
    return uniform(played.seed, "control") < share


def test_nobody_gives_up_unless_asked_to():
    iteration = losing()
    assert iteration.tally.resigned == iteration.tally.control == 0
    assert {played.ending for played in iteration.games} == {"played"}


def test_hopeless_games_are_given_up_by_the_player_to_move():
    iteration = losing(resign_below=0.1, resign_control=0.0, resign_plies=1)
    resigned = [played for played in iteration.games if played.ending == "resigned"]
    assert len(resigned) == iteration.tally.resigned > 0
    for played in resigned:
        assert not played.is_over
        assert len(played.kinds) % 2 == 0
        assert played.result == -1.0
        assert played.values[::2][-1] < -0.1


def test_it_takes_some_moves_in_a_row():
    def shortest(plies):
        iteration = losing(resign_below=0.1, resign_control=0.0, resign_plies=plies)
        ends = [len(p.kinds) for p in iteration.games if p.ending == "resigned"]
        return min(ends)

    assert shortest(1) < shortest(3)
    assert shortest(3) >= 5


def test_the_control_sample_never_gives_up_and_counts_the_wrong_ones():
    iteration = losing(resign_below=0.1, resign_control=0.5, resign_plies=1)
    control = [played for played in iteration.games if is_control(played, 0.5)]
    assert control
    assert all(played.ending == "played" for played in control)
    would, wrong = 0, 0
    for played in control:
        for player, loss in ((0, -1.0), (1, 1.0)):
            if (played.values[player::2] < -0.1).any():
                would += 1
                wrong += played.result != loss
    assert (iteration.tally.control, iteration.tally.control_wrong) == (would, wrong)
    assert 0 < wrong < would


def hopeless(game: Game) -> Evaluator:
    """Return an evaluator that expects to lose points in every position."""

    def evaluate(planes: Planes) -> Evaluation:
        logits = np.zeros((len(planes), game.num_actions), np.float32)
        return Evaluation(logits, np.full(len(planes), -3, np.float32))

    return evaluate


def test_nobody_gives_up_a_game_for_one():
    guessing = Path(__file__).parents[1] / "search" / "guessing.py"
    spec = f"{guessing}:sides=9"  # as others have it compiled
    settings = {"resign_below": 0.1, "resign_plies": 1}
    iteration = play(spec, hopeless, sims=1, root="puct", **settings)
    assert min(played.values.min() for played in iteration.games) < -0.1
    assert iteration.tally.resigned == 0


@pytest.mark.parametrize("share", [0.0, 1.0])
def test_all_games_or_none_are_control(share):
    iteration = losing(resign_below=0.1, resign_control=share, resign_plies=1)
    assert (iteration.tally.resigned == 0) == (share == 1.0)
    assert (iteration.tally.control == 0) == (share == 0.0)
