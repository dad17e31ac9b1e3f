"""The net that a run began with, kept in it: its source may change or go."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from ludens.errors import UserError
from ludens.files import check_plain
from ludens.nets.grafting import checksum
from ludens.nets.weights import Net, load_net

FILE = "origin.safetensors"
SOURCE, WEIGHTS = "origin", "origin_sha256"
"""Facts of the run: what the net was called, and the checksum of its weights."""


@dataclass(frozen=True)
class Origin:
    """A net to begin with, and what the user called it."""

    source: str
    net: Net

    def facts(self) -> dict[str, str]:
        """Return what a run says of it."""
        return {SOURCE: self.source, WEIGHTS: checksum(self.net)}


def read_origin(folder: Path, facts: Mapping[str, str]) -> Origin | None:
    """Return what a run began with, None if with random weights."""
    if SOURCE not in facts:
        return None
    path = folder / FILE
    check_plain(path)
    net = load_net(path)
    if checksum(net) != facts.get(WEIGHTS):
        raise UserError(f"{path} has other weights than the run began with")
    return Origin(facts[SOURCE], net)


def origin_words(facts: Mapping[str, str]) -> str:
    """Say what a run began with, "" if with random weights."""
    if SOURCE not in facts:
        return ""
    return f"{facts[SOURCE]} (SHA-256 of its weights: {facts.get(WEIGHTS, '')[:12]})"
