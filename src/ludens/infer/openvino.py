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


def build_model(net: Net) -> ov.Model:
    """Return the network for play: planes in, logits [B, A] and values [B] out."""
    config, sizes = net.card.config.for_play(), net.card.sizes
    ops = OpenvinoOps(net.tensors)
    shape = [-1, sizes.planes, sizes.rows, sizes.columns]
    planes = op.parameter(shape, np.float32, name="planes")
    outputs = forward(config, sizes, ops, ops.ask, planes)
    values = expected_value(config, ops, outputs.value)
    results = [op.result(outputs.policy), op.result(values)]
    return ov.Model(results, [planes], "ludens")


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
        self._mine = threading.local()

    def __call__(
        self, planes: Planes
    ) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """Return logits [M, A] and values [M], valid until this thread's next call."""
        request = getattr(self._mine, "request", None)
        if request is None:
            request = self._mine.request = self._compiled.create_infer_request()
        planes = np.ascontiguousarray(planes, np.float32)  # no copy as a rule
        request.set_input_tensor(ov.Tensor(planes, shared_memory=True))
        request.infer()
        return request.get_output_tensor(0).data, request.get_output_tensor(1).data


def _choose(core: ov.Core, precision: str) -> str:
    """Return the precision to use: bfloat16 where the CPU has it, else float32."""
    abilities = core.get_property("CPU", "OPTIMIZATION_CAPABILITIES")
    if precision == "auto":
        return "bf16" if "BF16" in abilities else "f32"
    if precision == "f16" and "FP16" not in abilities:
        raise UserError("this CPU has no f16; use precision f32 or bf16")
    return precision
