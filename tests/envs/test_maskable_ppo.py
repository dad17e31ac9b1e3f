"""MaskablePPO of sb3-contrib learns one of our games through Gymnasium."""

from typing import Any

import gymnasium
import numpy as np
import pytest

import ludens.envs  # noqa: F401  registers the games

STEPS = 8192
GAMES = 200


@pytest.mark.slow
def test_maskable_ppo_learns_tic_tac_toe() -> None:
    ppo = pytest.importorskip("sb3_contrib").MaskablePPO
    env = gymnasium.make("ludens/tic_tac_toe-v0", opponent="random")
    settings = {"n_steps": 512, "batch_size": 128, "learning_rate": 1e-3, "gamma": 1.0}
    model = ppo("MlpPolicy", env, **settings, ent_coef=0.01, seed=1, device="cpu")
    before = play(model)
    model.learn(STEPS)
    after = play(model)
    # Seen: 0.34 of the games won and 0.57 lost before, 0.82 and 0.13 after.
    assert (before > 0).mean() < 0.5 < 0.7 < (after > 0).mean()
    assert (before < 0).mean() > 0.4 > 0.25 > (after < 0).mean()


def play(model: Any) -> np.ndarray:
    """Return how games with an opponent who moves at random end, on either side."""
    env = gymnasium.make("ludens/tic_tac_toe-v0", opponent="random")
    rewards = []
    for seed in range(GAMES):
        seen, info = env.reset(seed=seed)
        is_over, reward = False, 0.0
        while not is_over:
            mask = info["action_mask"]
            action, _ = model.predict(seen, action_masks=mask, deterministic=True)
            seen, reward, is_over, _, info = env.step(action)
        rewards.append(float(reward))
    return np.array(rewards)
