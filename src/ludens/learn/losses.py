"""What a net should have said, and how far it is from it."""

from collections.abc import Mapping
from dataclasses import dataclass, field

import torch
import torch.nn.functional as F  # noqa: N812
from torch import Tensor

from ludens.errors import UserError
from ludens.learn.batches import TensorBatch
from ludens.learn.config import LearnConfig
from ludens.nets.config import NetConfig
from ludens.nets.network import Outputs

MAX_SKIPPED = 3
"""Steps in a row that may give nothing finite."""
MAX_OVERFLOWS = 10
"""The same, where f16 gradients are still looking for their scale."""


def sample_losses(
    config: NetConfig, outputs: Outputs[Tensor], batch: TensorBatch
) -> dict[str, tuple[Tensor, Tensor]]:
    """Return the loss of each sample [B] and its weight [B], by what is learned."""
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
        said = torch.log1p(outputs.plies_left.float()[:, 0])
        loss = F.huber_loss(said, torch.log1p(batch.plies_left), reduction="none")
        parts["plies_left"] = (loss, batch.ownership_weights)
    if outputs.reply is not None:
        loss = cross_entropy(outputs.reply, batch.replies)
        parts["reply"] = (loss, batch.reply_weights)
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
    learn: LearnConfig, config: NetConfig, outputs: Outputs[Tensor], batch: TensorBatch
) -> dict[str, Tensor]:
    """Return "loss", their weighted sum, and each loss as "loss_policy" and so on.

    Each is the weighted mean over the samples that have it, however few those are.
    """
    losses = {
        name: (loss * weights).sum() / weights.sum().clamp(min=1.0)
        for name, (loss, weights) in sample_losses(config, outputs, batch).items()
    }
    total = torch.zeros((), device=batch.planes.device)
    for name, loss in losses.items():
        total = total + getattr(learn, f"{name}_weight") * loss
    return {"loss": total} | {f"loss_{name}": loss for name, loss in losses.items()}


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

    def means(self) -> dict[str, float]:
        """Return the mean of each loss over the steps taken."""
        if not self._rows:
            return {}
        means = torch.stack(self._rows).cpu().double().mean(0).tolist()
        return dict(zip(self._names, means, strict=True))
