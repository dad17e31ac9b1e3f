"""Codes for what chance did where nobody saw it: they are found while learning.

An action leads to an afterstate, where a code stands for what chance does; the code
leads on. Which one it was, the encoder tells from what was seen before and after. It
learns from all that is said of where a code leads: the gradient passes the code
unchanged (straight through), as if the encoder's numbers were the code itself.
"""

from dataclasses import dataclass

import torch
import torch.nn.functional as F  # noqa: N812
from torch import Tensor

from ludens.learn.batches import ModelBatch
from ludens.nets.heads import TURNS
from ludens.nets.torch_ops import TorchNet

OVER = TURNS.index("over")
LEAST_VARIANCE = 1e-6


@dataclass(frozen=True)
class Codes:
    """The codes of a batch; S = K + 1 steps, as in ModelBatch."""

    choices: Tensor
    """[K, B, A + C] one-hot, with codes where chance had its turn"""
    chances: Tensor
    """[S * B] the code that came, -1 where it is not chance's turn, or not known"""
    distances: Tensor
    """[S * B] square of how far the encoder was from the code, or 0"""


def find_codes(net: TorchNet, batch: ModelBatch, choices: Tensor) -> Codes:
    """Find what chance did, and let it be the choice at each of its turns.

    These are the odd steps: an action leads there, and the code to the next position.
    """
    turns = slice(1, len(choices), 2)  # all but a last one, of which nothing is seen
    chances = batch.chances.reshape(-1, choices.shape[1])
    is_known = chances[turns] >= 0
    said = net.encode(_before_and_after(batch)).float()
    shares = torch.softmax(_standardise(said, is_known.flatten()), 1)
    nearest = shares.argmax(1)
    one_hot = F.one_hot(nearest, net.config.codes).to(choices.dtype)
    passing = (one_hot + (shares - shares.detach())).reshape(*is_known.shape, -1)
    coded = F.pad(passing, (net.sizes.actions, 0))
    filled, found = choices.clone(), torch.full_like(chances, -1)
    filled[turns] = torch.where(is_known[..., None], coded, choices[turns])
    found[turns] = torch.where(is_known, nearest.reshape(is_known.shape), -1)
    distances = shares.new_zeros(chances.shape)
    distances[turns] = ((shares - one_hot) ** 2).sum(1).reshape(is_known.shape)
    return Codes(filled, found.flatten(), distances.flatten())


def _standardise(said: Tensor, is_known: Tensor) -> Tensor:
    """Give each code the same mean and spread over a batch [N, codes].

    So no code is near to everything. Otherwise they become one: three of six nets that
    learned of a coin had the same code for heads and tails; with this, none of four.
    """
    weights = is_known[:, None] / is_known.sum().clamp(min=1)
    apart = said - (weights * said).sum(0)
    variance = (weights * apart**2).sum(0)
    return apart / (variance + LEAST_VARIANCE).sqrt()


def _before_and_after(batch: ModelBatch) -> Tensor:
    """Return what was seen around each turn of chance [K // 2 * B, 2 * P + 1, ...]."""
    num_choices, size = batch.choices.shape
    steps = batch.planes.reshape(-1, size, *batch.planes.shape[1:])
    before, after = steps[: num_choices - 1 : 2], steps[2::2]
    is_over = (batch.turns.reshape(-1, size)[2::2] == OVER)[..., None, None, None]
    flag = is_over.to(after.dtype).expand_as(after[:, :, :1])
    return torch.cat([before, after, flag], 2).flatten(0, 1)
