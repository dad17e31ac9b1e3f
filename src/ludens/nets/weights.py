"""A network as a file: its tensors and its card."""

import hashlib
import json
import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ludens.errors import UserError
from ludens.files import Check, Kinds, TensorFormat, Texts, write_bytes
from ludens.loading.game import Game, title_of
from ludens.loading.options import OptionValue
from ludens.nets.config import LATER_SETTINGS, MODEL_SETTINGS, NetConfig, Sizes, fit
from ludens.nets.shapes import Tensors, initial_tensors, trace
from ludens.settings import read_settings

FORMAT = TensorFormat("ludens net 1", "a net", max_bytes=2**30)
MAX_SIZE = 100_000
MAX_WORDS = 1000
"""Characters of anything that a card says."""
MAX_ITERATION = 10**12
Source = Path | str
SUFFIX = ".safetensors"


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
    ranges: Mapping[str, float] = field(default_factory=dict)
    """How large the numbers are that convolutions take in, by the name of their
    weights: int8 has to know."""


@dataclass(frozen=True)
class Net:
    """A network: its card and its parameters."""

    card: NetCard
    tensors: Tensors

    def to_bytes(self) -> bytes:
        """Return what its file holds."""
        card = json.dumps(card_facts(self.card), sort_keys=True)
        return FORMAT.pack(self.tensors, {"card": card})


def card_facts(card: NetCard) -> dict[str, Any]:
    """Return what a card says; of later settings only what is unusual, of a learned
    model only if the net has one.

    So older versions read the nets that they could have made.
    """
    facts = asdict(card)
    for name, usual in LATER_SETTINGS.items():
        if facts["config"][name] == usual:
            del facts["config"][name]
    if not card.ranges:
        del facts["ranges"]
    if not card.config.is_learned:
        for name in MODEL_SETTINGS:
            facts["config"].pop(name, None)
        facts["sizes"].pop("outcomes", None)
    return facts


def new_net(game: Game, config: NetConfig, seed: int, **about: Any) -> Net:
    """Return an untrained network for a game."""
    config, sizes = fit(config, game)
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
    return _net_of(*FORMAT.read(path, _checker(path)), path)


def net_from_bytes(content: bytes, source: Source) -> Net:
    """Return the network that a file holds; `source` is its name in errors."""
    return _net_of(*FORMAT.unpack(content, source, _checker(source)), source)


def _net_of(stored: Mapping[str, NDArray[Any]], texts: Texts, source: Source) -> Net:
    """Return the network of arrays that fit the card among the texts."""
    if not all(np.isfinite(array).all() for array in stored.values()):
        raise UserError(f"{source} is damaged: it has numbers that are not finite")
    tensors = {n: array.astype(np.float32, copy=False) for n, array in stored.items()}
    return Net(_read_card(texts["card"], source), tensors)


def check_net(net: Net, game: Game) -> None:
    """Refuse a network of another game, other options or other rules.

    An option that its card does not name is newer than the net, which has its default;
    or nothing of it, if it only adds to what is observed.
    """
    card = net.card
    if title_of(card.game) != title_of(game.name):
        raise UserError(f"the net is for {card.game}, not for {game.name}")
    for name, value in game.options.items():
        option = game.declared[name]
        usual = option.off if option.only_observed else option.default
        theirs = card.options.get(name, usual)
        if theirs != value:
            raise UserError(f"the net is for {name}={theirs}, not for {name}={value}")
    is_same = card.behaviour == game.behaviour and card.sizes == Sizes.of(game)
    if is_same and card.config.is_learned:
        is_same = card.sizes.outcomes == fit(card.config, game)[1].outcomes
    if not is_same:
        raise UserError(f"the net is for other rules of {game.name}; train it anew")


def _read_card(text: str, source: Source) -> NetCard:
    """Return the card, every field of the kind it should be."""
    try:
        card = json.loads(text)
        sizes = Sizes(**card.pop("sizes"))
        config = read_settings(NetConfig, card.pop("config"), "a net")
        card = NetCard(config=config, sizes=sizes, **card)
    except (AttributeError, KeyError, TypeError, ValueError, RecursionError) as error:
        said = str(error)[:MAX_WORDS]
        why = "".join(c if c.isprintable() else "?" for c in said)
        raise UserError(f"{source} is damaged: its card has {why}") from None
    kinds = {"options": dict, "iteration": int, "config": NetConfig, "sizes": Sizes}
    kinds |= {"search": dict, "ranges": dict}
    right = all(
        isinstance(getattr(card, f.name), kinds.get(f.name, str)) for f in fields(card)
    )
    possible = _is_possible(sizes) and _knows_its_model(config, sizes)
    if not right or not _is_plain(card) or not possible:
        raise UserError(f"{source} is damaged: its card makes no sense")
    return card


def _is_plain(card: NetCard) -> bool:
    """Tell whether a card has only short words that can be shown, and plain values."""
    pairs = (*card.options.items(), *card.search.items(), *card.ranges.items())
    values = [value for pair in pairs for value in pair]
    words = [card.game, card.behaviour, card.run, card.notes]
    return (
        len(values) <= MAX_WORDS
        and all(isinstance(value, (bool, int, float, str)) for value in values)
        and all(math.isfinite(value) for value in values if isinstance(value, float))
        and all(_is_short(str(value)) for value in (*words, *values))
        and all(type(x) is float and x > 0 for x in card.ranges.values())
        and 0 <= card.iteration <= MAX_ITERATION
    )


def _is_short(text: str) -> bool:
    return len(text) <= MAX_WORDS and text.isprintable()


def _is_possible(sizes: Sizes) -> bool:
    counts = vars(sizes).values()
    return (
        all(type(n) is int and 0 <= n <= MAX_SIZE for n in counts)
        and min(sizes.rows, sizes.columns, sizes.planes, sizes.actions) > 0
        and sizes.players in (1, 2)
    )


def _knows_its_model(config: NetConfig, sizes: Sizes) -> bool:
    """Tell whether settings of a learned model are there only for one, and fit it."""
    usual = MODEL_SETTINGS.items()
    if config.codes not in (0, sizes.outcomes):
        return False
    return config.is_learned or all(getattr(config, n) == value for n, value in usual)


def _checker(source: Source) -> Check:
    """Return what refuses a file whose arrays, unread, do not fit its card."""

    def check(kinds: Kinds, texts: Texts) -> None:
        card = _read_card(texts.get("card", ""), source)
        if not {str(dtype) for dtype, _ in kinds.values()} <= {"float32", "float16"}:
            raise UserError(f"{source} is damaged: it has numbers of an unknown kind")
        wanted = trace(card.config, card.sizes).parameters
        shapes = {name: shape for name, (_, shape) in kinds.items()}
        if shapes != {name: parameter.shape for name, parameter in wanted.items()}:
            raise UserError(f"{source} is damaged: its tensors do not fit its card")

    return check
