"""How far a net is from what it should say, and whether it is fit to be kept."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import torch
import torch.nn.functional as F  # noqa: N812
from numpy.typing import NDArray
from torch import Tensor

from ludens.errors import UserError
from ludens.game import Planes
from ludens.learn.batches import ModelBatch, TensorBatch
from ludens.learn.config import LearnConfig
from ludens.learn.imagine import Said
from ludens.nets.config import NetConfig
from ludens.nets.heads import Outputs
from ludens.nets.torch_ops import TorchNet
from ludens.nets.weights import Net

MAX_SKIPPED = 3
"""Steps in a row that may give nothing finite."""
MAX_OVERFLOWS = 10
"""The same, where f16 gradients are still looking for their scale."""
MAX_LOGIT = 1e4  # nets that play well stay below 100
SAME = 1e-6
LEAST_VARIANCE = 1e-3  # of a plane; a single mark in a batch has less
MOST = {
    "weights": 1e6,
    "ema": 1e6,
    "exp_avg": 1e12,
    "momentum_buffer": 1e12,
    "exp_avg_sq": 1e24,
}
"""Weights of nets that play well stay below 100, gradients below 1."""


def sample_losses(
    config: NetConfig, outputs: Outputs[Tensor], batch: TensorBatch
) -> dict[str, tuple[Tensor, Tensor]]:
    """Return the loss of each sample [B] and its weight [B], by what is learned."""
    size = len(batch.planes)  # the last two heads learn of the samples themselves
    policy = cross_entropy(outputs.policy, batch.policies)
    value = value_loss(config, outputs.value, batch.value_targets)
    parts = {
        "policy": (policy, batch.policy_weights),
        "value": (value, batch.value_weights),
    }
    if outputs.ownership is not None:
        squares = (outputs.ownership.float() - batch.ownership) ** 2
        parts["ownership"] = (squares.mean((1, 2, 3)), batch.ownership_weights)
    if outputs.plies_left is not None:
        # In logarithms: one ply more or less matters at the end, not at the start.
        said = torch.log1p(outputs.plies_left[:size].float()[:, 0])
        loss = F.huber_loss(said, torch.log1p(batch.plies_left), reduction="none")
        parts["plies_left"] = (loss, batch.ownership_weights[:size])
    if outputs.reply is not None:
        loss = cross_entropy(outputs.reply[:size], batch.replies)
        parts["reply"] = (loss, batch.reply_weights)
    return parts


def entropy(logits: Tensor) -> Tensor:
    """Return the entropy [B] of the distributions that logits [B, N] say."""
    logs = F.log_softmax(logits.float(), -1)
    return -(logs.exp() * logs).sum(-1)


def cross_entropy(logits: Tensor, shares: Tensor) -> Tensor:
    """Return the cross-entropy [B] of logits with a distribution [B, N]."""
    return -(shares * F.log_softmax(logits.float(), -1)).sum(-1)


def value_loss(config: NetConfig, said: Tensor, targets: Tensor) -> Tensor:
    """Return the loss of each value [B]."""
    if config.value == "scalar":
        return (said.float() - targets)[:, 0] ** 2
    return cross_entropy(said, targets)


def model_losses(said: Said, batch: ModelBatch) -> dict[str, tuple[Tensor, Tensor]]:
    """Return the loss of each step [S * B] and its weight, by what is learned."""
    outputs, size = said.outputs, batch.choices.shape[1]
    parts = {}
    if said.rewards is not None:
        loss = cross_entropy(said.rewards, batch.rewards[size:])
        parts["reward"] = (F.pad(loss, (size, 0)), batch.reward_weights)
    if outputs.turn is not None:
        parts["turn"] = (_class_loss(outputs.turn, batch.turns), batch.turn_weights)
    if outputs.chance is not None:
        outcomes = said.codes.chances if said.codes else batch.chances
        loss = _class_loss(outputs.chance, outcomes)
        parts["chance"] = (loss, batch.chance_weights)
    if said.codes is not None:
        parts["commitment"] = (said.codes.distances, batch.chance_weights)
    if outputs.legal is not None:
        logits, legal = outputs.legal.float(), batch.legal.float()
        loss = F.binary_cross_entropy_with_logits(logits, legal, reduction="none")
        parts["legality"] = (loss.mean(1), batch.position_weights)
    if outputs.planes is not None:
        loss = unexplained(outputs.planes.float(), batch.planes, batch.position_weights)
        parts["decoder"] = (loss, batch.position_weights)
    if said.agreement is not None:
        loss = F.pad(1 - said.agreement, (size, 0))
        parts["consistency"] = (loss, F.pad(batch.position_weights[size:], (size, 0)))
    return parts


def unexplained(said: Tensor, planes: Tensor, weights: Tensor) -> Tensor:
    """Return the share of the variance of planes [B, P, ...] that is not explained [B].

    All planes count alike, however small or rare their numbers are: in Triple Triad
    those that say who owns a cell were not learned next to those of cards.
    """
    shares = (weights / weights.sum().clamp(min=1.0))[:, None]
    mean = (shares * planes.mean((2, 3))).sum(0)[:, None, None]
    variance = (shares * ((planes - mean) ** 2).mean((2, 3))).sum(0)
    errors = ((said - planes) ** 2).mean((2, 3))
    return (errors / (variance + LEAST_VARIANCE)).mean(1)


def _class_loss(logits: Tensor, classes: Tensor) -> Tensor:
    """Return the cross-entropy [B] of logits with classes, 0 where it is -1."""
    return F.cross_entropy(logits.float(), classes, reduction="none", ignore_index=-1)


def losses_of(
    learn: LearnConfig, config: NetConfig, said: Said, batch: TensorBatch
) -> dict[str, Tensor]:
    """Return "loss", their weighted sum, and each loss as "loss_policy" and so on.

    Each is the weighted mean over the samples that have it, however few those are. The
    means over what followed are added, each with weight 1 / K.
    """
    parts = sample_losses(config, said.outputs, batch)
    if learn.entropy_weight:
        parts["entropy"] = (-entropy(said.outputs.policy), batch.policy_weights)
    if batch.model is not None:
        parts |= model_losses(said, batch.model)
    size = len(batch.planes)
    losses = {name: sum_of_steps(*part, size) for name, part in parts.items()}
    total = torch.zeros((), device=batch.planes.device)
    for name, loss in losses.items():
        total = total + getattr(learn, f"{name}_weight") * loss
    return {"loss": total} | {f"loss_{name}": loss for name, loss in losses.items()}


def sum_of_steps(loss: Tensor, weights: Tensor, size: int) -> Tensor:
    """Return the mean over `size` samples, and the mean of those over later steps."""
    first, *later = step_means(loss, weights, size)
    return first + torch.stack(later).mean() if later else first


def step_means(loss: Tensor, weights: Tensor, size: int) -> list[Tensor]:
    """Return the weighted mean over the `size` samples of each step."""
    steps = zip(torch.split(loss, size), torch.split(weights, size), strict=True)
    return [(part * w).sum() / w.sum().clamp(min=1.0) for part, w in steps]


class TrainingFailed(UserError):
    """Learning that went wrong; `why` is a clause that says how."""

    def __init__(self, why: str) -> None:
        self.why = why
        remedy = "try a lower learn.lr or learn.precision=f32"
        super().__init__(f"training failed: {why}; {remedy}")


@dataclass
class StepLosses:
    """The losses of the steps taken, and how many were skipped."""

    skipped: int = 0
    _rows: list[Tensor] = field(default_factory=list)
    _names: list[str] = field(default_factory=list)
    _skipped_in_a_row: int = 0
    _num_told: int = 0

    @property
    def num_steps(self) -> int:
        """How many steps there were, skipped ones included."""
        return len(self._rows) + self.skipped

    def note(self, losses: Mapping[str, Tensor]) -> None:
        """Note the losses of a step, which stay on their device for now."""
        self._names = list(losses)
        self._rows.append(torch.stack([loss.detach() for loss in losses.values()]))
        self._skipped_in_a_row = 0

    def skip(self, most: int = MAX_SKIPPED) -> None:
        """Note a step that gave nothing finite; so many in a row are the end."""
        self.skipped += 1
        self._skipped_in_a_row += 1
        if self._skipped_in_a_row >= most:
            raise TrainingFailed(
                f"{most} steps in a row gave numbers that are not finite"
            )

    def newest(self) -> dict[str, float]:
        """Return the losses of the last step that was not skipped, if there is one."""
        last = self._rows[-1].tolist() if self._rows else []
        return dict(zip(self._names, last, strict=bool(last)))

    def points(self, num_steps: int, most: int) -> list[tuple[int, dict[str, float]]]:
        """Return steps since the last call with their losses, at most so many.

        `num_steps` is the number of the newest one.
        """
        fresh = range(self._num_told, len(self._rows))
        self._num_told = len(self._rows)
        every = max(1, -(-len(fresh) // most))
        first = num_steps - len(self._rows) + 1
        return [
            (first + row, dict(zip(self._names, self._rows[row].tolist(), strict=True)))
            for row in fresh[::-every][::-1]  # the newest is one of them
        ]

    def means(self) -> dict[str, float]:
        """Return the mean of each loss over the steps taken."""
        if not self._rows:
            return {}
        means = torch.stack(self._rows).cpu().double().mean(0).tolist()
        return dict(zip(self._names, means, strict=True))


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
