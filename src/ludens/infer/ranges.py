"""How large the numbers are that a network's convolutions take in."""

from dataclasses import replace
from typing import Any

import numpy as np
import openvino as ov
import openvino.opset13 as op

from ludens.game import Planes
from ludens.infer.openvino import Seat, build_model
from ludens.infer.openvino_ops import OpenvinoOps
from ludens.nets.shapes import Tensors
from ludens.nets.weights import Net

STEM = "stem/weight"  # takes in planes, which may be of any size, and costs little


def with_ranges(net: Net, planes: Planes) -> Net:
    """Return a net that knows how large its numbers become in positions.

    Not one with a learned model: its latents reach 30 where most numbers are below 1,
    and in eight bits a value was 0.06 off after one step (bfloat16: 0.002).
    """
    if net.card.config.is_learned:
        return net
    ops = Watched(net.tensors)
    model = build_model(net, ops)
    if not ops.largest:
        return net
    said = ops.compile(model).ask(planes)
    found = {name: float(f"{said[name].max():.3g}") for name in ops.largest}
    ranges = {name: most for name, most in found.items() if most > 0}
    return replace(net, card=replace(net.card, ranges=ranges))


class Watched(OpenvinoOps):
    """Operations that also tell the largest number that each convolution takes in."""

    def __init__(self, tensors: Tensors) -> None:
        super().__init__(tensors)
        self.largest: dict[str, Any] = {}
        """Those of each position [B], by the name of the weights."""

    def conv(self, x: Any, weight: Any, bias: Any) -> Any:
        name = weight.get_friendly_name()
        if weight.shape[2] > 1 and name != STEM:
            cells = op.constant([1, 2, 3], np.int64)
            self.largest[name] = op.reduce_max(op.abs(x), cells, False)
        return super().conv(x, weight, bias)

    def compile(self, model: ov.Model) -> Seat:
        """Return a model that was built with these operations, to be asked."""
        results = [op.result(largest) for largest in self.largest.values()]
        for name, result in zip(self.largest, results, strict=True):
            result.output(0).get_tensor().set_names({name})
        model.add_results(results)
        settings = {"INFERENCE_PRECISION_HINT": "f32", "INFERENCE_NUM_THREADS": 1}
        return Seat(ov.Core().compile_model(model, "CPU", settings))
