"""Resigning hopeless games, and a control sample that shows whether it is right."""

from dataclasses import dataclass

from ludens.rng import uniform
from ludens.selfplay.active import ActiveGame
from ludens.selfplay.config import SelfplayConfig


@dataclass(frozen=True)
class Resigning:
    """When a player gives up; nobody does in a single-player game."""

    config: SelfplayConfig
    num_players: int

    @property
    def is_on(self) -> bool:
        """Whether games may be resigned at all."""
        return self.config.resign_below > 0 and self.num_players == 2

    def is_control(self, active: ActiveGame) -> bool:
        """Tell whether a game is one of those that show if giving up is right."""
        return uniform(active.seed, "control") < self.config.resign_control

    def resigns(self, active: ActiveGame) -> bool:
        """Tell whether the player to move resigns."""
        if not self.is_on or self.is_control(active):
            return False
        return self._is_hopeless(active.opinions(active.to_play))

    def would_have_resigned(self, active: ActiveGame) -> list[int]:
        """Return the players who would have resigned a game of the control sample."""
        if not self.is_on or not self.is_control(active):
            return []
        return [player for player in (0, 1) if self._ever(active.opinions(player))]

    def _ever(self, opinions: list[float]) -> bool:
        ends = range(1, len(opinions) + 1)
        return any(self._is_hopeless(opinions[:end]) for end in ends)

    def _is_hopeless(self, opinions: list[float]) -> bool:
        """Tell whether the newest values of a player are all below the limit."""
        config = self.config
        last = opinions[-config.resign_plies :]
        return len(last) == config.resign_plies and max(last) < -config.resign_below
