"""The network in PyTorch, for training and for graphics cards."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import torch
import torch.nn.functional as F  # noqa: N812
from numpy.typing import NDArray
from torch import Tensor, nn

from ludens.nets import network
from ludens.nets.config import NetConfig, Sizes, resolve
from ludens.nets.heads import Outputs
from ludens.nets.operations import RESCALE_EPSILON, Ask, Init, Shape
from ludens.nets.shapes import Tensors, initial_tensors


class TorchOps:
    """The operations in PyTorch."""

    def __init__(self, device: torch.device) -> None:
        self._device = device

    def constant(self, array: NDArray[Any]) -> Tensor:
        return torch.from_numpy(array).to(self._device)

    def conv(self, x: Tensor, weight: Tensor, bias: Tensor) -> Tensor:
        return F.conv2d(x, weight, bias, padding=weight.shape[2] // 2)

    def linear(self, x: Tensor, weight: Tensor, bias: Tensor) -> Tensor:
        return F.linear(x, weight, bias)

    def matmul(self, a: Tensor, b: Tensor) -> Tensor:
        return a @ b

    def add(self, a: Tensor, b: Tensor) -> Tensor:
        return a + b

    def multiply(self, a: Tensor, b: Tensor) -> Tensor:
        return a * b

    def scale(self, x: Tensor, factor: float) -> Tensor:
        return x * factor

    def relu(self, x: Tensor) -> Tensor:
        return F.relu(x)

    def gelu(self, x: Tensor) -> Tensor:
        return F.gelu(x)

    def silu(self, x: Tensor) -> Tensor:
        return F.silu(x)

    def tanh(self, x: Tensor) -> Tensor:
        return torch.tanh(x)

    def softplus(self, x: Tensor) -> Tensor:
        return F.softplus(x)

    def softmax(self, x: Tensor) -> Tensor:
        return torch.softmax(x, -1)

    def layer_norm(self, x: Tensor, weight: Tensor, bias: Tensor) -> Tensor:
        return F.layer_norm(x, weight.shape, weight, bias)

    def reshape(self, x: Tensor, shape: Shape) -> Tensor:
        return x.reshape(shape)

    def transpose(self, x: Tensor, order: Shape) -> Tensor:
        return x.permute(order)

    def concat(self, parts: Sequence[Tensor]) -> Tensor:
        return torch.cat(list(parts), -1)

    def columns(self, x: Tensor, start: int, stop: int) -> Tensor:
        return x[..., start:stop]

    def rescale(self, x: Tensor, axes: Shape) -> Tensor:
        flat = _in_rows(x)
        low, high = flat.amin(1, keepdim=True), flat.amax(1, keepdim=True)
        return _like((flat - low) / (high - low + RESCALE_EPSILON), x)

    def to_unit_size(self, x: Tensor, axes: Shape) -> Tensor:
        flat = _in_rows(x)
        square = flat.float().square().mean(1, keepdim=True)
        return _like(flat * (square + RESCALE_EPSILON).rsqrt().to(x.dtype), x)

    # As pools, because gradients of `mean` and `amax` come in another layout than x,
    # and all that is added to them is then slow: 5 % of a learner's CPU time.

    def mean_cells(self, x: Tensor) -> Tensor:
        return F.avg_pool2d(x, x.shape[2:]).flatten(1)

    def max_cells(self, x: Tensor) -> Tensor:
        return F.max_pool2d(x, x.shape[2:]).flatten(1)


class TorchNet(nn.Module):
    """A network whose parameters PyTorch can train."""

    def __init__(self, config: NetConfig, sizes: Sizes, seed: int = 0) -> None:
        super().__init__()
        self.config = resolve(config, sizes)
        self.sizes = sizes
        for name, array in initial_tensors(self.config, sizes, seed).items():
            start = _channels_last(torch.from_numpy(array))
            self.register_parameter(name, nn.Parameter(start))

    def forward(self, planes: Tensor) -> Outputs[Tensor]:
        """Run planes [B, P, rows, columns] through the network."""
        return network.forward(*self._with(planes), _channels_last(planes))

    def represent(self, planes: Tensor) -> Tensor:
        """Return the latents of planes."""
        return network.represent(*self._with(planes), _channels_last(planes))

    def dynamics(self, latent: Tensor, choices: Tensor) -> tuple[Tensor, Tensor | None]:
        """Return the next latents and the logits of rewards, for one-hot choices."""
        return network.dynamics(*self._with(latent), _channels_last(latent), choices)

    def predict(self, latent: Tensor) -> Outputs[Tensor]:
        """Return what the heads say of latents."""
        return network.predict(*self._with(latent), _channels_last(latent))

    def project(self, latent: Tensor) -> Tensor:
        """Return what latents of one position should have in common [B, n]."""
        return network.project(*self._with(latent), latent)

    def forecast(self, projected: Tensor) -> Tensor:
        """Return the forecast [B, n] of the projection of the position that came."""
        return network.forecast(*self._with(projected), projected)

    def encode(self, planes: Tensor) -> Tensor:
        """Return what was seen before and after chance as codes [B, codes]."""
        return network.encode(*self._with(planes), _channels_last(planes))

    def compile_parts(self) -> None:
        """Let PyTorch compile what learning runs, when it is first run."""
        for name in ("forward", "represent", "dynamics", "predict"):
            setattr(self, name, torch.compile(getattr(self, name)))

    def expected_value(self, value: Tensor) -> Tensor:
        """Return the value [B] from the output of the value head."""
        return network.expected_value(self.config, TorchOps(value.device), value)

    def expected_reward(self, reward: Tensor) -> Tensor:
        """Return the reward [B] from the output of the reward head."""
        return network.expected_reward(self.config, TorchOps(reward.device), reward)

    def load(self, tensors: Mapping[str, NDArray[np.float32]]) -> None:
        """Load parameters, ignoring those of heads this network does not have."""
        with torch.no_grad():
            for name, parameter in self.named_parameters():
                parameter.copy_(torch.from_numpy(tensors[name]))

    def tensors(self) -> Tensors:
        """Return a copy of the parameters."""
        return {
            name: np.ascontiguousarray(parameter.detach().float().cpu().numpy().copy())
            for name, parameter in self.named_parameters()
        }

    def _with(self, x: Tensor) -> tuple[NetConfig, Sizes, TorchOps, Ask[Tensor]]:
        """Return what every part of the network is called with."""
        return self.config, self.sizes, TorchOps(x.device), self._ask

    def _ask(self, name: str, shape: Shape, init: Init) -> Tensor:
        return self.get_parameter(name)


def _channels_last(x: Tensor) -> Tensor:
    """Return a tensor in the memory layout in which convolutions run fastest."""
    if x.dim() != 4:
        return x
    return x.contiguous(memory_format=torch.channels_last)


def _in_rows(x: Tensor) -> Tensor:
    """Return a latent as rows [B, n], which are no copy where channels come last."""
    return (x.permute(0, 2, 3, 1) if x.dim() == 4 else x).flatten(1)


def _like(rows: Tensor, x: Tensor) -> Tensor:
    """Return rows [B, n] in the shape of the latent that they were."""
    if x.dim() != 4:
        return rows
    size, channels, *cells = x.shape
    return rows.reshape(size, *cells, channels).permute(0, 3, 1, 2)
