"""The settings of self-play, each a field with one line of help."""

from dataclasses import dataclass

from ludens.settings import knob, verify


@dataclass(frozen=True)
class SelfplayConfig:
    """How games are played to learn from."""

    positions: int = knob(8192, "positions searched in an iteration", low=1)
    games: int = knob(256, "games at a time, over all threads", low=1)
    threads: int = knob(0, "threads; 0: one a core", high=1024)
    fast_share: float = knob(0.0, "share of moves with a quick search", high=1)
    fast_sims: int = knob(8, "simulations of a quick search; it teaches no policy", 1)
    temperature: float = knob(1.0, "of the lot the first moves are drawn by")
    temperature_plies: int = knob(12, "plies it lasts; then the search's choice")
    opening_share: float = knob(0.25, "share of games that begin at random", high=1)
    opening_plies: int = knob(6, "most random plies such a game begins with")
    resign_below: float = knob(0.0, "give up below minus this; 0: never", high=1)
    resign_plies: int = knob(3, "own moves in a row below it", low=1)
    resign_control: float = knob(0.1, "share of games that never give up", high=1)
    max_plies: int = knob(2000, "cut a game here; 0: never")

    def __post_init__(self) -> None:
        verify(self)
