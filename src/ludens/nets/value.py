"""What the outputs of a value head mean."""

from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ludens.nets.config import NetConfig

EPSILON = 0.001  # as in Pohlen et al. 2018 and MuZero


def num_outputs(config: NetConfig) -> int:
    """Return how many numbers the value head gives."""
    return {"wdl": 3, "scalar": 1, "categorical": config.bins}[config.value]


def reward_prior(config: NetConfig) -> NDArray[np.float32]:
    """Return logits [bins] with which a new model expects next to no reward.

    A search adds up what it expects of each step: were all bins as likely, a new net
    would plan for what the highest of them bring.
    """
    distance = np.abs(support(for_rewards(config)))
    steps = np.abs(np.arange(config.reward_bins) - distance.argmin())
    prior: NDArray[np.float32] = -np.minimum(2.0 * steps, 10.0).astype(np.float32)
    return prior


def points(config: NetConfig) -> NDArray[np.float64]:
    """Return the value that each output of a distribution stands for."""
    return support(config) if config.value == "categorical" else np.array([1.0, 0, -1])


def for_rewards(config: NetConfig) -> NetConfig:
    """Return the config of a net whose value head is this one's reward head."""
    return replace(
        config,
        value="categorical",
        bins=config.reward_bins,
        value_low=config.reward_low,
        value_high=config.reward_high,
    )


def middle_and_reach(config: NetConfig) -> tuple[float, float]:
    """Return what 0 of a scalar value stands for, and how far 1 is from it."""
    low, high = config.value_low, config.value_high
    return (low + high) / 2, (high - low) / 2


def support(config: NetConfig) -> NDArray[np.float64]:
    """Return the points of a categorical value [bins], in units of score.

    They are evenly spaced after `squeeze`: close where scores are small.
    """
    low, high = squeeze(np.array([config.value_low, config.value_high]))
    inner = unsqueeze(np.linspace(low, high, config.bins)[1:-1])
    return np.concatenate([[config.value_low], inner, [config.value_high]])


def two_hot(values: ArrayLike, config: NetConfig) -> NDArray[np.float32]:
    """Return the distribution [B, bins] over the two points next to each value.

    Its mean is the value itself, not that of the squeezed ones: what is learnt of a
    score that varies is its expectation, without bias.
    """
    around = support(config)
    clipped = np.clip(np.asarray(values, np.float64), around[0], around[-1])
    right = np.clip(np.searchsorted(around, clipped), 1, config.bins - 1)
    share = (clipped - around[right - 1]) / (around[right] - around[right - 1])
    rows = np.arange(len(clipped))
    shares = np.zeros((len(clipped), config.bins), np.float32)
    shares[rows, right - 1] = 1 - share
    shares[rows, right] = share
    return shares


def squeeze(x: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return h(x) = sign(x) (sqrt(|x| + 1) - 1) + 0.001 x."""
    squeezed: NDArray[np.float64] = (
        np.sign(x) * (np.sqrt(np.abs(x) + 1) - 1) + EPSILON * x
    )
    return squeezed


def unsqueeze(y: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the x with h(x) = y."""
    inner = np.sqrt(1 + 4 * EPSILON * (np.abs(y) + 1 + EPSILON))
    x: NDArray[np.float64] = np.sign(y) * (((inner - 1) / (2 * EPSILON)) ** 2 - 1)
    return x
