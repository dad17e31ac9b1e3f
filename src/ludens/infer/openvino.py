"""Networks on a CPU, by OpenVINO."""

from collections.abc import Mapping, Sequence
from math import prod
from queue import LifoQueue
from typing import Any

import numpy as np
import openvino as ov
import openvino.opset13 as op
from numpy.typing import NDArray

from ludens.errors import UserError
from ludens.game import Planes
from ludens.infer.imagined import legal_of, model_sizes, turns_of
from ludens.infer.openvino_ops import OpenvinoOps
from ludens.nets.config import resolve
from ludens.nets.layers import latent_shape
from ludens.nets.network import (
    dynamics,
    evaluate_root,
    expected_reward,
    expected_value,
    predict,
)
from ludens.nets.weights import Net
from ludens.search.model import Evaluation

PATIENCE = 16
"""Batches after which their room shrinks to the largest of them."""
Answers = dict[str, NDArray[Any]]


def make_ops(net: Net, is_int8: bool = False) -> OpenvinoOps:
    """Return the operations on the tensors of a net."""
    ranges = net.card.ranges if is_int8 else {}
    return OpenvinoOps(net.tensors, ranges, net.card.config.activation != "relu")


def build_model(
    net: Net, ops: OpenvinoOps | None = None, with_shares: bool = False
) -> ov.Model:
    """Return the network for play: planes in, logits [B, A] and values [B] out.

    Also the latents of a learned model, and the shares [B, n] of its value's
    distribution if they are wanted.
    """
    config, sizes = resolve(net.card.config, net.card.sizes), net.card.sizes
    ops = ops or make_ops(net)
    shape = [-1, sizes.planes, sizes.rows, sizes.columns]
    planes = op.parameter(shape, np.float32, name="planes")
    latent, outputs = evaluate_root(config, sizes, ops, ops.ask, planes)
    results = {
        "logits": outputs.policy,
        "values": expected_value(config, ops, outputs.value),
        "latents": latent if config.is_learned else None,
        "shares": ops.softmax(outputs.value) if with_shares else None,
    }
    return _model(results, [planes])


def build_step(net: Net) -> ov.Model:
    """Return a step of a learned model: latents and choices [B] in, its outputs out."""
    config, sizes = resolve(net.card.config.for_play(), net.card.sizes), net.card.sizes
    ops = make_ops(net)
    shape = [-1, *latent_shape(config, sizes)]
    latents = op.parameter(shape, np.float32, name="latents")
    choices = op.parameter([-1], np.int32, name="choices")
    one_hot = ops.one_hot(choices, sizes.choices)
    latent, reward = dynamics(config, sizes, ops, ops.ask, latents, one_hot)
    outputs = predict(config, sizes, ops, ops.ask, latent)
    results = {
        "logits": outputs.policy,
        "values": expected_value(config, ops, outputs.value),
        "latents": latent,
        "rewards": None if reward is None else expected_reward(config, ops, reward),
        "turns": None if outputs.turn is None else ops.softmax(outputs.turn),
        "chances": None if outputs.chance is None else ops.softmax(outputs.chance),
        "legal": outputs.legal,
    }
    return _model(results, [latents, choices])


def _model(outputs: Mapping[str, Any], inputs: list[Any]) -> ov.Model:
    """Return a model whose results have the names of its outputs."""
    results = []
    for name, output in outputs.items():
        if output is not None:
            results.append(op.result(output, name=name))
            results[-1].output(0).get_tensor().set_names({name})
    return ov.Model(results, inputs, "ludens")


def value_shares(net: Net, planes: Planes) -> NDArray[np.float32]:
    """Return how likely each value of the head is [B, n], for positions."""
    settings = {"INFERENCE_PRECISION_HINT": "f32", "INFERENCE_NUM_THREADS": 1}
    model = build_model(net, with_shares=True)
    compiled = ov.Core().compile_model(model, "CPU", settings)
    shares: NDArray[np.float32] = compiled([planes])["shares"]
    return shares


class OpenvinoEvaluator:
    """A network that some threads may ask at the same time; more have to wait."""

    device = "cpu"

    def __init__(self, net: Net, precision: str, threads: int) -> None:
        self._core = ov.Core()
        self.precision = _choose(self._core, precision, net)
        is_int8 = self.precision == "int8"
        rest = _choose(self._core, "auto", net) if is_int8 else self.precision
        model = build_model(net, make_ops(net, is_int8))
        self._root = Seats(self._core, model, rest, threads)

    def __call__(self, planes: Planes) -> Evaluation:
        """Evaluate positions [M, P, rows, columns]."""
        said = self._root.ask(planes)
        return Evaluation(said["logits"], said["values"])


class OpenvinoModel(OpenvinoEvaluator):
    """A learned model, which threads may ask in the same way."""

    def __init__(self, net: Net, precision: str, threads: int) -> None:
        super().__init__(net, precision, threads)
        self._sizes = net.card.sizes
        self._shape = latent_shape(net.card.config, net.card.sizes)
        self.latent_size = prod(self._shape)
        self.num_choices = self._sizes.choices
        self.model_sizes = model_sizes(net.card)
        self._step = Seats(self._core, build_step(net), self.precision, threads)

    def __call__(self, planes: Planes) -> Evaluation:
        """Evaluate positions [M, P, rows, columns]; `latents` [M, D] are for `step`."""
        said = self._root.ask(planes)
        latents = said["latents"].reshape(-1, self.latent_size)
        return Evaluation(said["logits"], said["values"], latents=latents)

    def step(
        self, latents: NDArray[np.float32], choices: NDArray[np.integer[Any]]
    ) -> Evaluation:
        """Evaluate what choices [M] lead to from latents [M, D]."""
        said = self._step.ask(latents.reshape(-1, *self._shape), choices)
        turns, legal = said.get("turns"), said.get("legal")
        return Evaluation(
            said["logits"],
            said["values"],
            said.get("rewards"),
            said["latents"].reshape(-1, self.latent_size),
            None if turns is None else turns_of(turns, self._sizes),
            said.get("chances"),
            None if legal is None else legal_of(legal),
        )


class Seats:
    """A model compiled for each thread that asks at the same time as others."""

    def __init__(
        self, core: ov.Core, model: ov.Model, precision: str, threads: int
    ) -> None:
        self._core, self._model, self._precision = core, model, precision
        self._free: LifoQueue[Seat | None] = LifoQueue()
        for _ in range(threads - 1):
            self._free.put(None)  # made when there is a thread that wants it
        self._free.put(self._new())

    def ask(self, *inputs: NDArray[Any]) -> Answers:
        """Return the model's outputs for inputs [M, ...], by name."""
        seat = self._free.get()
        try:
            seat = seat or self._new()
            return seat.ask(*inputs)
        finally:
            self._free.put(seat)

    def _new(self) -> "Seat":
        settings = {
            "INFERENCE_PRECISION_HINT": self._precision,
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
        self._names = [output.any_name for output in compiled.outputs]
        self._types = [place.element_type.to_dtype() for place in compiled.inputs]
        self._rooms: list[NDArray[Any]] = []
        self._size, self._peak, self._num_asked = 0, 0, 0

    def ask(self, *inputs: NDArray[Any]) -> Answers:
        """Return the outputs [M, ...] for inputs [M, ...], by name."""
        count = len(inputs[0])
        self._fit(count, inputs)
        if count < self._size:
            for room, given in zip(self._rooms, inputs, strict=True):
                room[:count] = given
            inputs = tuple(self._rooms)
        # Their memory is shared: they have to last until the answer is there.
        laid = [
            np.ascontiguousarray(x, t) for x, t in zip(inputs, self._types, strict=True)
        ]
        for i, array in enumerate(laid):
            self._request.set_input_tensor(i, ov.Tensor(array, shared_memory=True))
        self._request.infer()
        return {
            name: self._request.get_output_tensor(i).data[:count].copy()
            for i, name in enumerate(self._names)
        }

    def _fit(self, count: int, inputs: Sequence[NDArray[Any]]) -> None:
        """Grow at once, shrink by half at once, by less when it would have lasted."""
        size = self._size
        self._peak = max(self._peak, count)
        self._num_asked += 1
        if count > size or 2 * count < size:
            self._make_room(count, inputs)
        elif self._num_asked == PATIENCE:
            self._make_room(self._peak if 10 * self._peak < 9 * size else size, inputs)

    def _make_room(self, size: int, inputs: Sequence[NDArray[Any]]) -> None:
        self._peak, self._num_asked = 0, 0
        if size != self._size:
            self._size = size
            self._rooms = [
                np.zeros((size, *given.shape[1:]), dtype)
                for given, dtype in zip(inputs, self._types, strict=True)
            ]


def _choose(core: ov.Core, precision: str, net: Net) -> str:
    """Return the precision to use: bfloat16 where the CPU has it, else float32.

    That is also for nets whose numbers nobody has looked at, such as untrained ones.
    """
    abilities = core.get_property("CPU", "OPTIMIZATION_CAPABILITIES")
    if precision == "auto" or (precision == "int8" and not net.card.ranges):
        return "bf16" if "BF16" in abilities else "f32"
    if precision == "f16" and "FP16" not in abilities:
        raise UserError("this CPU has no f16; use precision f32 or bf16")
    return precision
