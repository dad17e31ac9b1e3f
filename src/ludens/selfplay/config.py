"""The settings of self-play, each a field with one line of help."""

from dataclasses import dataclass, replace

from ludens.cores import num_cores
from ludens.settings import setting, verify


@dataclass(frozen=True)
class SelfplayConfig:
    """How games are played to learn from."""

    positions: int = setting(8192, "positions searched per iteration", low=1)
    games: int = setting(256, "games in parallel, over all threads", low=1)
    threads: int = setting(0, "threads; 0: one per core", high=1024)
    shares: int = setting(
        0, "pieces of an iteration; 0: one per thread, 32 on a cluster", high=4096
    )
    fast_share: float = setting(0.0, "share of moves with a fast search", high=1)
    fast_sims: int = setting(
        8, "simulations of a fast search, which trains no policy", 1
    )
    temperature: float = setting(1.0, "temperature of the first moves")
    temperature_plies: int = setting(
        12, "plies it lasts; after that the best move is played"
    )
    temperature_end: float = setting(
        -1.0, "temperature at the end of the budget; -1: the same", low=-1
    )
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

    def at(self, progress: float) -> "SelfplayConfig":
        """Return the settings when a share of the budget is spent."""
        if self.temperature_end < 0:
            return self
        change = self.temperature_end - self.temperature
        return replace(self, temperature=self.temperature + progress * change)

    @property
    def num_threads(self) -> int:
        """How many threads play."""
        return self.threads or num_cores()
