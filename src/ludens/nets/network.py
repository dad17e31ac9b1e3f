"""The architecture, written once for every backend: trunk and heads.

A parameter is asked for where it is used, with its name, shape and start. There is no
batch norm: the last convolution of a residual block starts at zero instead, so that a
new network is as deep as its stem (Zhang, Dauphin and Ma 2019), and training, inference
and export compute the same thing.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Generic, Literal, Protocol, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from ludens.nets.config import NetConfig, Sizes, resolve
from ludens.nets.value import middle_and_reach, num_outputs, points

T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)
Shape: TypeAlias = tuple[int, ...]
Init: TypeAlias = Literal["he", "lecun", "small", "position", "zeros", "ones"]
"""How a parameter is initialised: he before a relu, lecun elsewhere, small in the last
layer of a head, so that a new net is undecided."""


class Ask(Protocol[T_co]):
    """Return a parameter by its name and shape, at the place where it is used."""

    def __call__(self, name: str, shape: Shape, init: Init) -> T_co: ...


class Ops(Protocol[T]):
    """The operations of a backend. The batch comes first in a shape, written as -1."""

    def constant(self, array: NDArray[Any]) -> T:
        """Return a constant tensor."""

    def conv(self, x: T, weight: T, bias: T) -> T:
        """[B, C, R, S] with [O, C, k, k] and [O]: [B, O, R, S], edges padded by 0."""

    def linear(self, x: T, weight: T, bias: T) -> T:
        """[..., I] with [O, I] and [O]: [..., O]."""

    def matmul(self, a: T, b: T) -> T:
        """[..., I, J] with [..., J, K]: [..., I, K]."""

    def add(self, a: T, b: T) -> T:
        """Add, with broadcasting."""

    def scale(self, x: T, factor: float) -> T:
        """Multiply by a number."""

    def relu(self, x: T) -> T: ...

    def tanh(self, x: T) -> T: ...

    def softplus(self, x: T) -> T: ...

    def softmax(self, x: T) -> T:
        """Over the last axis."""

    def layer_norm(self, x: T, weight: T, bias: T) -> T:
        """Over the last axis."""

    def reshape(self, x: T, shape: Shape) -> T: ...

    def transpose(self, x: T, order: Shape) -> T: ...

    def concat(self, parts: Sequence[T]) -> T:
        """Join along the last axis."""

    def mean_cells(self, x: T) -> T:
        """[B, C, R, S]: [B, C]."""

    def max_cells(self, x: T) -> T:
        """[B, C, R, S]: [B, C]."""


POLICY_CHANNELS = 16
VALUE_CHANNELS = 4
PLIES_UNIT = 10.0  # a new net says about 7 plies: of the order of what it will learn


@dataclass(frozen=True)
class Outputs(Generic[T]):
    """The outputs of a network, for the player to move."""

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


def forward(
    config: NetConfig, sizes: Sizes, ops: Ops[T], p: Ask[T], planes: T
) -> Outputs[T]:
    """Run planes [B, P, rows, columns] through the network."""
    return _Network(resolve(config, sizes), sizes, ops, p).run(planes)


def expected_value(config: NetConfig, ops: Ops[T], value: T) -> T:
    """Return the value [B] for the player to move from the output of its head."""
    if config.value == "scalar":
        middle, reach = middle_and_reach(config)
        weights, middles = np.array([[reach]]), np.array([middle])
    else:
        value = ops.softmax(value)
        weights, middles = points(config)[None], np.zeros(1)
    weight = ops.constant(weights.astype(np.float32))
    bias = ops.constant(middles.astype(np.float32))
    return ops.reshape(ops.linear(value, weight, bias), (-1,))


@dataclass(frozen=True)
class _Network(Generic[T]):
    config: NetConfig
    sizes: Sizes
    ops: Ops[T]
    p: Ask[T]

    def run(self, planes: T) -> Outputs[T]:
        if self.config.trunk == "mlp":
            return self._flat_heads(self._mlp(planes))
        x = self._stem(planes)
        for i in range(self.config.blocks):
            x = self._block(f"block{i}", x, self._has_pooling(i))
        return self._heads(self._encode(x) if self.config.layers else x)

    # The trunk.

    def _stem(self, planes: T) -> T:
        x = self._conv("stem", planes, self.sizes.planes, self.config.channels, 3)
        return self.ops.relu(x)

    def _has_pooling(self, i: int) -> bool:
        return self.config.pool_every > 0 and (i + 1) % self.config.pool_every == 0

    def _block(self, name: str, x: T, has_pooling: bool) -> T:
        ops, width = self.ops, self.config.channels
        y = self._conv(f"{name}/conv1", x, width, width, 3)
        if has_pooling:  # what is anywhere on the board counts everywhere (KataGo)
            y = self._add_to_cells(f"{name}/pool", y, self._pooled(y), width)
        y = self._conv(f"{name}/conv2", ops.relu(y), width, width, 3, "zeros")
        return ops.relu(ops.add(x, y))

    def _mlp(self, planes: T) -> T:
        num_in = self.sizes.planes * self.sizes.cells
        x = self.ops.reshape(planes, (-1, num_in))
        for i in range(self.config.blocks):
            x = self.ops.relu(self._linear(f"layer{i}", x, num_in, self.config.hidden))
            num_in = self.config.hidden
        return x

    def _encode(self, x: T) -> T:
        """Run Transformer layers over the cells."""
        ops, width, cells = self.ops, self.config.channels, self.sizes.cells
        x = ops.transpose(ops.reshape(x, (-1, width, cells)), (0, 2, 1))
        x = ops.add(x, self.p("position", (1, cells, width), "position"))
        for i in range(self.config.layers):
            x = self._layer(f"encoder{i}", x)
        x = ops.transpose(self._norm("encoded", x), (0, 2, 1))
        return ops.reshape(x, (-1, width, self.sizes.rows, self.sizes.columns))

    def _layer(self, name: str, x: T) -> T:
        ops, width = self.ops, self.config.channels
        y = self._attend(name, self._norm(f"{name}/norm1", x))
        x = ops.add(x, y)
        y = self._norm(f"{name}/norm2", x)
        y = ops.relu(self._linear(f"{name}/up", y, width, 4 * width))
        return ops.add(x, self._linear(f"{name}/down", y, 4 * width, width, "zeros"))

    def _attend(self, name: str, x: T) -> T:
        ops, width, heads = self.ops, self.config.channels, self.config.heads
        split = (-1, self.sizes.cells, heads, width // heads)
        query, key, value = (
            ops.reshape(self._linear(f"{name}/{part}", x, width, width, "lecun"), split)
            for part in ("query", "key", "value")
        )
        query = ops.scale(ops.transpose(query, (0, 2, 1, 3)), (width // heads) ** -0.5)
        shares = ops.softmax(ops.matmul(query, ops.transpose(key, (0, 2, 3, 1))))
        seen = ops.matmul(shares, ops.transpose(value, (0, 2, 1, 3)))
        seen = ops.transpose(seen, (0, 2, 1, 3))
        seen = ops.reshape(seen, (-1, self.sizes.cells, width))
        return self._linear(f"{name}/seen", seen, width, width, "zeros")

    # The heads.

    def _heads(self, x: T) -> Outputs[T]:
        config, pooled = self.config, self._pooled(x)
        policy = self._spatial if config.policy == "spatial" else self._dense
        judged = self._judge(x, pooled)
        return Outputs(
            policy("policy", x, pooled),
            self._value(judged),
            self._ownership(x) if config.ownership else None,
            self._plies_left(judged) if config.plies_left else None,
            policy("reply", x, pooled) if config.reply else None,
        )

    def _flat_heads(self, x: T) -> Outputs[T]:
        config, sizes, ops = self.config, self.sizes, self.ops
        width = config.hidden if config.blocks else sizes.planes * sizes.cells
        judged = ops.relu(self._linear("value/hidden", x, width, config.hidden))
        ownership = None
        if config.ownership:
            num_out = sizes.targets * sizes.cells
            flat = ops.tanh(self._linear("ownership", x, width, num_out, "small"))
            shape = (-1, sizes.targets, sizes.rows, sizes.columns)
            ownership = ops.reshape(flat, shape)
        return Outputs(
            self._linear("policy", x, width, sizes.actions, "small"),
            self._value(judged),
            ownership,
            self._plies_left(judged) if config.plies_left else None,
            self._linear("reply", x, width, sizes.actions, "small")
            if config.reply
            else None,
        )

    def _spatial(self, name: str, x: T, pooled: T) -> T:
        """Return logits of actions that are cells, or a plane and a cell."""
        few = POLICY_CHANNELS
        y = self._conv(f"{name}/conv", x, self.config.channels, few, 1)
        y = self.ops.relu(self._add_to_cells(f"{name}/pool", y, pooled, few))
        num_planes = self.sizes.actions // self.sizes.cells
        y = self._conv(f"{name}/planes", y, few, num_planes, 1, "small")
        return self.ops.reshape(y, (-1, self.sizes.actions))

    def _dense(self, name: str, x: T, pooled: T) -> T:
        """Return logits of actions of any kind."""
        y = self._few_channels(f"{name}/conv", x, POLICY_CHANNELS)
        width = POLICY_CHANNELS * self.sizes.cells
        return self._linear(f"{name}/actions", y, width, self.sizes.actions, "small")

    def _judge(self, x: T, pooled: T) -> T:
        flat = self._few_channels("value/conv", x, VALUE_CHANNELS)
        width = VALUE_CHANNELS * self.sizes.cells + 2 * self.config.channels
        y = self.ops.concat([flat, pooled])
        return self.ops.relu(self._linear("value/hidden", y, width, self.config.hidden))

    def _value(self, judged: T) -> T:
        num_out = num_outputs(self.config)
        y = self._linear("value/out", judged, self.config.hidden, num_out, "small")
        return self.ops.tanh(y) if self.config.value == "scalar" else y

    def _plies_left(self, judged: T) -> T:
        y = self._linear("plies_left", judged, self.config.hidden, 1, "small")
        return self.ops.scale(self.ops.softplus(y), PLIES_UNIT)

    def _ownership(self, x: T) -> T:
        width, num_targets = self.config.channels, self.sizes.targets
        return self.ops.tanh(self._conv("ownership", x, width, num_targets, 1, "small"))

    # Layers with their parameters.

    def _conv(
        self, name: str, x: T, num_in: int, num_out: int, size: int, init: Init = "he"
    ) -> T:
        weight = self.p(f"{name}/weight", (num_out, num_in, size, size), init)
        return self.ops.conv(x, weight, self.p(f"{name}/bias", (num_out,), "zeros"))

    def _linear(
        self, name: str, x: T, num_in: int, num_out: int, init: Init = "he"
    ) -> T:
        weight = self.p(f"{name}/weight", (num_out, num_in), init)
        return self.ops.linear(x, weight, self.p(f"{name}/bias", (num_out,), "zeros"))

    def _norm(self, name: str, x: T) -> T:
        width = self.config.channels
        weight = self.p(f"{name}/weight", (width,), "ones")
        return self.ops.layer_norm(x, weight, self.p(f"{name}/bias", (width,), "zeros"))

    def _pooled(self, x: T) -> T:
        """Return mean and maximum of each channel [B, 2 * channels]."""
        return self.ops.concat([self.ops.mean_cells(x), self.ops.max_cells(x)])

    def _add_to_cells(self, name: str, x: T, pooled: T, num_out: int) -> T:
        num_in = 2 * self.config.channels
        bias = self._linear(name, pooled, num_in, num_out, "small")
        return self.ops.add(x, self.ops.reshape(bias, (-1, num_out, 1, 1)))

    def _few_channels(self, name: str, x: T, few: int) -> T:
        y = self.ops.relu(self._conv(name, x, self.config.channels, few, 1))
        return self.ops.reshape(y, (-1, few * self.sizes.cells))
