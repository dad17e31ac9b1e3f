"""What random play brings in, and what values and rewards to expect from it."""

from collections.abc import Iterator
from dataclasses import replace

from ludens.formats.words import POINTS
from ludens.loading.game import Game
from ludens.nets.config import NetConfig

NUM_GAMES, MAX_PLIES = 16, 1000
"""Random games that are looked at before a run, and how far."""
ROOM = 8
"""How many times as much as in random episodes a value may become."""
LEAST = 1 / POINTS
"""A bound of values and rewards where none were seen: one point."""
NOISE = 0.02
"""Values of an environment that differ by less than this share of their range are
not stretched: where all is well, the noise of a net would become its policy."""


def random_rewards(game: Game) -> Iterator[list[float]]:
    """Give the rewards of random games."""
    from ludens.rng import numpy_rng  # loads Numba

    for seed in range(NUM_GAMES):
        rng, state = numpy_rng(seed, "returns"), game.new(seed=seed)
        rewards: list[float] = []
        while not state.is_over and len(rewards) < MAX_PLIES:
            before = state.score
            state.apply(int(rng.choice(state.legal_actions())))
            rewards.append(state.score - before)
        yield rewards


def returns_of(rewards: list[float], discount: float) -> Iterator[float]:
    """Give the sum of discounted rewards after each move of a game, the last first."""
    total = 0.0
    for reward in reversed(rewards):
        total = reward + discount * total
        yield total


def widen(config: NetConfig, game: Game, discount: float) -> NetConfig:
    """Give a net for an environment bounds of values and rewards, if it has none.

    A value is at most the highest reward for ever, and not many times what random
    episodes bring, for better or worse: in some all of them end badly, and good play
    is worth as much. There is always room for a point.
    """
    is_set = config.value_low != config.value_high
    if game.num_players == 2 or is_set:
        return config
    games = list(random_rewards(game))
    rewards = [0.0, *(reward for one in games for reward in one)]
    returns = [0.0, *(x for one in games for x in returns_of(one, discount))]
    for_ever = 1 / (1 - discount) if discount < 1 else float("inf")
    far = ROOM * max(map(abs, returns))
    high = min(far, max(rewards) * for_ever if max(rewards) else 0.0)
    low = max(-far, min(rewards) * for_ever if min(rewards) else 0.0)
    has_rewards = config.reward_low != config.reward_high
    lowest, highest = min(-LEAST, 2 * min(rewards)), max(LEAST, 2 * max(rewards))
    return replace(
        config,
        value_low=min(-LEAST, float(f"{low:.4g}")),
        value_high=max(LEAST, float(f"{high:.4g}")),
        reward_low=config.reward_low if has_rewards else lowest,
        reward_high=config.reward_high if has_rewards else highest,
    )
