"""Environments of Gymnasium: discrete actions, vectors or small images."""

from collections.abc import Sequence
from typing import Any

import gymnasium
from gymnasium import spaces

from ludens.errors import UserError
from ludens.game import Planes
from ludens.loading.environments.environment import Source, Spaces, Step, one_line
from ludens.loading.environments.observations import (
    Encode,
    Sizes,
    box_encoder,
    has_channels_last,
    one_hot_encoder,
    planes_of,
)


class GymnasiumEnvironment:
    """One environment of Gymnasium."""

    to_play = 0

    def __init__(self, name: str) -> None:
        self._env: Any = gymnasium.make(name, disable_env_checker=True)
        self._encode = encoder_of(self._env.observation_space, f"gym:{name}")[1]
        actions: Any = self._env.action_space
        self._first, self._all = int(actions.start), range(int(actions.n))

    def reset(self, seed: int) -> Planes:
        """Begin an episode."""
        return self._encode(self._env.reset(seed=seed)[0])

    def step(self, action: int) -> Step:
        """Take an action."""
        seen, reward, *ends = self._env.step(self._first + action)[:4]
        return Step(self._encode(seen), float(reward), *ends)

    def legal_actions(self) -> Sequence[int]:
        """Return all actions."""
        return self._all

    def close(self) -> None:
        """Let everything go."""
        self._env.close()


def gymnasium_source(name: str) -> Source:
    """Return where an environment that Gymnasium knows comes from."""
    spec = f"gym:{name}"
    try:
        env: Any = gymnasium.make(name, disable_env_checker=True)
    except Exception as error:
        raise UserError(f"cannot make {spec}: {one_line(error)}") from None
    actions, seen = env.action_space, env.observation_space
    limit = getattr(env.spec, "max_episode_steps", None) or 0
    has_chance = _has_chance(env)
    env.close()
    if not isinstance(actions, spaces.Discrete):
        kind = "continuous" if isinstance(actions, spaces.Box) else str(actions)
        raise UserError(f"{spec} has {kind} actions; only discrete ones can be learned")
    (planes, rows, columns), _ = encoder_of(seen, spec)
    sizes = Spaces(planes, rows, columns, int(actions.n), 1, int(limit))
    title = f"{name}, an environment of Gymnasium"
    return Source(spec, title, sizes, lambda: GymnasiumEnvironment(name), has_chance)


def _has_chance(env: Any) -> bool:
    """Tell whether an environment says that chance plays a part.

    The small ones of Gymnasium show their table: P[state][action] lists what may come.
    """
    if getattr(env.spec, "nondeterministic", False):
        return True
    table = getattr(env.unwrapped, "P", None)
    rows = list(table.values()) if isinstance(table, dict) else []
    rows = [row for row in rows if isinstance(row, dict)]
    return any(len(come) > 1 for row in rows for come in row.values())


def encoder_of(space: Any, name: str) -> tuple[Sizes, Encode]:
    """Return planes, rows and columns of a space, and what brings it into them."""
    if isinstance(space, spaces.Discrete):
        count = int(space.n)
        planes = planes_of((count,), name)
        return planes, one_hot_encoder(count, int(space.start))
    if isinstance(space, spaces.Box):
        planes = planes_of(space.shape, name, has_channels_last(space.shape))
        return planes, box_encoder(space.low, space.high, planes)
    if isinstance(space, spaces.MultiBinary):
        planes = planes_of(space.shape, name)
        return planes, box_encoder(0 * space.sample(), 0 * space.sample() + 1, planes)
    kind = type(space).__name__
    raise UserError(
        f"{name} shows observations of the kind {kind}; vectors, images and single"
        " numbers can be learned from"
    )
