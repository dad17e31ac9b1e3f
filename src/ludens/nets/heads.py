"""The heads: what a network says of what its trunk, or its dynamics, gave."""

from dataclasses import dataclass
from typing import Generic

from ludens.nets.layers import Layers
from ludens.nets.operations import T
from ludens.nets.value import num_outputs

POLICY_CHANNELS = 16
PLIES_UNIT = 10.0  # a new net says about 7 plies: of the order of what it will learn
TURNS = ("mover", "other", "chance", "over")
"""Who is next in a learned model, seen from the player who moved last."""


@dataclass(frozen=True)
class Outputs(Generic[T]):
    """The outputs of a network, for the player to move.

    Where chance is next or the game is over, for the player who moved last.
    """

    policy: T
    """[B, A] logits"""
    value: T
    """[B, 3 | 1 | bins]; logits, or a number in [-1, 1]"""
    ownership: T | None
    """[B, T, rows, columns] in [-1, 1]"""
    plies_left: T | None
    """[B, 1] at least 0"""
    reply: T | None
    """[B, A] logits of the next player's policy"""
    turn: T | None = None
    """[B, 4] logits of `TURNS`"""
    chance: T | None = None
    """[B, C] logits of the outcomes"""
    legal: T | None = None
    """[B, A] logits: is the action legal?"""
    planes: T | None = None
    """[B, P, rows, columns] the position as it was observed"""


class Heads(Layers[T]):
    """All heads of a network, which read what its trunk gave."""

    def run(self, x: T) -> Outputs[T]:
        """Return the outputs for a latent, or for what a trunk gave."""
        config, is_learned = self.config, self.config.is_learned
        pooled = None if self.is_flat else self.pooled(x)
        judged = self.judge("value", x, pooled)
        # The seed decides parameters in the order in which they are asked for.
        ownership = self._ownership(x) if self.is_flat else None
        return Outputs(
            self._actions("policy", x, pooled),
            self._value(judged),
            ownership if self.is_flat else self._ownership(x),
            self._plies_left(judged) if config.plies_left else None,
            self._actions("reply", x, pooled) if config.reply else None,
            self._turn(judged) if is_learned else None,
            self._chance(x) if is_learned else None,
            self._legal(x, pooled) if is_learned else None,
            self._decode(x) if is_learned else None,
        )

    def _actions(self, name: str, x: T, pooled: T | None) -> T:
        """Return logits of actions."""
        if pooled is None or self.config.policy == "dense":
            return self._dense(name, x, self.sizes.actions)
        few = POLICY_CHANNELS
        y = self.conv(f"{name}/conv", x, self.config.channels, few, 1)
        y = self.act(self.add_to_cells(f"{name}/pool", y, pooled, few))
        num_planes = self.sizes.actions // self.sizes.cells
        y = self.conv(f"{name}/planes", y, few, num_planes, 1, "small")
        return self.ops.reshape(y, (-1, self.sizes.actions))

    def _dense(self, name: str, x: T, num_out: int) -> T:
        """Return logits of anything that is not one of a cell."""
        if self.is_flat:
            return self.linear(name, x, self.width, num_out, "small")
        y = self.few_channels(f"{name}/conv", x, POLICY_CHANNELS)
        width = POLICY_CHANNELS * self.sizes.cells
        return self.linear(f"{name}/actions", y, width, num_out, "small")

    def _value(self, judged: T) -> T:
        num_out = num_outputs(self.config)
        y = self.linear("value/out", judged, self.config.hidden, num_out, "small")
        return self.ops.tanh(y) if self.config.value == "scalar" else y

    def _plies_left(self, judged: T) -> T:
        y = self.linear("plies_left", judged, self.config.hidden, 1, "small")
        return self.ops.scale(self.ops.softplus(y), PLIES_UNIT)

    def _ownership(self, x: T) -> T | None:
        if not self.config.ownership:
            return None
        return self.ops.tanh(self._on_cells("ownership", x, self.sizes.targets))

    def _on_cells(self, name: str, x: T, num_out: int) -> T:
        """Return numbers of each cell [B, num_out, rows, columns]."""
        if not self.is_flat:
            return self.conv(name, x, self.config.channels, num_out, 1, "small")
        sizes = self.sizes
        flat = self.linear(name, x, self.width, num_out * sizes.cells, "small")
        return self.ops.reshape(flat, (-1, num_out, sizes.rows, sizes.columns))

    # What only a learned model says.

    def _turn(self, judged: T) -> T | None:
        if self.config.turns == "alternating":
            return None
        return self.linear("turn", judged, self.config.hidden, len(TURNS), "small")

    def _chance(self, x: T) -> T | None:
        outcomes = self.sizes.outcomes
        return self._dense("chance", x, outcomes) if outcomes else None

    def _legal(self, x: T, pooled: T | None) -> T | None:
        return self._actions("legal", x, pooled) if self.config.legality else None

    def _decode(self, x: T) -> T | None:
        if not self.config.decoder:
            return None
        if self.is_flat:
            y = self.linear("decoder/hidden", x, self.width, self.width)
        else:
            y = self.conv("decoder/hidden", x, self.width, self.width, 1)
        return self._on_cells("decoder/planes", self.act(y), self.sizes.planes)
