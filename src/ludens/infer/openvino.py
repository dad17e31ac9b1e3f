"""Networks on a CPU, by OpenVINO."""

import threading
from collections.abc import Sequence
from typing import Any

import numpy as np
import openvino as ov
import openvino.opset13 as op
from numpy.typing import NDArray

from ludens.errors import UserError
from ludens.game import Planes
from ludens.nets.network import expected_value, forward
from ludens.nets.ops import Init, Shape
from ludens.nets.shapes import Tensors
from ludens.nets.weights import Net

PATIENCE = 16
"""Batches after which their room shrinks to the largest of them."""
_EPSILON = 1e-5  # of layer norm, as in PyTorch


class OpenvinoOps:
    """The operations in OpenVINO."""

    def __init__(self, tensors: Tensors) -> None:
        self._tensors = tensors

    def ask(self, name: str, shape: Shape, init: Init) -> Any:
        """Return a parameter."""
        return self.constant(self._tensors[name])

    def constant(self, array: NDArray[Any]) -> Any:
        return op.constant(array)

    def conv(self, x: Any, weight: Any, bias: Any) -> Any:
        num_out, _, size, _ = weight.shape
        pads = [size // 2] * 2
        y = op.convolution(x, weight, [1, 1], pads, pads, [1, 1])
        bias = self.reshape(bias, (1, num_out, 1, 1))
        return op.add(y, bias)

    def linear(self, x: Any, weight: Any, bias: Any) -> Any:
        return op.add(op.matmul(x, weight, False, True), bias)

    def matmul(self, a: Any, b: Any) -> Any:
        return op.matmul(a, b, False, False)

    def add(self, a: Any, b: Any) -> Any:
        return op.add(a, b)

    def scale(self, x: Any, factor: float) -> Any:
        return op.multiply(x, op.constant([factor], np.float32))

    def relu(self, x: Any) -> Any:
        return op.relu(x)

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

    def mean_cells(self, x: Any) -> Any:
        return op.reduce_mean(x, op.constant([2, 3], np.int64), False)

    def max_cells(self, x: Any) -> Any:
        return op.reduce_max(x, op.constant([2, 3], np.int64), False)


def build_model(net: Net, with_shares: bool = False) -> ov.Model:
    """Return the network for play: planes in, logits [B, A] and values [B] out.

    With the shares [B, n] of its value's distribution, if they are wanted.
    """
    config, sizes = net.card.config.for_play(), net.card.sizes
    ops = OpenvinoOps(net.tensors)
    shape = [-1, sizes.planes, sizes.rows, sizes.columns]
    planes = op.parameter(shape, np.float32, name="planes")
    outputs = forward(config, sizes, ops, ops.ask, planes)
    values = expected_value(config, ops, outputs.value)
    results = [op.result(outputs.policy), op.result(values)]
    if with_shares:
        results.append(op.result(ops.softmax(outputs.value)))
    return ov.Model(results, [planes], "ludens")


def value_shares(net: Net, planes: Planes) -> NDArray[np.float32]:
    """Return how likely each value of the head is [B, n], for positions."""
    settings = {"INFERENCE_PRECISION_HINT": "f32"}
    compiled = ov.Core().compile_model(build_model(net, True), "CPU", settings)
    shares: NDArray[np.float32] = compiled([planes])[2]
    return shares


class OpenvinoEvaluator:
    """A network that some threads may ask at the same time."""

    device = "cpu"

    def __init__(self, net: Net, precision: str, threads: int) -> None:
        core = ov.Core()
        self.precision = _choose(core, precision)
        settings = {
            "INFERENCE_PRECISION_HINT": self.precision,
            "NUM_STREAMS": threads,
            "INFERENCE_NUM_THREADS": threads,
            "ENABLE_CPU_PINNING": False,  # pinned, two processes share one core
        }
        self._compiled = core.compile_model(build_model(net), "CPU", settings)
        sizes = net.card.sizes
        self._shape = (sizes.planes, sizes.rows, sizes.columns)
        self._mine = threading.local()

    def __call__(
        self, planes: Planes
    ) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """Return logits [M, A] and values [M], valid until this thread's next call."""
        seat = getattr(self._mine, "seat", None)
        if seat is None:
            seat = self._mine.seat = Seat(self._compiled, self._shape)
        return seat.ask(planes)


class Seat:
    """What one thread asks with: a request with room for a batch.

    Another size of batch than the last costs as much as 15 to 80 positions (measured
    with 4 x 48 and 2 x 16 channels), so the room follows the batches slowly; what is
    left over in it is evaluated for nothing. No answer depends on its neighbours.
    """

    def __init__(self, compiled: ov.CompiledModel, shape: tuple[int, ...]) -> None:
        self._request = compiled.create_infer_request()
        self._shape = shape
        self._room = np.zeros((0, *shape), np.float32)
        self._peak, self._num_asked = 0, 0

    def ask(self, planes: Planes) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """Return logits [M, A] and values [M], valid until the next call."""
        count = len(planes)
        self._fit(count)
        self._room[:count] = planes
        self._request.infer()
        logits, values = (self._request.get_output_tensor(i).data for i in (0, 1))
        return logits[:count], values[:count]

    def _fit(self, count: int) -> None:
        """Grow at once, shrink by half at once, by less when it would have lasted."""
        size = len(self._room)
        self._peak = max(self._peak, count)
        self._num_asked += 1
        if count > size or 2 * count < size:
            self._make_room(count)
        elif self._num_asked == PATIENCE:
            self._make_room(self._peak if 10 * self._peak < 9 * size else size)

    def _make_room(self, size: int) -> None:
        self._peak, self._num_asked = 0, 0
        if size != len(self._room):
            self._room = np.zeros((size, *self._shape), np.float32)
            self._request.set_input_tensor(ov.Tensor(self._room, shared_memory=True))


def _choose(core: ov.Core, precision: str) -> str:
    """Return the precision to use: bfloat16 where the CPU has it, else float32."""
    abilities = core.get_property("CPU", "OPTIMIZATION_CAPABILITIES")
    if precision == "auto":
        return "bf16" if "BF16" in abilities else "f32"
    if precision == "f16" and "FP16" not in abilities:
        raise UserError("this CPU has no f16; use precision f32 or bf16")
    return precision
