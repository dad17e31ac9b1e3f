"""Networks on a CPU, by OpenVINO."""

from collections.abc import Sequence
from queue import LifoQueue
from typing import Any

import numpy as np
import openvino as ov
import openvino.opset13 as op
from numpy.typing import NDArray

from ludens.errors import UserError
from ludens.game import Planes
from ludens.nets.network import Init, Shape, expected_value, forward
from ludens.nets.shapes import Tensors
from ludens.nets.weights import Net
from ludens.search.model import Evaluation

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
    settings = {"INFERENCE_PRECISION_HINT": "f32", "INFERENCE_NUM_THREADS": 1}
    compiled = ov.Core().compile_model(build_model(net, True), "CPU", settings)
    shares: NDArray[np.float32] = compiled([planes])[2]
    return shares


class OpenvinoEvaluator:
    """A network that some threads may ask at the same time; more have to wait."""

    device = "cpu"

    def __init__(self, net: Net, precision: str, threads: int) -> None:
        self._core = ov.Core()
        self.precision = _choose(self._core, precision)
        self._model = build_model(net)
        self._seats: LifoQueue[Seat | None] = LifoQueue()
        for _ in range(threads - 1):
            self._seats.put(None)  # made when there is a thread that wants it
        self._seats.put(self._new_seat())

    def __call__(self, planes: Planes) -> Evaluation:
        """Evaluate positions [M, P, rows, columns]."""
        seat = self._seats.get()
        try:
            seat = seat or self._new_seat()
            return seat.ask(planes)
        finally:
            self._seats.put(seat)

    def _new_seat(self) -> "Seat":
        settings = {
            "INFERENCE_PRECISION_HINT": self.precision,
            "NUM_STREAMS": 1,
            "INFERENCE_NUM_THREADS": 1,
            "ENABLE_CPU_PINNING": False,  # pinned, two processes share one core
        }
        return Seat(self._core.compile_model(self._model, "CPU", settings))


class Seat:
    """What one thread at a time asks with: a network compiled for it, room for a batch.

    Compiled for one thread, it runs in the one that asks. With several streams it ran
    in theirs, and cores were idle for 6 % of self-play while one woke up another.

    Another size of batch than the last costs as much as 15 to 80 positions (measured
    with 4 x 48 and 2 x 16 channels), so the room follows the batches slowly; what is
    left over in it is evaluated for nothing. No answer depends on its neighbours.
    """

    def __init__(self, compiled: ov.CompiledModel) -> None:
        self._request = compiled.create_infer_request()
        self._room = np.zeros((0, 0, 0, 0), np.float32)
        self._peak, self._num_asked = 0, 0

    def ask(self, planes: Planes) -> Evaluation:
        """Evaluate positions [M, P, rows, columns]."""
        count = len(planes)
        self._fit(count, planes.shape[1:])
        if count < len(self._room):
            self._room[:count] = planes
            planes = self._room
        planes = np.ascontiguousarray(planes, np.float32)
        self._request.set_input_tensor(ov.Tensor(planes, shared_memory=True))
        self._request.infer()
        logits, values = (self._request.get_output_tensor(i).data for i in (0, 1))
        return Evaluation(logits[:count].copy(), values[:count].copy())

    def _fit(self, count: int, shape: tuple[int, ...]) -> None:
        """Grow at once, shrink by half at once, by less when it would have lasted."""
        size = len(self._room)
        self._peak = max(self._peak, count)
        self._num_asked += 1
        if count > size or 2 * count < size:
            self._make_room(count, shape)
        elif self._num_asked == PATIENCE:
            self._make_room(self._peak if 10 * self._peak < 9 * size else size, shape)

    def _make_room(self, size: int, shape: tuple[int, ...]) -> None:
        self._peak, self._num_asked = 0, 0
        if size != len(self._room):
            self._room = np.zeros((size, *shape), np.float32)


def _choose(core: ov.Core, precision: str) -> str:
    """Return the precision to use: bfloat16 where the CPU has it, else float32."""
    abilities = core.get_property("CPU", "OPTIMIZATION_CAPABILITIES")
    if precision == "auto":
        return "bf16" if "BF16" in abilities else "f32"
    if precision == "f16" and "FP16" not in abilities:
        raise UserError("this CPU has no f16; use precision f32 or bf16")
    return precision
