"""Whether the value head of a single-player game covers the sums of its rewards."""

import math
from collections.abc import Iterator

import numpy as np

from ludens.errors import UserError
from ludens.learn.tables import Samples
from ludens.loading.game import Game
from ludens.nets.config import NetConfig
from ludens.rng import numpy_rng
from ludens.training.config import Config

NUM_GAMES, MAX_PLIES = 16, 1000
"""Random games that are looked at before a run, and how far."""
SLACK = 1e-6


def check_returns(game: Game, config: Config) -> None:
    """Refuse a value head that cannot say what random games bring already."""
    if game.num_players == 2:
        return
    returns = [0.0, *_returns(game, config.replay.discount)]
    low, high = min(returns), max(returns)
    wishes = []
    if low < config.net.value_low - SLACK:
        wishes.append(f"--set net.value_low={math.floor(2 * low)}")
    if high > config.net.value_high + SLACK:
        wishes.append(f"--set net.value_high={math.ceil(2 * high)}")
    if wishes:
        limits = f"[{config.net.value_low:g}, {config.net.value_high:g}]"
        raise UserError(
            f"the rewards of {game.spec} add up to {low:g} to {high:g} in random games,"
            f" which a value in {limits} cannot say; add {' '.join(wishes)}"
        )


def _returns(game: Game, discount: float) -> Iterator[float]:
    """Give the sum of discounted rewards after each move of random games."""
    for seed in range(NUM_GAMES):
        rng, state = numpy_rng(seed, "returns"), game.new(seed=seed)
        rewards: list[float] = []
        while not state.is_over and len(rewards) < MAX_PLIES:
            before = state.score
            state.apply(int(rng.choice(state.legal_actions())))
            rewards.append(state.score - before)
        total = 0.0
        for reward in reversed(rewards):
            total = reward + discount * total
            yield total


def why_clipped(samples: Samples, config: NetConfig) -> str:
    """Say what a value head cannot learn of what was played; "" if it can learn all."""
    values = samples.targets[:, 0]
    low, high = config.value_low - SLACK, config.value_high + SLACK
    share = float(np.mean((values < low) | (values > high))) if len(values) else 0.0
    if config.value == "wdl" or share == 0:
        return ""
    return (
        f"{share:.1%} of the values to learn are outside [{config.value_low:g},"
        f" {config.value_high:g}] and are cut; a new run with other net.value_low or"
        " net.value_high can learn them"
    )
