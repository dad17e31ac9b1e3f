"""The settings of self-play, each a field with one line of help."""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from ludens.cores import num_cores
from ludens.errors import UserError
from ludens.infer import DEVICES
from ludens.settings import setting, verify

_WAYS: Mapping[str, Callable[[float], float]] = {
    "linear": lambda progress: progress,
    "cosine": lambda progress: (1 - math.cos(math.pi * min(1.0, progress))) / 2,
    # Where MuZero's temperature changes, Schrittwieser et al. 2020, appendix D.
    "steps": lambda progress: 0.5 * (progress >= 0.5) + 0.5 * (progress >= 0.75),
}
"""How much of its way a temperature has gone when a share of the budget is spent."""


@dataclass(frozen=True)
class SelfplayConfig:
    """How games are played to learn from."""

    positions: int = setting(8192, "positions searched per iteration", low=1)
    games: int = setting(256, "games in parallel, over all threads", low=1)
    threads: int = setting(0, "threads; 0: one per core", high=1024)
    device: str = setting(
        "same", "where networks play; same: as --device says",
        choices=("same", *DEVICES),
    )  # fmt: skip
    shares: int = setting(
        0, "pieces of an iteration; 0: one per thread, 32 on a cluster", high=4096
    )
    fast_share: float = setting(0.0, "share of moves with a fast search", high=1)
    fast_sims: int = setting(
        8, "simulations of a fast search, which trains no policy", 1
    )
    temperature: float = setting(1.0, "temperature of a game's first move")
    temperature_plies: int = setting(12, "plies until it is temperature_final")
    temperature_final: float = setting(
        0.0, "temperature after those plies; 0: the best move is played"
    )
    temperature_shape: str = setting(
        "step", "its way down in a game; step: the same until then",
        choices=("step", "linear", "exponential"),
    )  # fmt: skip
    temperature_end: float = setting(
        -1.0, "temperature of first moves at the end of the budget; -1: the same", -1
    )
    temperature_schedule: str = setting(
        "linear", "its way there; steps: half of it at 1/2, the rest at 3/4",
        choices=("linear", "cosine", "steps"),
    )  # fmt: skip
    opening_share: float = setting(0.25, "share of games with a random opening", high=1)
    opening_plies: int = setting(6, "longest random opening, in plies")
    resign_below: float = setting(
        0.0, "resign when the value is below minus this; 0: never", high=1
    )
    resign_plies: int = setting(3, "own moves in a row below it", low=1)
    resign_control: float = setting(
        0.1, "share of games in which nobody resigns", high=1
    )
    max_plies: int = setting(2000, "cut games off here; 0: never")

    def __post_init__(self) -> None:
        verify(self)
        if self.temperature_shape == "exponential" and self.temperature_final == 0:
            raise UserError(
                "temperature_shape=exponential never reaches 0;"
                " set temperature_final, such as 0.1"
            )

    def at(self, progress: float) -> "SelfplayConfig":
        """Return the settings when a share of the budget is spent."""
        if self.temperature_end < 0:
            return self
        change = self.temperature_end - self.temperature
        way = _WAYS[self.temperature_schedule](progress)
        return replace(self, temperature=self.temperature + way * change)

    def temperature_at(self, ply: int) -> float:
        """Return the temperature of a move of a game (from 0); 0: the best one."""
        first, final = self.temperature, self.temperature_final
        if ply >= self.temperature_plies:
            return final
        if self.temperature_shape == "step" or first == 0:
            return first
        share = ply / self.temperature_plies
        if self.temperature_shape == "linear":
            return first + share * (final - first)
        return float(first ** (1 - share) * final**share)

    @property
    def num_threads(self) -> int:
        """How many threads play."""
        return self.threads or num_cores()
