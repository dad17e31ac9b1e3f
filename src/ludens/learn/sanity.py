"""Whether a net may be published at all, and what a learner knows be kept."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from ludens.game import Planes
from ludens.nets.torch_ops import TorchNet
from ludens.nets.weights import Net

MAX_LOGIT = 1e4  # nets that play well stay below 100
SAME = 1e-6
MOST = {"weights": 1e6, "ema": 1e6, "exp_avg": 1e12, "exp_avg_sq": 1e24}
"""Weights of nets that play well stay below 100, gradients below 1."""


def why_spoiled(tensors: Mapping[str, NDArray[Any]]) -> str:
    """Say which array of a learner is not finite or absurd; "" if none is."""
    for name, array in tensors.items():
        kind, _, part = name.partition("/")
        if not np.isfinite(array).all():
            return f"{kind} of {part or 'the learner'} is not finite"
        if np.abs(array).max(initial=0) > MOST.get(kind, np.inf):
            return f"{kind} of {part} has numbers beyond {MOST[kind]:g}"
        if kind == "exp_avg_sq" and array.min(initial=0) < 0:
            return f"{kind} of {part} has squares below 0"
    return ""


def why_absurd(net: Net, planes: Planes) -> str:
    """Say what is absurd in what a net says of varied positions; "" if nothing is."""
    if not all(np.isfinite(tensor).all() for tensor in net.tensors.values()):
        return "it has weights that are not finite"
    torch_net = TorchNet(net.card.config, net.card.sizes)
    torch_net.load(net.tensors)
    with torch.inference_mode():
        outputs = torch_net(torch.from_numpy(planes))
        values = torch_net.expected_value(outputs.value).numpy()
    limits = np.array([-1.0, 1.0])
    if torch_net.config.value == "categorical":
        limits = np.array([torch_net.config.value_low, torch_net.config.value_high])
    return why_absurd_outputs(outputs.policy.numpy(), values, limits)


def why_absurd_outputs(
    logits: NDArray[np.float32],
    values: NDArray[np.float32],
    limits: NDArray[np.float64],
) -> str:
    """Say what is absurd in logits [B, A] and values [B] between two limits."""
    if not np.isfinite(logits).all() or not np.isfinite(values).all():
        return "it says numbers that are not finite"
    if np.abs(logits).max() > MAX_LOGIT:
        return f"it says logits beyond {MAX_LOGIT:g}"
    for limit in limits:
        if (np.abs(values - limit) <= SAME * max(1.0, abs(limit))).all():
            return f"it says {limit:g} of every position"
    return ""
