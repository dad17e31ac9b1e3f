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


def test_values_that_are_cut_in_training_are_told():
    config = NetConfig(value="categorical", value_low=0.0, value_high=200.0)
    values = SimpleNamespace(targets=np.array([[0.0], [200.0], [250.0], [-1.0]]))
    assert why_clipped(values, config).startswith("50.0% of the values to learn")
    within = SimpleNamespace(targets=values.targets[:2])
    assert why_clipped(within, config) == ""
