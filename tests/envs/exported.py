"""Exported games as modules, and a driver that does what muzero-general does."""

from dataclasses import dataclass, field
from random import Random
from types import ModuleType
from typing import Any

import numpy as np

from ludens.envs.muzero_general import make_file
from ludens.loading.game import load_game


def module_of(text: str) -> Any:
    """Execute the text of an exported file."""
    module = ModuleType("exported")
    module.__file__, module.__package__ = "/games/exported.py", ""
    exec(compile(text, module.__file__, "exec"), vars(module))
    return module


def export(spec: str) -> Any:
    """Export a game and execute the file."""
    return module_of(make_file(load_game(spec, compiled=False)).text)


@dataclass
class History:
    """What a self-play worker keeps of a game: index 0 is before the first move."""

    observations: list[Any] = field(default_factory=list)
    actions: list[int] = field(default_factory=lambda: [0])
    rewards: list[float] = field(default_factory=lambda: [0.0])
    turns: list[int] = field(default_factory=list)


def self_play(
    game: Any, config: Any, choose: Random, opponent: str = "self"
) -> History:
    """Play as a worker of muzero-general does: what it asks, and in which order."""
    history, done = History(), False
    history.observations.append(game.reset())
    history.turns.append(game.to_play())
    while not done and len(history.actions) <= config.max_moves:
        seen = history.observations[-1]
        assert np.array(seen).shape == config.observation_shape
        assert seen.copy().dtype == np.float32
        is_ours = opponent == "self" or game.to_play() == config.muzero_player
        legal = game.legal_actions()
        assert legal
        assert set(legal) <= set(config.action_space)
        # A worker's choice is a NumPy integer.
        action = np.int64(choose.choice(legal)) if is_ours else game.expert_agent()
        observation, reward, done = game.step(action)
        assert isinstance(game.action_to_string(action), str)
        history.actions.append(int(action))
        history.observations.append(observation)
        history.rewards.append(reward)
        history.turns.append(game.to_play())
    # Diagnosing a model searches once more after the last move.
    assert set(game.legal_actions()) <= set(config.action_space)
    assert game.legal_actions()
    assert game.to_play() in config.players
    return history


def target_value(history: History, index: int, discount: float) -> float:
    """Return what a position is worth by the rewards after it, for who is to move.

    The reward at index + 1 + i belongs to the player who moved at index + i.
    """
    value = 0.0
    for i, reward in enumerate(history.rewards[index + 1 :]):
        is_own = history.turns[index + i] == history.turns[index]
        value += (reward if is_own else -reward) * discount**i
    return value
