"""Choose where a network runs."""

from functools import cache
from importlib.metadata import version
from importlib.util import find_spec
from typing import Protocol

from ludens.errors import UserError, nearest, require_extra
from ludens.game import Planes
from ludens.infer import DEVICES as DEVICES
from ludens.infer import PRECISIONS as PRECISIONS
from ludens.nets.weights import Net
from ludens.search.model import Evaluation


class NetEvaluator(Protocol):
    """A network, ready to be asked."""

    device: str
    precision: str

    def __call__(self, planes: Planes) -> Evaluation:
        """Evaluate positions [M, P, rows, columns]."""


def make_evaluator(
    net: Net, device: str = "auto", precision: str = "auto", threads: int = 1
) -> NetEvaluator:
    """Return a network that `threads` threads may ask at the same time."""
    device = choose_device(device)
    if precision not in PRECISIONS:
        hint = nearest(precision, PRECISIONS)
        raise UserError(f"there is no precision {precision!r}{hint}")
    if device == "cpu":
        from ludens.infer.openvino import OpenvinoEvaluator, OpenvinoModel

        on_cpu = OpenvinoModel if net.card.config.is_learned else OpenvinoEvaluator
        return on_cpu(net, precision, threads)
    from ludens.infer.torch import TorchEvaluator, TorchModel

    there = TorchModel if net.card.config.is_learned else TorchEvaluator
    return there(net, device, precision)


def choose_device(device: str) -> str:
    """Return the device to use; refuse one that is not there."""
    if device not in DEVICES:
        raise UserError(f"there is no device {device!r}{nearest(device, DEVICES)}")
    if device == "cpu":
        return device
    present = _graphics()
    if device == "auto":
        return present[0] if present else "cpu"
    if device not in present:
        require_extra("train", device)
        raise UserError(f"PyTorch finds no {device} on this machine; use device cpu")
    return device


def _graphics() -> list[str]:
    """Return the devices that PyTorch finds, fastest first."""
    if find_spec("torch") is None or _torch_version().endswith("+cpu"):
        return []  # without a second of importing it
    import torch

    found = {
        "cuda": torch.cuda.is_available(),
        "mps": torch.backends.mps.is_available(),
    }
    return [device for device, is_there in found.items() if is_there]


@cache
def _torch_version() -> str:
    """Return the version of PyTorch; asked for each net, it left 6 kB to collect."""
    return version("torch")
