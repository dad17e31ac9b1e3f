"""What a net should have said, and how far it is from it."""

from dataclasses import dataclass

import numpy as np
import torch
import torch.nn.functional as F  # noqa: N812
from numpy.typing import NDArray
from torch import Tensor

from ludens.learn.config import LearnConfig
from ludens.learn.tables import Batch
from ludens.nets.config import NetConfig
from ludens.nets.network import Outputs
from ludens.nets.value import middle_and_reach, two_hot


@dataclass(frozen=True)
class Lesson:
    """A batch of samples on the device that learns from it."""

    planes: Tensor
    """[B, planes, rows, columns]"""
    policies: Tensor
    """[B, A]"""
    policy_weights: Tensor
    """[B] 0 where the policy is unknown"""
    values: Tensor
    """[B] for the player to move"""
    value_targets: Tensor
    """[B, 3 | 1 | bins] what the value head should say"""
    value_weights: Tensor
    """[B]"""
    ownership: Tensor
    """[B, T, rows, columns]"""
    ownership_weights: Tensor
    """[B] 0 where the end of the game is unknown"""
    plies_left: Tensor
    """[B]"""
    replies: Tensor
    """[B, A]"""
    reply_weights: Tensor
    """[B] 0 where the reply is unknown"""


def make_lesson(batch: Batch, config: NetConfig, device: torch.device) -> Lesson:
    """Bring a batch to a device."""
    weights = batch.value_weights
    arrays = {
        "planes": batch.planes,
        "policies": batch.policies,
        "policy_weights": batch.policy_weights,
        "values": batch.values,
        "value_targets": value_targets(batch, config),
        "value_weights": weights,
        "ownership": batch.ownership,
        "ownership_weights": weights * batch.has_ownership,
        "plies_left": batch.plies_left,
        "replies": batch.replies,
        "reply_weights": weights * batch.has_reply,
    }
    return Lesson(**{name: _to(device, array) for name, array in arrays.items()})


def value_targets(batch: Batch, config: NetConfig) -> NDArray[np.float32]:
    """Return what the value head should say [B, 3 | 1 | bins]."""
    if config.value == "wdl":
        return batch.outcomes
    if config.value == "categorical":
        return two_hot(batch.values, config)
    middle, reach = middle_and_reach(config)
    return (batch.values[:, None] - np.float32(middle)) / np.float32(reach)


def _to(device: torch.device, array: NDArray[np.float32]) -> Tensor:
    tensor = torch.from_numpy(np.ascontiguousarray(array, np.float32))
    if device.type == "cuda":  # copies while the card is busy with the last batch
        tensor = tensor.pin_memory()
    return tensor.to(device, non_blocking=True)


def sample_losses(
    config: NetConfig, outputs: Outputs[Tensor], lesson: Lesson
) -> dict[str, tuple[Tensor, Tensor]]:
    """Return the loss of each sample [B] and its weight [B], by what is learned."""
    policy = cross_entropy(outputs.policy, lesson.policies)
    value = value_loss(config, outputs.value, lesson.value_targets)
    parts = {
        "policy": (policy, lesson.policy_weights),
        "value": (value, lesson.value_weights),
    }
    if outputs.ownership is not None:
        squares = (outputs.ownership.float() - lesson.ownership) ** 2
        parts["ownership"] = (squares.mean((1, 2, 3)), lesson.ownership_weights)
    if outputs.plies_left is not None:
        # In logarithms: one ply more or less matters at the end, not at the start.
        said = torch.log1p(outputs.plies_left.float()[:, 0])
        loss = F.huber_loss(said, torch.log1p(lesson.plies_left), reduction="none")
        parts["plies_left"] = (loss, lesson.ownership_weights)
    if outputs.reply is not None:
        loss = cross_entropy(outputs.reply, lesson.replies)
        parts["reply"] = (loss, lesson.reply_weights)
    return parts


def cross_entropy(logits: Tensor, shares: Tensor) -> Tensor:
    """Return the cross-entropy [B] of logits with a distribution [B, N]."""
    return -(shares * F.log_softmax(logits.float(), -1)).sum(-1)


def value_loss(config: NetConfig, said: Tensor, targets: Tensor) -> Tensor:
    """Return the loss of each value [B]."""
    if config.value == "scalar":
        return (said.float() - targets)[:, 0] ** 2
    return cross_entropy(said, targets)


def losses_of(
    learn: LearnConfig, config: NetConfig, outputs: Outputs[Tensor], lesson: Lesson
) -> dict[str, Tensor]:
    """Return "loss", their weighted sum, and each loss as "loss_policy" and so on.

    Each is the weighted mean over the samples that have it, however few those are.
    """
    losses = {
        name: (loss * weights).sum() / weights.sum().clamp(min=1.0)
        for name, (loss, weights) in sample_losses(config, outputs, lesson).items()
    }
    total = torch.zeros((), device=lesson.planes.device)
    for name, loss in losses.items():
        total = total + getattr(learn, f"{name}_weight") * loss
    return {"loss": total} | {f"loss_{name}": loss for name, loss in losses.items()}
