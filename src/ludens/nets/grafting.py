"""Begin a network with the weights of another: what fits is taken."""

import hashlib
from dataclasses import dataclass, fields, replace

import numpy as np

from ludens.errors import UserError
from ludens.loading.game import Game, title_of
from ludens.loading.options import OptionValue
from ludens.nets.config import MODEL_SETTINGS, NetConfig
from ludens.nets.weights import Net

_OF_THE_GAME = (
    *("policy", "value", "value_low", "value_high"),
    *("ownership", "plies_left", "reply"),
    *("turns", "reward_low", "reward_high", "codes"),
)
"""Settings of a network that follow from its game."""
STEM = "stem/weight"
"""[C, P, kernel, kernel]: what convolutions read the planes with."""


@dataclass(frozen=True)
class Graft:
    """A network that began with weights of another."""

    net: Net
    num_taken: int
    share_taken: float
    """Of its weights."""
    anew: tuple[str, ...]
    """A clause for each tensor that did not fit."""


def checksum(net: Net) -> str:
    """Return the SHA-256 of a network's weights, whatever its card says."""
    digest = hashlib.sha256()
    for name, tensor in sorted(net.tensors.items()):
        digest.update(f"{name} {tensor.shape}".encode())
        digest.update(tensor.astype("<f4").tobytes())
    return digest.hexdigest()


def architecture(source: Net, game: Game, is_learned: bool) -> dict[str, OptionValue]:
    """Return the settings of a network like another's, for a game.

    For another game, what follows from the game is left open; without a learned model
    on both sides, so is all that concerns one.
    """
    left_open = set[str]()
    card = source.card
    same_options = all(card.options.get(n, v) == v for n, v in game.options.items())
    if title_of(card.game) != title_of(game.name) or not same_options:
        left_open.update(_OF_THE_GAME)
    if card.config.is_learned != is_learned:
        left_open.update(MODEL_SETTINGS)
    names = (field.name for field in fields(NetConfig))
    return {n: getattr(card.config, n) for n in names if n not in left_open}


def planes_in(source: Net, game: Game) -> list[int]:
    """Return which plane of a network is each plane of a game, -1 for one it has not.

    Only for another set of planes of the same game; else there are none to compare.
    """
    card = source.card
    off = {k: o.off for k, o in game.declared.items() if o.only_observed}
    if title_of(card.game) != title_of(game.name) or STEM not in source.tensors:
        return []
    try:
        theirs = game.variant(off | dict(card.options)).plain.PLANES
    except UserError:
        return []
    if len(theirs) != card.sizes.planes or theirs == game.plain.PLANES:
        return []
    number = {name: n for n, name in enumerate(theirs)}
    return [number.get(name, -1) for name in game.plain.PLANES]


def show_planes(source: Net, planes: list[int]) -> Net:
    """Return a network with other planes of the same game: 0 is what new ones weigh."""
    stem = source.tensors[STEM]
    old = np.insert(stem, stem.shape[1], 0, 1)  # the last one, -1, is for the new ones
    return replace(source, tensors={**source.tensors, STEM: old[:, planes]})


def graft(net: Net, source: Net) -> Graft:
    """Return a network with each tensor of another whose name and shape fit."""
    tensors, num_taken, weights_taken, anew = dict(net.tensors), 0, 0, []
    for name, own in net.tensors.items():
        theirs = source.tensors.get(name)
        if theirs is None:
            anew.append(f"{name}, which it has not")
        elif theirs.shape != own.shape:
            shapes = f"{_shape(theirs.shape)} there and {_shape(own.shape)} here"
            anew.append(f"{name}, which is {shapes}")
        else:
            tensors[name] = theirs
            num_taken += 1
            weights_taken += own.size
    if num_taken == 0:
        raise UserError("none of its tensors fits: the networks are of other kinds")
    share = weights_taken / sum(tensor.size for tensor in tensors.values())
    return Graft(replace(net, tensors=tensors), num_taken, share, tuple(anew))


def _shape(shape: tuple[int, ...]) -> str:
    return "x".join(map(str, shape))
