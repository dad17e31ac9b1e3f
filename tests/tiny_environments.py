"""Small environments of Gymnasium and PettingZoo, well-behaved and not."""

from itertools import count
from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces

LENGTH = 4
_began = count(1)


class Corridor(gymnasium.Env[Any, Any]):
    """Walk to the right end; the seed says where it begins."""

    def __init__(self, fault: str = "") -> None:
        self.observation_space = spaces.Box(0.0, LENGTH, (2,), np.float32)
        self.action_space = spaces.Discrete(2, start=3)
        self._fault = fault

    def reset(self, *, seed: int | None = None, options: Any = None) -> Any:
        super().reset(seed=seed)
        self._at = int(self.np_random.integers(2))
        if self._fault == "another start each time":
            self._at = next(_began) % 3
        return self._see(), {}

    def step(self, action: int) -> Any:
        assert action in (3, 4)
        self._at = max(0, self._at + (1 if action == 4 else -1))
        if self._fault == "raise":
            raise RuntimeError("the\nwheels came off")
        is_over = self._at >= LENGTH
        reward = float("nan") if self._fault == "reward" else 10.0 * is_over - 1
        return self._see(self._fault), reward, is_over, False, {}

    def _see(self, fault: str = "") -> Any:
        if fault == "shape":
            return np.zeros(3, np.float32)
        other = np.nan if fault == "nan" else 1.0
        return np.array([self._at, other], np.float32)


class Stick(gymnasium.Env[Any, Any]):
    """An environment with continuous actions."""

    observation_space = spaces.Box(-1.0, 1.0, (2,), np.float32)
    action_space = spaces.Box(-1.0, 1.0, (1,), np.float32)


class Image(gymnasium.Env[Any, Any]):
    """Shows a small image; it is over at once."""

    observation_space = spaces.Box(0, 255, (3, 4, 2), np.uint8)
    action_space = spaces.Discrete(3)

    def reset(self, *, seed: int | None = None, options: Any = None) -> Any:
        picture = np.zeros((3, 4, 2), np.uint8)
        picture[1, 2, 1] = 255
        return picture, {}

    def step(self, action: int) -> Any:
        return self.reset()[0], 1.0, True, False, {}


class Coin(gymnasium.Env[Any, Any]):
    """Take 80 points, or look at a coin and get 100 for telling what it shows.

    It shows heads in 7 of 10 cases. Whoever thinks that looking leads to one place,
    not to two, expects 70 points there from telling heads.
    """

    observation_space = spaces.Discrete(4)
    action_space = spaces.Discrete(2)

    def reset(self, *, seed: int | None = None, options: Any = None) -> Any:
        super().reset(seed=seed)
        self._at = 0
        return self._at, {}

    def step(self, action: int) -> Any:
        if self._at == 0 and action == 1:
            self._at = 1 if self.np_random.random() < 0.7 else 2
            return self._at, 0.0, False, False, {}
        reward = 80.0 if self._at == 0 else 100.0 * (action == self._at - 1)
        self._at = 3
        return self._at, reward, True, False, {}


class Slope(Coin):
    """A point or none for each of three steps; then the end costs 50 points."""

    observation_space = spaces.Discrete(5)

    def step(self, action: int) -> Any:
        self._at += 1
        is_over = self._at > 3
        reward = -50.0 if is_over else float(action)
        return self._at, reward, is_over, False, {}


def register() -> None:
    """Let Gymnasium know them."""
    for fault in ("", "raise", "reward", "nan", "shape", "another start each time"):
        name = "".join(word.capitalize() for word in fault.split())
        gymnasium.register(
            f"Corridor{name}-v0",
            Corridor,
            max_episode_steps=7,
            kwargs={"fault": fault},
        )
    gymnasium.register("Stick-v0", Stick)
    gymnasium.register("Image-v0", Image)
    gymnasium.register("Slope-v0", Slope)
    gymnasium.register("Coin-v0", Coin, nondeterministic=True)


if "Corridor-v0" not in gymnasium.registry:
    register()
