"""Networks on graphics cards, by PyTorch."""

import torch

from ludens.game import Planes
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
            logits = outputs.policy.float().cpu().numpy()
            return Evaluation(logits, values.cpu().numpy())


def _choose(device: str, precision: str) -> str:
    """Return the precision to use: float16 on a graphics card, else float32."""
    if precision != "auto":
        return precision
    if device == "cuda" and torch.cuda.is_bf16_supported():
        return "bf16"
    return "f32" if device == "cpu" else "f16"
