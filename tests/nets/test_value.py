import numpy as np
import pytest

from ludens.nets.config import NetConfig
from ludens.nets.value import (
    for_rewards,
    points,
    reward_prior,
    squeeze,
    support,
    two_hot,
    unsqueeze,
)

SCORES = NetConfig(value="categorical", bins=51, value_low=-10.0, value_high=500.0)


def test_squeezing_can_be_undone():
    x = np.array([-300.0, -1.5, 0.0, 0.01, 7.0, 1000.0])
    np.testing.assert_allclose(unsqueeze(squeeze(x)), x, rtol=1e-9, atol=1e-9)


def test_support_goes_from_low_to_high_and_is_fine_near_zero():
    found = support(SCORES)
    assert (found[0], found[-1], len(found)) == (-10, 500, 51)
    steps = np.diff(found)
    assert (steps > 0).all()
    assert steps[np.abs(found[:-1]).argmin()] < steps[-1] / 5


def test_two_hot_has_the_value_as_its_mean():
    values = np.array([-10, -3.3, 0, 0.2, 77.7, 499, 500])
    shares = two_hot(values, SCORES)
    assert shares.dtype == np.float32
    assert ((shares > 0).sum(1) <= 2).all()
    np.testing.assert_allclose(shares.sum(1), 1, rtol=1e-6)
    np.testing.assert_allclose(shares @ support(SCORES), values, rtol=1e-5, atol=1e-5)


def test_mean_of_two_hots_is_the_mean_of_the_scores():
    scores = np.array([0.0, 400.0])
    np.testing.assert_allclose(two_hot(scores, SCORES).mean(0) @ support(SCORES), 200)


def test_values_beyond_the_support_are_clipped():
    shares = two_hot([-1e6, 1e6], SCORES)
    assert shares[0, 0] == shares[1, -1] == 1


@pytest.mark.parametrize("bins", [2, 3])
def test_few_bins(bins):
    config = NetConfig(value="categorical", bins=bins, value_low=-1.0, value_high=1.0)
    shares = two_hot([-1, 0, 1], config)
    np.testing.assert_allclose(shares @ points(config), [-1, 0, 1], atol=1e-6)


@pytest.mark.parametrize(("low", "high"), [(0.0, 200.0), (-5.0, 1.0), (-500.0, 0.0)])
def test_a_new_model_expects_next_to_no_reward(low, high):
    config = NetConfig(model="learned", reward_low=low, reward_high=high)
    shares = np.exp(reward_prior(config))
    expected = shares @ support(for_rewards(config)) / shares.sum()
    assert abs(expected) < 0.01 * (high - low)
