"""Anything that picks a move, named by text such as `mcts:sims=1000,rollouts=4`."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Protocol, TypeVar

from ludens.agents.agent import NO_LIMIT, Agent, Limit
from ludens.agents.foresight import (
    Foresight,
    GreedyAgent,
    LookaheadAgent,
    require_foresight,
)
from ludens.agents.gomocup import EngineAgent, EngineChoice, check_game
from ludens.agents.networks import (
    Memory,
    NetChoice,
    PolicyAgent,
    Symmetries,
    share_net,
)
from ludens.agents.programs import read_command
from ludens.agents.searching import PlaySettings, SearchAgent, Temperature
from ludens.agents.simple import RandomAgent, SolverAgent
from ludens.errors import UserError, nearest
from ludens.infer.evaluator import NetEvaluator
from ludens.loading.game import Game, parse_spec
from ludens.loading.options import Option, OptionValue
from ludens.nets.weights import NetCard
from ludens.search.averaging import Averaging, find_averaging
from ludens.search.config import SearchConfig
from ludens.search.model import is_learned
from ludens.settings import options_of, read_settings

__all__ = [
    "AGENTS",
    "Agent",
    "Limit",
    "Maker",
    "agent_maker",
    "make_agent",
    "runs_commands",
]

Part = TypeVar("Part")
BEST = PlaySettings()
"""The best move, however long it takes."""


class Maker(Protocol):
    """Makes agents; what is heavy is loaded already."""

    def __call__(self, seed: int, num_games: int = 1) -> Agent:
        """Return an agent for so many games at a time."""


@dataclass(frozen=True)
class Order:
    """What is wanted of an agent."""

    game: Game
    settings: Mapping[str, OptionValue]
    defaults: Mapping[str, OptionValue]
    limit: Limit
    """For a move, where the settings have none."""
    at_once: int
    """Agents that play at the same time, each in a thread of its own."""

    def read(self, part: type[Part]) -> Part:
        """Return the settings of one kind."""
        known = options_of(part)
        given = {k: v for k, v in self.settings.items() if k in known}
        defaults = {k: v for k, v in self.defaults.items() if k in known}
        return read_settings(part, given, "an agent", **defaults)

    def read_search(self) -> tuple[SearchConfig, PlaySettings]:
        """Return how an agent that searches does so; its own settings come first."""
        config, play = self.read(SearchConfig), self.read(PlaySettings)
        if "sims" not in self.settings and self.limit.sims is not None:
            config = replace(config, sims=self.limit.sims)
        return config, replace(play, seconds=play.seconds or self.limit.seconds or 0.0)


def _prepare_search(order: Order) -> Maker:
    config, play = order.read_search()
    return lambda seed, num_games=1: SearchAgent(
        order.game, config, seed, play, None, num_games
    )


def _prepare_net(order: Order) -> Maker:
    config, play = order.read_search()
    net = share_net(order.game, order.read(NetChoice), order.at_once)
    learnt: dict[str, Any] = search_of(net.card)
    if play.seconds:  # Gumbel's root plans for a number of simulations
        learnt["root"] = config.root
    if play.seconds or order.limit.sims is not None:
        learnt.pop("sims", None)
    left = {key: value for key, value in learnt.items() if key not in order.settings}
    return net_maker(net.game, replace(config, **left), net.memory, play)


def search_of(card: NetCard) -> dict[str, OptionValue]:
    """Return the settings by which a net searches, where nobody says otherwise.

    A learned model is searched as it was taught, a leaf at a time. With eight, one net
    for tic-tac-toe was wrong once in 4,520 positions, and never with one.
    """
    one_by_one = {"leaf_batch": 1} if card.config.is_learned else {}
    return {**one_by_one, **card.search}


def net_maker(
    game: Game,
    config: SearchConfig,
    memory: Memory,
    play: PlaySettings = BEST,
) -> Maker:
    """Return what makes agents that search with a network.

    For many games at a time, answers are remembered for all of them together: in a
    tree's own cache, the games of a group would depend on each other.
    """
    outside = replace(config, cache_size=0)

    is_alone = is_learned(memory.evaluator)  # of what it imagines nothing is known

    def make(seed: int, num_games: int = 1) -> Agent:
        if num_games == 1 or is_alone:
            return SearchAgent(game, config, seed, play, memory.evaluator, num_games)
        return SearchAgent(game, outside, seed, play, memory, num_games)

    return make


def _prepare_policy(order: Order) -> Maker:
    temperature = order.read(Temperature)
    net = share_net(order.game, order.read(NetChoice), order.at_once)
    discount = float(net.card.search.get("discount", 1.0))
    evaluator, symmetries = net.memory.evaluator, order.read(Symmetries).symmetries
    averaging = find_averaging(net.game, evaluator, symmetries)
    return policy_maker(evaluator, temperature, discount, net.game, averaging)


def policy_maker(
    evaluator: NetEvaluator,
    temperature: Temperature = BEST,
    discount: float = 1.0,
    game: Game | None = None,
    averaging: Averaging | None = None,
) -> Maker:
    """Return what makes agents that play by a network without a search."""
    return lambda seed, num_games=1: PolicyAgent(
        evaluator, seed, temperature, discount, game, averaging
    )


def _prepare_lookahead(order: Order) -> Maker:
    foresight = order.read(Foresight)
    require_foresight(order.game)
    return lambda seed, num_games=1: LookaheadAgent(order.game, seed, foresight)


def _prepare_engine(order: Order) -> Maker:
    check_game(order.game)
    choice = order.read(EngineChoice)
    if "seconds" not in order.settings and order.limit.seconds is not None:
        choice = replace(choice, seconds=order.limit.seconds)
    words = read_command(choice.cmd)
    return lambda seed, num_games=1: EngineAgent(order.game, seed, choice, words)


@dataclass(frozen=True)
class Kind:
    """A kind of agent: a line of help, how one is made, and its settings."""

    help: str
    prepare: Callable[[Order], Maker]
    parts: tuple[Any, ...] = ()
    defaults: Mapping[str, OptionValue] = field(default_factory=dict)
    num_players: int | None = None
    """Of the games that it plays; None: of any."""
    needs_rules: bool = True
    """Whether it looks ahead by the rules, which an environment has not."""
    runs_commands: bool = False
    """Whether its text is a command to run, and so never a stranger's."""

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
    "random": Kind(
        "plays any legal move",
        lambda order: lambda seed, num_games=1: RandomAgent(seed),
        needs_rules=False,
    ),
    "greedy": Kind(
        "takes a win or what gains most, parries, then goes by the game's heuristic",
        lambda order: lambda seed, num_games=1: GreedyAgent(order.game, seed),
    ),
    "lookahead": Kind(
        "adds the best reply, averaged over chance; for two players by a heuristic",
        _prepare_lookahead,
        (Foresight,),
    ),
    "solver": Kind(
        "plays perfectly, where it can",
        lambda order: (
            lambda seed, num_games=1: SolverAgent(order.game, seed, order.limit)
        ),
        num_players=2,
    ),
    "mcts": Kind(
        "searches a tree, with random games at its leaves; weak where moves are many",
        _prepare_search,
        (SearchConfig, PlaySettings),
        {"sims": 1000, "rollouts": 1},
    ),
    "net": Kind(
        "searches a tree, with a network at its leaves",
        _prepare_net,
        (NetChoice, SearchConfig, PlaySettings),
        NET_DEFAULTS,
        needs_rules=False,
    ),
    "policy": Kind(
        "plays what a network likes best, without a search",
        _prepare_policy,
        (NetChoice, Symmetries, Temperature),
        needs_rules=False,
    ),
    "engine": Kind(
        "lets another program play gomoku by the Gomocup protocol",
        _prepare_engine,
        (EngineChoice,),
        num_players=2,
        runs_commands=True,
    ),
}


def agent_maker(
    spec: str, game: Game, limit: Limit = NO_LIMIT, at_once: int = 1
) -> Maker:
    """Return what makes the agents that a text such as `mcts:sims=1000` names."""
    name, given = parse_spec(spec)
    if name not in AGENTS:
        raise UserError(f"there is no agent {name!r}{nearest(name, AGENTS)}")
    kind = AGENTS[name]
    if kind.needs_rules and game.environment is not None:
        others = ", ".join(n for n, k in AGENTS.items() if not k.needs_rules)
        raise UserError(f"{name} needs rules, which {game.spec} has not; use {others}")
    known = kind.options
    for setting in given:
        if not known:
            raise UserError(f"the agent {name} has no settings, so no {setting!r}")
        if setting not in known:
            hint = nearest(setting, known)
            raise UserError(f"the agent {name} has no setting {setting!r}{hint}")
    return kind.prepare(Order(game, given, kind.defaults, limit, at_once))


def runs_commands(spec: str) -> bool:
    """Tell whether the text of an agent is a command to run."""
    name, _ = parse_spec(spec)
    return name in AGENTS and AGENTS[name].runs_commands


def make_agent(spec: str, game: Game, seed: int, limit: Limit = NO_LIMIT) -> Agent:
    """Return the agent that a text such as `mcts:sims=1000,rollouts=4` names.

    The limit is for moves where neither the text nor a call says otherwise.
    """
    return agent_maker(spec, game, limit)(seed)
