"""The network as an ONNX file, for other programs."""

import json
from collections.abc import Sequence
from typing import Any

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper

from ludens.nets.config import resolve
from ludens.nets.heads import TURNS
from ludens.nets.layers import latent_shape
from ludens.nets.network import (
    dynamics,
    evaluate_root,
    expected_reward,
    expected_value,
    predict,
)
from ludens.nets.operations import RESCALE_EPSILON, Init, Shape
from ludens.nets.shapes import Tensors
from ludens.nets.weights import Net, card_facts

OPSET = 17  # the first with layer norm; axes are still attributes
IR_VERSION = 8
Found = dict[str, tuple[str | None, Shape]]
"""Outputs by name: the tensor, if there is one, and its shape without the batch."""


class OnnxOps:
    """The operations as nodes of an ONNX graph; a tensor is its name."""

    def __init__(self, tensors: Tensors) -> None:
        self._tensors = tensors
        self.nodes: list[onnx.NodeProto] = []
        self.initializers: list[onnx.TensorProto] = []

    def ask(self, name: str, shape: Shape, init: Init) -> str:
        """Return a parameter."""
        tensor = numpy_helper.from_array(self._tensors[name], name)
        self.initializers.append(tensor)
        return name

    def constant(self, array: NDArray[Any]) -> str:
        name = f"constant{len(self.initializers)}"
        self.initializers.append(numpy_helper.from_array(array, name))
        return name

    def conv(self, x: str, weight: str, bias: str) -> str:
        pad = self._tensors[weight].shape[2] // 2
        return self._node("Conv", x, weight, bias, pads=[pad] * 4)

    def linear(self, x: str, weight: str, bias: str) -> str:
        turned = self._node("Transpose", weight, perm=[1, 0])
        return self.add(self.matmul(x, turned), bias)

    def matmul(self, a: str, b: str) -> str:
        return self._node("MatMul", a, b)

    def add(self, a: str, b: str) -> str:
        return self._node("Add", a, b)

    def multiply(self, a: str, b: str) -> str:
        return self._node("Mul", a, b)

    def scale(self, x: str, factor: float) -> str:
        return self._node("Mul", x, self.constant(np.array(factor, np.float32)))

    def relu(self, x: str) -> str:
        return self._node("Relu", x)

    def gelu(self, x: str) -> str:  # a node of its own has come with opset 20
        below = self._node("Erf", self.scale(x, 0.5**0.5))
        one = self.constant(np.array(1, np.float32))
        return self.scale(self._node("Mul", x, self.add(below, one)), 0.5)

    def silu(self, x: str) -> str:
        return self._node("Mul", x, self._node("Sigmoid", x))

    def tanh(self, x: str) -> str:
        return self._node("Tanh", x)

    def softplus(self, x: str) -> str:
        return self._node("Softplus", x)

    def softmax(self, x: str) -> str:
        return self._node("Softmax", x, axis=-1)

    def layer_norm(self, x: str, weight: str, bias: str) -> str:
        return self._node("LayerNormalization", x, weight, bias, axis=-1)

    def reshape(self, x: str, shape: Shape) -> str:
        return self._node("Reshape", x, self.constant(np.array(shape, np.int64)))

    def transpose(self, x: str, order: Shape) -> str:
        return self._node("Transpose", x, perm=list(order))

    def concat(self, parts: Sequence[str]) -> str:
        return self._node("Concat", *parts, axis=-1)

    def columns(self, x: str, start: int, stop: int) -> str:
        ends = (self.constant(np.array([n], np.int64)) for n in (start, stop, -1))
        return self._node("Slice", x, *ends)

    def rescale(self, x: str, axes: Shape) -> str:
        low, high = (
            self._node(kind, x, axes=list(axes), keepdims=1)
            for kind in ("ReduceMin", "ReduceMax")
        )
        epsilon = self.constant(np.array(RESCALE_EPSILON, np.float32))
        reach = self.add(self._node("Sub", high, low), epsilon)
        return self._node("Div", self._node("Sub", x, low), reach)

    def to_unit_size(self, x: str, axes: Shape) -> str:
        square = self._node("Mul", x, x)
        square = self._node("ReduceMean", square, axes=list(axes), keepdims=1)
        epsilon = self.constant(np.array(RESCALE_EPSILON, np.float32))
        return self._node("Div", x, self._node("Sqrt", self.add(square, epsilon)))

    def mean_cells(self, x: str) -> str:
        return self._node("ReduceMean", x, axes=[2, 3], keepdims=0)

    def max_cells(self, x: str) -> str:
        return self._node("ReduceMax", x, axes=[2, 3], keepdims=0)

    def one_hot(self, choices: str, num_choices: int) -> str:
        """[B] of whole numbers: [B, num_choices]."""
        depth = self.constant(np.array([num_choices], np.int64))
        values = self.constant(np.array([0, 1], np.float32))
        return self._node("OneHot", choices, depth, values)

    def name_output(self, x: str, name: str) -> None:
        """Give a tensor the name of an output of the graph."""
        self.nodes.append(helper.make_node("Identity", [x], [name], name=name))

    def _node(self, kind: str, *inputs: str, **attributes: Any) -> str:
        name = f"{kind}{len(self.nodes)}"
        self.nodes.append(helper.make_node(kind, inputs, [name], name, **attributes))
        return name


def to_onnx(net: Net) -> bytes:
    """Return an ONNX file: planes in, policy [B, A] (logits) and value [B] out.

    That of a learned model also gives the latent, which `to_onnx_step` leads on.
    """
    config, sizes = resolve(net.card.config, net.card.sizes), net.card.sizes
    ops = OnnxOps(net.tensors)
    latent, outputs = evaluate_root(config, sizes, ops, ops.ask, "planes")
    found: Found = {
        "policy": (outputs.policy, (sizes.actions,)),
        "value": (expected_value(config, ops, outputs.value), ()),
    }
    if config.is_learned:
        found["latent"] = (latent, latent_shape(config, sizes))
    planes = _place("planes", (sizes.planes, sizes.rows, sizes.columns))
    return _to_bytes(net, ops, [planes], found)


def to_onnx_step(net: Net) -> bytes:
    """Return an ONNX file of a step: latent and choices [B] in; next_latent, policy and
    value out, and reward, turn, chance and legal where there are such heads.

    Choices are actions, then outcomes of chance. Policy, turn, chance and legal are
    logits.
    """
    config, sizes = resolve(net.card.config.for_play(), net.card.sizes), net.card.sizes
    ops, shape = OnnxOps(net.tensors), latent_shape(config, sizes)
    one_hot = ops.one_hot("choices", sizes.choices)
    latent, reward = dynamics(config, sizes, ops, ops.ask, "latent", one_hot)
    outputs = predict(config, sizes, ops, ops.ask, latent)
    found: Found = {
        "next_latent": (latent, shape),
        "policy": (outputs.policy, (sizes.actions,)),
        "value": (expected_value(config, ops, outputs.value), ()),
        "reward": (reward and expected_reward(config, ops, reward), ()),
        "turn": (outputs.turn, (len(TURNS),)),
        "chance": (outputs.chance, (sizes.outcomes,)),
        "legal": (outputs.legal, (sizes.actions,)),
    }
    choices = _place("choices", (), TensorProto.INT64)
    return _to_bytes(net, ops, [_place("latent", shape), choices], found)


def _place(
    name: str, shape: Shape, kind: int = TensorProto.FLOAT
) -> onnx.ValueInfoProto:
    """Return an input or output for a batch."""
    return helper.make_tensor_value_info(name, kind, ["batch", *shape])


def _to_bytes(
    net: Net, ops: OnnxOps, inputs: list[onnx.ValueInfoProto], found: Found
) -> bytes:
    """Return the file of a graph whose outputs get their names."""
    outputs = []
    for name, (output, shape) in found.items():
        if output is not None:
            ops.name_output(output, name)
            outputs.append(_place(name, shape))
    graph = helper.make_graph(ops.nodes, "ludens", inputs, outputs, ops.initializers)
    opset = helper.make_opsetid("", OPSET)
    model = helper.make_model(graph, opset_imports=[opset], ir_version=IR_VERSION)
    helper.set_model_props(model, {"card": json.dumps(card_facts(net.card))})
    content: bytes = model.SerializeToString()
    return content
