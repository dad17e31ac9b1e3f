"""A network as a file: its tensors and a card that says what they are."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import Any

import numpy as np

from ludens.errors import UserError
from ludens.files import TensorFormat, read_bytes, write_bytes
from ludens.loading.game import Game
from ludens.loading.options import OptionValue
from ludens.nets.config import NetConfig, Sizes, resolve
from ludens.nets.shapes import Tensors, initial_tensors, trace
from ludens.settings import read_settings

FORMAT = TensorFormat("ludens net 1", "a net", max_bytes=2**30)
MAX_SIZE = 100_000


@dataclass(frozen=True)
class NetCard:
    """What a network is, with all that it takes to build it again."""

    game: str
    options: Mapping[str, OptionValue]
    behaviour: str
    config: NetConfig
    sizes: Sizes
    iteration: int = 0
    run: str = ""
    notes: str = ""
    search: Mapping[str, OptionValue] = field(default_factory=dict)
    """Settings of the search that plays with it, where they are not the defaults."""


@dataclass(frozen=True)
class Net:
    """A network: its card and its parameters."""

    card: NetCard
    tensors: Tensors

    def to_bytes(self) -> bytes:
        """Return what its file holds."""
        card = json.dumps(asdict(self.card), sort_keys=True)
        return FORMAT.pack(self.tensors, {"card": card})


def new_net(game: Game, config: NetConfig, seed: int, **about: Any) -> Net:
    """Return an untrained network for a game."""
    sizes = Sizes.of(game)
    config = resolve(config, sizes)
    options = dict(game.options)
    card = NetCard(game.name, options, game.behaviour, config, sizes, **about)
    return Net(card, initial_tensors(config, sizes, seed))


def num_parameters(net: Net) -> int:
    """Return the number of parameters of a network."""
    return sum(tensor.size for tensor in net.tensors.values())


def save_net(net: Net, path: Path) -> str:
    """Write a network whole or not at all; return the SHA-256 of the file."""
    content = net.to_bytes()
    write_bytes(path, content)
    return hashlib.sha256(content).hexdigest()


def load_net(path: Path) -> Net:
    """Read a network; refuse what is not one, or not as it was written."""
    return net_from_bytes(read_bytes(path, FORMAT.max_bytes, FORMAT.what), path)


def net_from_bytes(content: bytes, source: Path | str) -> Net:
    """Return the network that a file holds; `source` is its name in errors."""
    stored, texts = FORMAT.unpack(content, source)
    if not {a.dtype.name for a in stored.values()} <= {"float32", "float16"}:
        raise UserError(f"{source} is damaged: it has numbers of an unknown kind")
    tensors = {name: array.astype(np.float32) for name, array in stored.items()}
    net = Net(_read_card(texts.get("card", ""), source), tensors)
    _check_tensors(net, source)
    return net


def check_net(net: Net, game: Game) -> None:
    """Refuse a network of another game, other options or other rules."""
    card = net.card
    if Path(card.game).name != Path(game.name).name:  # of a game file, not its folder
        raise UserError(f"the net is for {card.game}, not for {game.name}")
    for name, value in game.options.items():
        if card.options.get(name) != value:
            theirs = card.options.get(name)
            raise UserError(f"the net is for {name}={theirs}, not for {name}={value}")
    if card.behaviour != game.behaviour or card.sizes != Sizes.of(game):
        raise UserError(f"the net is for other rules of {game.name}; train it anew")


def _read_card(text: str, source: Path | str) -> NetCard:
    """Return the card, every field of the kind it should be."""
    try:
        card = json.loads(text)
        sizes = Sizes(**card.pop("sizes"))
        config = read_settings(NetConfig, card.pop("config"), "a net")
        card = NetCard(config=config, sizes=sizes, **card)
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise UserError(f"{source} is damaged: its card has {error}") from None
    kinds = {"options": dict, "iteration": int, "config": NetConfig, "sizes": Sizes}
    kinds["search"] = dict
    right = all(
        isinstance(getattr(card, f.name), kinds.get(f.name, str)) for f in fields(card)
    )
    counts = list(asdict(sizes).values())
    right &= all(isinstance(n, int) and 0 <= n <= MAX_SIZE for n in counts)
    right &= min(sizes.rows, sizes.columns, sizes.planes, sizes.actions) > 0
    if not right or sizes.players not in (1, 2):
        raise UserError(f"{source} is damaged: its card makes no sense")
    return card


def _check_tensors(net: Net, source: Path | str) -> None:
    wanted = trace(net.card.config, net.card.sizes).parameters
    shapes = {name: tensor.shape for name, tensor in net.tensors.items()}
    if shapes != {name: parameter.shape for name, parameter in wanted.items()}:
        raise UserError(f"{source} is damaged: its tensors do not fit its card")
    if not all(np.isfinite(tensor).all() for tensor in net.tensors.values()):
        raise UserError(f"{source} is damaged: it has numbers that are not finite")
