"""Begin a training with the weights of another: what is taken, and what fits."""

from collections.abc import Callable
from dataclasses import replace

from ludens.errors import UserError
from ludens.formats.words import percent, plural
from ludens.loading.game import Game
from ludens.nets.config import NetConfig
from ludens.nets.grafting import (
    Graft,
    architecture,
    checksum,
    graft,
    planes_in,
    show_planes,
)
from ludens.nets.weights import Net, load_net, new_net
from ludens.store.finding import find_net
from ludens.store.origin import SOURCE, WEIGHTS, Origin, origin_words
from ludens.store.run import Run
from ludens.training.presets import Layer


def find_origin(source: str, game: Game | None = None) -> Origin | None:
    """Return the net that a text names: FILE, RUN, RUN@ITERATION or a game's own."""
    return Origin(source, load_net(find_net(source, game))) if source else None


def method_of(origin: Origin | None, method: str) -> str:
    """Return by which method to train, if nobody says: that of the origin."""
    is_learned = origin is not None and origin.net.card.config.is_learned
    return "muzero" if is_learned and not method else method


def layer_of(origin: Origin | None, game: Game, method: str) -> Layer:
    """Return the settings that the origin brings: a network of its kind."""
    if origin is None:
        return {}
    return {"net": architecture(origin.net, game, method == "muzero")}


def take_weights(net: Net, origin: Origin, game: Game) -> Graft:
    """Return a net with the weights of the origin that fit; refuse if none does."""
    source, planes = origin.net, planes_in(origin.net, game)
    new = [game.plain.PLANES[i] for i, n in enumerate(planes) if n < 0]
    clauses = tuple(f"the plane {name!r}, which it has not" for name in new)
    try:
        found = graft(net, show_planes(source, planes) if planes else source)
        return replace(found, anew=found.anew + clauses)
    except UserError as error:
        raise UserError(f"cannot begin with {origin.source}: {error}") from None


def check_origin(origin: Origin | None, game: Game, net: NetConfig) -> None:
    """Refuse an origin of which nothing fits, before anything is written."""
    if origin is not None:
        take_weights(new_net(game, net, 0), origin, game)


def say_graft(found: Graft, origin: Origin, say: Callable[[str], None]) -> None:
    """Say what was taken, and what begins anew, a line for each tensor."""
    total = plural(len(found.net.tensors), "tensor")
    share = percent(found.share_taken)
    say(f"from {origin.source}: {found.num_taken} of {total} fit, {share} of weights")
    for clause in found.anew:
        say(f"begins anew: {clause}")


def check_same(run: Run, source: str, game: Game | None = None) -> None:
    """Refuse to go on with a run that began with other weights than are named.

    By its own name the source is not looked at: it may have changed, or gone.
    """
    facts = run.facts()
    if not source or facts.get(SOURCE) == source:
        return
    began = origin_words(facts) or "random weights"
    origin = find_origin(source, game)
    if origin is None or facts.get(WEIGHTS) != checksum(origin.net):
        raise UserError(
            f"run {run.name} began with {began}, not with {source};"
            " start another run with --run"
        )
