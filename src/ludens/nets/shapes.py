"""The architecture run over shapes alone: parameters, initial values and cost."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ludens.errors import UserError
from ludens.nets.config import NetConfig, Sizes
from ludens.nets.encoder import num_encoded
from ludens.nets.layers import latent_shape
from ludens.nets.network import (
    dynamics,
    encode,
    evaluate_root,
    forecast,
    forward,
    predict,
    project,
)
from ludens.nets.operations import Init, Shape
from ludens.rng import numpy_rng

Tensors = dict[str, NDArray[np.float32]]
MAX_PARAMETERS = 500_000_000
"""2 GB, and four times as much to learn."""


@dataclass(frozen=True)
class Parameter:
    """A parameter of a network: its name, shape and initialisation."""

    shape: Shape
    init: Init


@dataclass
class ShapeOps:
    """Compute shapes for a batch of one; count parameters and multiply-adds."""

    parameters: dict[str, Parameter] = field(default_factory=dict)
    multiply_adds: int = 0

    def ask(self, name: str, shape: Shape, init: Init) -> Shape:
        """Record a parameter."""
        assert name not in self.parameters
        self.parameters[name] = Parameter(shape, init)
        return shape

    def constant(self, array: NDArray[Any]) -> Shape:
        return array.shape

    def conv(self, x: Shape, weight: Shape, bias: Shape) -> Shape:
        assert x[1] == weight[1]
        self.multiply_adds += prod(weight) * x[2] * x[3]
        return (x[0], weight[0], *x[2:])

    def linear(self, x: Shape, weight: Shape, bias: Shape) -> Shape:
        assert x[-1] == weight[1]
        self.multiply_adds += prod(x) * weight[0]
        return (*x[:-1], weight[0])

    def matmul(self, a: Shape, b: Shape) -> Shape:
        assert a[-1] == b[-2]
        self.multiply_adds += prod(a) * b[-1]
        return (*a[:-1], b[-1])

    def add(self, a: Shape, b: Shape) -> Shape:
        return tuple(np.broadcast_shapes(a, b))

    def multiply(self, a: Shape, b: Shape) -> Shape:
        return tuple(np.broadcast_shapes(a, b))

    def scale(self, x: Shape, factor: float) -> Shape:
        return x

    def relu(self, x: Shape) -> Shape:
        return x

    gelu = silu = tanh = softplus = softmax = relu

    def layer_norm(self, x: Shape, weight: Shape, bias: Shape) -> Shape:
        return x

    def reshape(self, x: Shape, shape: Shape) -> Shape:
        shape = (prod(x) // prod(shape[1:]), *shape[1:])
        assert prod(shape) == prod(x)
        return shape

    def transpose(self, x: Shape, order: Shape) -> Shape:
        return tuple(x[i] for i in order)

    def concat(self, parts: Sequence[Shape]) -> Shape:
        return (*parts[0][:-1], sum(part[-1] for part in parts))

    def columns(self, x: Shape, start: int, stop: int) -> Shape:
        return (*x[:-1], stop - start)

    def rescale(self, x: Shape, axes: Shape) -> Shape:
        assert len(axes) == len(x) - 1
        return x

    to_unit_size = rescale

    def mean_cells(self, x: Shape) -> Shape:
        return x[:2]

    max_cells = mean_cells


def trace(config: NetConfig, sizes: Sizes) -> ShapeOps:
    """Run shapes through a network, each part of it once; return what was counted."""
    ops = ShapeOps()
    forward(config, sizes, ops, ops.ask, _planes(sizes))
    if config.is_learned:
        latent = _step(config, sizes, ops)
        if config.consistency:
            projected = project(config, sizes, ops, ops.ask, latent)
            forecast(config, sizes, ops, ops.ask, projected)
        if config.codes:
            seen = (1, num_encoded(sizes), sizes.rows, sizes.columns)
            encode(config, sizes, ops, ops.ask, seen)
    return ops


def root_cost(config: NetConfig, sizes: Sizes) -> int:
    """Return the multiply-adds of evaluating a position for play."""
    ops = ShapeOps()
    evaluate_root(config, sizes, ops, ops.ask, _planes(sizes))
    return ops.multiply_adds


def step_cost(config: NetConfig, sizes: Sizes) -> int:
    """Return the multiply-adds of a step of a learned model, evaluated for play."""
    ops, config = ShapeOps(), config.for_play()
    predict(config, sizes, ops, ops.ask, _step(config, sizes, ops))
    return ops.multiply_adds


def _planes(sizes: Sizes) -> Shape:
    return (1, sizes.planes, sizes.rows, sizes.columns)


def _step(config: NetConfig, sizes: Sizes, ops: ShapeOps) -> Shape:
    latent, choices = (1, *latent_shape(config, sizes)), (1, sizes.choices)
    return dynamics(config, sizes, ops, ops.ask, latent, choices)[0]


def initial_tensors(config: NetConfig, sizes: Sizes, seed: int) -> Tensors:
    """Return the initial parameters of a network; the seed decides them all."""
    rng = numpy_rng(seed, "weights")
    wanted = trace(config, sizes).parameters
    number = sum(prod(parameter.shape) for parameter in wanted.values())
    if number > MAX_PARAMETERS:
        raise UserError(
            f"a net of {number:,} parameters is too large;"
            f" one has at most {MAX_PARAMETERS:,}"
        )
    return {name: _start(parameter, rng) for name, parameter in wanted.items()}


def _start(parameter: Parameter, rng: np.random.Generator) -> NDArray[np.float32]:
    shape, init = parameter.shape, parameter.init
    if init == "exchange":
        return _exchange(shape)
    if init in ("zeros", "ones"):
        return np.full(shape, init == "ones", np.float32)
    fan_in = prod(shape[1:])
    deviation = {
        "he": (2 / fan_in) ** 0.5,
        "lecun": (1 / fan_in) ** 0.5,
        "small": 0.1 * (1 / fan_in) ** 0.5,
        "unit": 1.0,
        "position": 0.02,
    }[init]
    return np.float32(deviation) * rng.standard_normal(shape, np.float32)


def _exchange(shape: Shape) -> NDArray[np.float32]:
    """Return a convolution that, added to its input, lets halves change places."""
    same = np.eye(shape[0], dtype=np.float32)
    weight = np.zeros(shape, np.float32)
    weight[:, :, shape[2] // 2, shape[3] // 2] = np.roll(same, shape[0] // 2, 0) - same
    return weight


def describe(config: NetConfig, sizes: Sizes) -> str:
    """Say how large a network is and what an evaluation for play costs."""
    wanted = trace(config, sizes).parameters.values()
    num_parameters = sum(prod(parameter.shape) for parameter in wanted)
    cost = f"{_millions(root_cost(config, sizes))} M multiply-adds"
    if config.is_learned:
        cost += f", {_millions(step_cost(config, sizes))} M for a step"
    return f"{num_parameters:,} parameters, {cost}"


def _millions(count: int) -> str:
    return f"{count / 1e6:,.0f}" if count >= 1e7 else f"{count / 1e6:.2g}"
