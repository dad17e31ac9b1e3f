"""Environments of PettingZoo with turns and two players."""

from collections.abc import Sequence
from importlib import import_module
from typing import Any

import numpy as np
from gymnasium import spaces

from ludens.errors import UserError, missing
from ludens.game import Planes
from ludens.loading.environments.environment import Source, Spaces, Step, one_line
from ludens.loading.environments.gymnasium_env import encoder_of
from ludens.loading.environments.observations import with_player

HOME = "pettingzoo.classic"
"""The games with turns; MODULE:NAME is a game of any other module."""
HIDDEN = ("leduc_holdem", "texas_holdem", "gin_rummy", "hanabi", "rps")


class PettingZooEnvironment:
    """One game of PettingZoo between two agents."""

    def __init__(self, name: str) -> None:
        self._env: Any = _make(name)
        self._agents = list(self._env.possible_agents)
        space = self._env.observation_space(self._agents[0])
        self._encode = encoder_of(_inner(space), f"pettingzoo:{name}")[1]
        self._num_actions = int(self._env.action_space(self._agents[0]).n)
        self._player = 0
        self._mask: Any = None

    def reset(self, seed: int) -> Planes:
        """Begin a game."""
        self._env.reset(seed=seed)
        return self._see()

    def step(self, action: int) -> Step:
        """Take an action; rewards count from one action to the next."""
        env, first = self._env, self._agents[0]
        env.step(action)
        reward = float(env.rewards.get(first, 0.0))
        ends = (env.terminations, env.truncations)
        is_over, is_cut = (any(map(bool, end.values())) for end in ends)
        return Step(self._see(), reward, is_over, is_cut)

    def _see(self) -> Planes:
        agent = self._env.agent_selection
        self._player = self._agents.index(agent)
        seen = self._env.observe(agent)
        self._mask = None
        if isinstance(seen, dict):
            self._mask = seen.get("action_mask")
            seen = seen["observation"]
        return with_player(self._encode(seen), self._player)

    def legal_actions(self) -> Sequence[int]:
        """Return what the mask of actions allows; all if there is none."""
        if self._mask is None:
            return range(self._num_actions)
        return [int(a) for a in np.flatnonzero(self._mask)]

    @property
    def to_play(self) -> int:
        """The player to move."""
        return self._player

    def close(self) -> None:
        """Let everything go."""
        self._env.close()


def pettingzoo_source(name: str) -> Source:
    """Return where a game of PettingZoo comes from."""
    spec = f"pettingzoo:{name}"
    if name.startswith(HIDDEN):
        raise UserError(
            f"{spec} has hidden information or simultaneous moves; only games in which"
            " all is seen can be learned"
        )
    env = _make(name)
    agents = list(env.possible_agents)
    if len(agents) != 2:
        raise UserError(f"{spec} has {len(agents)} agents; two can be learned for")
    actions = [env.action_space(agent) for agent in agents]
    if not all(isinstance(space, spaces.Discrete) for space in actions):
        raise UserError(f"{spec} has actions that are not discrete")
    space = _inner(env.observation_space(agents[0]))
    (planes, rows, columns), _ = encoder_of(space, spec)
    env.close()
    sizes = Spaces(planes + 1, rows, columns, int(actions[0].n), 2)
    title = f"{name}, a game of PettingZoo"
    return Source(spec, title, sizes, lambda: PettingZooEnvironment(name))


def _inner(space: Any) -> Any:
    """Return the space of what is seen, without the mask of actions."""
    if isinstance(space, spaces.Dict) and "observation" in space.spaces:
        return space["observation"]
    return space


def _make(name: str) -> Any:
    """Make an environment; its module has it as `env`, unless it is MODULE:NAME."""
    spec, (home, _, maker) = f"pettingzoo:{name}", name.partition(":")
    home, maker = (home, maker) if maker else (f"{HOME}.{name}", "env")
    try:
        module = import_module(home)
    except ModuleNotFoundError as error:
        lacks = error.name or ""
        if lacks in (home, HOME):
            raise UserError(f"there is no {spec}: {one_line(error)}") from None
        raise missing(lacks, spec, ["pettingzoo[classic]"]) from None
    except Exception as error:
        raise UserError(f"cannot load {spec}: {one_line(error)}") from None
    if not hasattr(module, maker):
        raise UserError(
            f"{spec} has simultaneous moves, or is no environment; only games with"
            " turns can be learned"
        )
    try:
        return getattr(module, maker)()
    except Exception as error:
        raise UserError(f"cannot make {spec}: {one_line(error)}") from None
