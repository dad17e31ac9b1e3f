"""The operations of a network in OpenVINO."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import openvino.opset13 as op
from numpy.typing import NDArray

from ludens.nets.operations import RESCALE_EPSILON, Init, Shape
from ludens.nets.shapes import Tensors

_EPSILON = 1e-5  # of layer norm, as in PyTorch
INT8_STEPS = 127  # on either side of 0


class OpenvinoOps:
    """The operations in OpenVINO.

    Convolutions with a range compute in int8: that is how far from 0 the numbers that
    they take in go, by the name of their weights.
    """

    def __init__(
        self,
        tensors: Tensors,
        ranges: Mapping[str, float] | None = None,
        is_signed: bool = True,
    ) -> None:
        self._tensors = tensors
        self._ranges = ranges or {}
        self._is_signed = is_signed

    def ask(self, name: str, shape: Shape, init: Init) -> Any:
        """Return a parameter."""
        found = self.constant(self._tensors[name])
        found.set_friendly_name(name)
        return found

    def constant(self, array: NDArray[Any]) -> Any:
        return op.constant(array)

    def conv(self, x: Any, weight: Any, bias: Any) -> Any:
        num_out, _, size, _ = weight.shape
        pads = [size // 2] * 2
        if most := self._ranges.get(weight.get_friendly_name()):
            x, weight = self._rounded(x, most), _rounded_weight(weight)
        y = op.convolution(x, weight, [1, 1], pads, pads, [1, 1])
        bias = self.reshape(bias, (1, num_out, 1, 1))
        return op.add(y, bias)

    def _rounded(self, x: Any, most: float) -> Any:
        """Return numbers as they are in eight bits, those beyond `most` as that."""
        steps = INT8_STEPS
        low = -most * (steps + 1) / steps if self._is_signed else 0.0
        ends = [op.constant(np.full((1, 1, 1, 1), x, np.float32)) for x in (low, most)]
        return op.fake_quantize(x, *ends, *ends, 2 * steps + 2)

    def linear(self, x: Any, weight: Any, bias: Any) -> Any:
        return op.add(op.matmul(x, weight, False, True), bias)

    def matmul(self, a: Any, b: Any) -> Any:
        return op.matmul(a, b, False, False)

    def add(self, a: Any, b: Any) -> Any:
        return op.add(a, b)

    def multiply(self, a: Any, b: Any) -> Any:
        return op.multiply(a, b)

    def scale(self, x: Any, factor: float) -> Any:
        return op.multiply(x, op.constant([factor], np.float32))

    def relu(self, x: Any) -> Any:
        return op.relu(x)

    def gelu(self, x: Any) -> Any:
        return op.gelu(x, "erf")

    def silu(self, x: Any) -> Any:
        return op.swish(x)

    def tanh(self, x: Any) -> Any:
        return op.tanh(x)

    def softplus(self, x: Any) -> Any:
        return op.softplus(x)

    def softmax(self, x: Any) -> Any:
        return op.softmax(x, -1)

    def layer_norm(self, x: Any, weight: Any, bias: Any) -> Any:
        axes = op.constant([-1], np.int64)
        x = op.mvn(x, axes, True, _EPSILON, "inside_sqrt")
        return op.add(op.multiply(x, weight), bias)

    def reshape(self, x: Any, shape: Shape) -> Any:
        return op.reshape(x, op.constant(list(shape), np.int64), False)

    def transpose(self, x: Any, order: Shape) -> Any:
        return op.transpose(x, op.constant(list(order), np.int64))

    def concat(self, parts: Sequence[Any]) -> Any:
        return op.concat(list(parts), -1)

    def columns(self, x: Any, start: int, stop: int) -> Any:
        ends = (op.constant([n], np.int64) for n in (start, stop, 1, -1))
        return op.slice(x, *ends)

    def rescale(self, x: Any, axes: Shape) -> Any:
        over = op.constant(list(axes), np.int64)
        low, high = op.reduce_min(x, over, True), op.reduce_max(x, over, True)
        reach = op.add(
            op.subtract(high, low), op.constant([RESCALE_EPSILON], np.float32)
        )
        return op.divide(op.subtract(x, low), reach)

    def to_unit_size(self, x: Any, axes: Shape) -> Any:
        over = op.constant(list(axes), np.int64)
        square = op.reduce_mean(op.multiply(x, x), over, True)
        epsilon = op.constant([RESCALE_EPSILON], np.float32)
        return op.divide(x, op.sqrt(op.add(square, epsilon)))

    def one_hot(self, choices: Any, num_choices: int) -> Any:
        """[B] of whole numbers: [B, num_choices]."""
        on, off = (op.constant(np.float32(x)) for x in (1, 0))
        return op.one_hot(choices, op.constant(np.int64(num_choices)), on, off, -1)

    def mean_cells(self, x: Any) -> Any:
        return op.reduce_mean(x, op.constant([2, 3], np.int64), False)

    def max_cells(self, x: Any) -> Any:
        return op.reduce_max(x, op.constant([2, 3], np.int64), False)


def _rounded_weight(weight: Any) -> Any:
    """Return weights [O, C, k, k] as they are in eight bits, on a scale for each O."""
    largest = np.abs(weight.get_data()).max((1, 2, 3), keepdims=True)
    high = np.maximum(largest, np.finfo(np.float32).tiny)
    ends = [op.constant(-high), op.constant(high)]
    return op.fake_quantize(weight, *ends, *ends, 2 * INT8_STEPS + 1)
