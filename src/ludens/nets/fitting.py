"""A network for a game: the same one, or one whose board it has not learned on."""

from dataclasses import replace

from ludens.errors import UserError
from ludens.loading.game import Game, title_of
from ludens.nets.config import Sizes, resolve
from ludens.nets.grafting import show_planes
from ludens.nets.weights import Net, NetCard, check_net


def fit_net(net: Net, game: Game) -> tuple[Net, Game]:
    """Return a network for a game, and the game as it sees it; refuse another's.

    Where no weight depends on the board (`net.any_size`), options may differ: the net
    plays on other boards, and by other rules that it is shown as well.
    """
    theirs = seen_by(net.card, game)
    if is_elsewhere(net.card, theirs):
        net = _refit(net, theirs)
    else:
        check_net(net, theirs)
    return net, theirs


def seen_by(card: NetCard, game: Game) -> Game:
    """Return a game with the options of its observation that a net has learned with."""
    options = [o for o in game.declared.values() if o.only_observed]
    theirs = game.seen_with({o.name: card.options.get(o.name, o.off) for o in options})
    if theirs.plain.STATE != game.plain.STATE:
        raise UserError(f"{game.name} has other states with {theirs.spec}")
    return theirs


def is_elsewhere(card: NetCard, game: Game) -> bool:
    """Tell whether a game is another board, or other rules, for a net of any size."""
    if not card.config.any_size or title_of(card.game) != title_of(game.name):
        return False
    return any(card.options.get(name) != v for name, v in game.options.items())


def planes_for(card: NetCard, game: Game) -> list[int]:
    """Return which plane of a net is each plane of its game with other options.

    -1 for one that it has not learned to see. Whether the rules are still those that
    it has learned by is not asked: to play them takes seconds in plain Python.
    """
    learned, shown = game.variant(card.options).plain.PLANES, game.plain.PLANES
    missing = next((name for name in learned if name not in shown), None)
    if missing is not None:
        raise UserError(f'the net sees "{missing}", which {game.spec} does not show')
    sizes, theirs = Sizes.of(game), card.sizes
    resolve(card.config, sizes)
    same = sizes.actions * theirs.cells == theirs.actions * sizes.cells
    if not same or len(learned) != theirs.planes:
        raise UserError(f"the net is for other rules of {game.name}; train it anew")
    number = {name: n for n, name in enumerate(learned)}
    return [number.get(name, -1) for name in shown]


def _refit(net: Net, game: Game) -> Net:
    """Return a network for its game with other options."""
    shown = show_planes(net, planes_for(net.card, game))
    options, sizes = dict(game.options), Sizes.of(game)
    card = replace(net.card, options=options, sizes=sizes, behaviour=game.behaviour)
    return replace(shown, card=card)
