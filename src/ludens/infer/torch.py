"""Networks on graphics cards, by PyTorch."""

from math import prod
from typing import Any

import numpy as np
import torch
import torch.nn.functional as F  # noqa: N812
from numpy.typing import NDArray
from torch import Tensor

from ludens.errors import UserError
from ludens.game import Planes
from ludens.infer.imagined import legal_of, model_sizes, turns_of
from ludens.nets.heads import Outputs
from ludens.nets.layers import latent_shape
from ludens.nets.torch_ops import TorchNet
from ludens.nets.weights import Net
from ludens.search.model import Evaluation

_TYPES = {"f32": torch.float32, "bf16": torch.bfloat16, "f16": torch.float16}


class TorchEvaluator:
    """A network that any number of threads may ask at the same time."""

    def __init__(self, net: Net, device: str, precision: str) -> None:
        self.device = device
        self.precision = _choose(device, precision)
        self._type = _TYPES[self.precision]
        self._net = TorchNet(net.card.config.for_play(), net.card.sizes)
        self._net.load(net.tensors)
        self._net.to(device, self._type).requires_grad_(False)

    def __call__(self, planes: Planes) -> Evaluation:
        """Evaluate positions [M, P, rows, columns]."""
        with torch.inference_mode():
            there = torch.from_numpy(planes).to(self.device, self._type)
            outputs = self._net(there)
            values = self._net.expected_value(outputs.value.float())
            return Evaluation(_array(outputs.policy), _array(values))


class TorchModel(TorchEvaluator):
    """A learned model, which threads may ask in the same way."""

    def __init__(self, net: Net, device: str, precision: str) -> None:
        super().__init__(net, device, precision)
        self._sizes = net.card.sizes
        self._shape = latent_shape(net.card.config, net.card.sizes)
        self.latent_size = prod(self._shape)
        self.num_choices = self._sizes.choices
        self.model_sizes = model_sizes(net.card)

    def __call__(self, planes: Planes) -> Evaluation:
        """Evaluate positions [M, P, rows, columns]; `latents` [M, D] are for `step`."""
        with torch.inference_mode():
            there = torch.from_numpy(planes).to(self.device, self._type)
            latent = self._net.represent(there)
            return self._read(latent, self._net.predict(latent))

    def step(
        self, latents: NDArray[np.float32], choices: NDArray[np.integer[Any]]
    ) -> Evaluation:
        """Evaluate what choices [M] lead to from latents [M, D]."""
        with torch.inference_mode():
            before = torch.from_numpy(latents.reshape(-1, *self._shape))
            chosen = torch.from_numpy(choices.astype(np.int64)).to(self.device)
            one_hot = F.one_hot(chosen, self.num_choices).to(self._type)
            latent, reward = self._net.dynamics(
                before.to(self.device, self._type), one_hot
            )
            return self._read_step(latent, reward)

    def _read_step(self, latent: Tensor, reward: Tensor | None) -> Evaluation:
        outputs = self._net.predict(latent)
        found = self._read(latent, outputs)
        if reward is not None:
            rewards = self._net.expected_reward(reward.float())
            found = found._replace(rewards=_array(rewards))
        if outputs.turn is not None:
            found = found._replace(turns=turns_of(_shares(outputs.turn), self._sizes))
        if outputs.chance is not None:
            found = found._replace(chances=_shares(outputs.chance))
        if outputs.legal is not None:
            found = found._replace(legal=legal_of(_array(outputs.legal)))
        return found

    def _read(self, latent: Tensor, outputs: Outputs[Tensor]) -> Evaluation:
        values = self._net.expected_value(outputs.value.float())
        flat = _array(latent).reshape(-1, self.latent_size)
        return Evaluation(_array(outputs.policy), _array(values), latents=flat)


def _array(x: Tensor) -> NDArray[np.float32]:
    found: NDArray[np.float32] = x.float().cpu().numpy()
    return found


def _shares(logits: Tensor) -> NDArray[np.float32]:
    return _array(torch.softmax(logits.float(), -1))


def _choose(device: str, precision: str) -> str:
    """Return the precision to use: float16 on a graphics card, else float32."""
    if precision == "int8":
        raise UserError(f"int8 is for CPUs; use another precision on {device}")
    if precision != "auto":
        return precision
    if device == "cuda" and torch.cuda.is_bf16_supported():
        return "bf16"
    return "f32" if device == "cpu" else "f16"
