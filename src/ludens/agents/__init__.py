"""Anything that picks a move, named by text such as `mcts:sims=1000,rollouts=4`."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

from ludens.agents.foresight import Foresight, GreedyAgent, LookaheadAgent
from ludens.agents.networks import NetChoice, PolicyAgent, share_net
from ludens.agents.searching import Manner, SearchAgent, Warmth
from ludens.agents.simple import Agent, RandomAgent, SolverAgent
from ludens.errors import UserError, nearest
from ludens.loading.game import Game, parse_spec
from ludens.loading.options import Option, OptionValue
from ludens.search.config import SearchConfig
from ludens.settings import options_of, read_settings

__all__ = ["AGENTS", "Agent", "Maker", "SearchAgent", "agent_maker", "make_agent"]

Maker = Callable[[int], Agent]
"""Makes an agent of a seed; what is heavy is loaded already."""
Part = TypeVar("Part")


@dataclass(frozen=True)
class Order:
    """What is wanted of an agent."""

    game: Game
    settings: Mapping[str, OptionValue]
    defaults: Mapping[str, OptionValue]
    seconds: float | None
    """For a move, unless its settings say so."""
    at_once: int
    """Agents that play at the same time, each in a thread of its own."""

    def read(self, part: type[Part]) -> Part:
        """Return the settings of one kind."""
        known = options_of(part)
        given = {k: v for k, v in self.settings.items() if k in known}
        defaults = {k: v for k, v in self.defaults.items() if k in known}
        return read_settings(part, given, "an agent", **defaults)

    def read_manner(self) -> Manner:
        """Return how an agent that searches plays."""
        manner = self.read(Manner)
        return replace(manner, seconds=manner.seconds or self.seconds or 0.0)


def _prepare_search(order: Order) -> Maker:
    config, manner = order.read(SearchConfig), order.read_manner()
    return lambda seed: SearchAgent(order.game, config, seed, manner)


def _prepare_net(order: Order) -> Maker:
    config, manner = order.read(SearchConfig), order.read_manner()
    card, evaluator = share_net(order.game, order.read(NetChoice), order.at_once)
    learnt: dict[str, Any] = dict(card.search)
    if manner.seconds:  # Gumbel's root plans for a number of simulations
        learnt["root"] = config.root
    left = {key: value for key, value in learnt.items() if key not in order.settings}
    config = replace(config, **left)
    return lambda seed: SearchAgent(order.game, config, seed, manner, evaluator)


def _prepare_policy(order: Order) -> Maker:
    warmth = order.read(Warmth)
    card, evaluator = share_net(order.game, order.read(NetChoice), order.at_once)
    discount = float(card.search.get("discount", 1.0))
    return lambda seed: PolicyAgent(evaluator, seed, warmth, discount)


def _prepare_lookahead(order: Order) -> Maker:
    foresight = order.read(Foresight)
    return lambda seed: LookaheadAgent(order.game, seed, foresight)


@dataclass(frozen=True)
class Kind:
    """A kind of agent: a line of help, how one is made, and its settings."""

    help: str
    prepare: Callable[[Order], Maker]
    parts: tuple[Any, ...] = ()
    defaults: Mapping[str, OptionValue] = field(default_factory=dict)
    num_players: int | None = None
    """Of the games that it plays; None: of any."""

    @property
    def options(self) -> dict[str, Option]:
        """Each setting with its default, help and allowed values."""
        known = {k: o for part in self.parts for k, o in options_of(part).items()}
        return {
            name: replace(option, default=self.defaults.get(name, option.default))
            for name, option in known.items()
        }


NET_DEFAULTS = {"sims": 200, "leaf_batch": 8, "cache_size": 4096}
"""Connect four, a small net, one core: 3,800 simulations/s with one leaf at a time,
9,600 with 8, 11,100 with 16; 8 with the cache make 12,500."""
AGENTS = {
    "random": Kind("plays any legal move", lambda order: RandomAgent),
    "greedy": Kind(
        "takes a win or what gains most at once, then parries or leaves moves open",
        lambda order: lambda seed: GreedyAgent(order.game, seed),
    ),
    "lookahead": Kind(
        "adds the best reply, averaged over chance; for one player",
        _prepare_lookahead,
        (Foresight,),
        num_players=1,
    ),
    "solver": Kind(
        "plays perfectly, where it can",
        lambda order: lambda seed: SolverAgent(order.game, order.seconds),
        num_players=2,
    ),
    "mcts": Kind(
        "searches a tree, with random games at its leaves; weak where moves are many",
        _prepare_search,
        (SearchConfig, Manner),
        {"sims": 1000, "rollouts": 1},
    ),
    "net": Kind(
        "searches a tree, with a network at its leaves",
        _prepare_net,
        (NetChoice, SearchConfig, Manner),
        NET_DEFAULTS,
    ),
    "policy": Kind(
        "plays what a network likes best, without a search",
        _prepare_policy,
        (NetChoice, Warmth),
    ),
}


def agent_maker(
    spec: str, game: Game, seconds: float | None = None, at_once: int = 1
) -> Maker:
    """Return what makes the agents that a text such as `mcts:sims=1000` names."""
    name, given = parse_spec(spec)
    if name not in AGENTS:
        raise UserError(f"there is no agent {name!r}{nearest(name, AGENTS)}")
    kind = AGENTS[name]
    known = kind.options
    for setting in given:
        if not known:
            raise UserError(f"the agent {name} has no settings, so no {setting!r}")
        if setting not in known:
            hint = nearest(setting, known)
            raise UserError(f"the agent {name} has no setting {setting!r}{hint}")
    return kind.prepare(Order(game, given, kind.defaults, seconds, at_once))


def make_agent(spec: str, game: Game, seed: int, seconds: float | None = None) -> Agent:
    """Return the agent that a text such as `mcts:sims=1000,rollouts=4` names."""
    return agent_maker(spec, game, seconds)(seed)
