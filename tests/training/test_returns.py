"""What the rewards of a game add up to, and whether a value can say so."""

from types import SimpleNamespace

import numpy as np
import pytest

from ludens import load_game
from ludens.errors import UserError
from ludens.nets.config import NetConfig
from ludens.training.config import read_config
from ludens.training.trial import check_returns, why_clipped

SMALL = "triangle:columns=9,playable=0-9/0-9/0-9,over_reward=-10"


def test_a_value_that_cannot_say_the_rewards_is_refused_with_one_that_can():
    game = load_game(SMALL, compiled=False)
    with pytest.raises(UserError) as refused:
        check_returns(game, read_config(game, "", None, ()))
    _, _, wish = str(refused.value).partition("; add --set ")
    check_returns(game, read_config(game, "", None, [wish]))


@pytest.mark.parametrize(
    ("spec", "sets", "line"),
    [
        (
            "tic_tac_toe",
            ["net.value=categorical", "net.value_low=-0.5", "net.value_high=2"],
            "the results of tic_tac_toe are -1 to 1, which a value in [-0.5, 2]"
            " cannot say; add --set net.value_low=-1",
        ),
        (
            SMALL,
            ["net.model=learned", "net.value_low=-20", "net.reward_high=200"],
            f"the rewards of {load_game(SMALL, compiled=False).spec} are -9.99 to",
        ),
    ],
)
def test_other_ranges_that_clip_are_refused_too(spec, sets, line):
    game = load_game(spec, compiled=False)
    with pytest.raises(UserError) as refused:
        check_returns(game, read_config(game, "", None, sets))
    assert str(refused.value).startswith(line)
    *_, wish = str(refused.value).partition("; add --set ")
    check_returns(game, read_config(game, "", None, [*sets, wish]))


def test_values_that_are_cut_in_training_are_told():
    config = NetConfig(value="categorical", value_low=0.0, value_high=200.0)
    values = SimpleNamespace(targets=np.array([[0.0], [200.0], [250.0], [-1.0]]))
    assert why_clipped(values, config).startswith("50.0% of the values to learn")
    within = SimpleNamespace(targets=values.targets[:2])
    assert why_clipped(within, config) == ""
