"""What agents need compiled, for processes that do it ahead of time."""

from collections.abc import Iterable, Mapping
from contextlib import suppress
from typing import Any

from ludens.agents.networks import named_net
from ludens.errors import UserError
from ludens.loading.ahead import Task, prepare
from ludens.loading.game import Game, parse_spec
from ludens.nets.config import NetConfig
from ludens.nets.fitting import fit_net
from ludens.nets.weights import Net
from ludens.search import kernel as search_kernel
from ludens.search.config import read_search_config
from ludens.search.model import Evaluation, Evaluator, ModelSizes
from ludens.search.search import Search
from ludens.solver import kernel as solver_kernel
from ludens.solver.exact import Solver


def prepare_agents(game: Game, agents: Iterable[str]) -> None:
    """Begin to compile what agents need; what is wrong with them is not said here."""
    tasks: dict[Game, dict[Task, None]] = {}
    for agent in agents:
        with suppress(UserError):
            net = named_net(agent, game)
            seen = game if net is None else fit_net(net, game)[1]
            found = dict.fromkeys(agent_tasks(agent, net))
            tasks[seen] = tasks.get(seen, {}) | found
    for seen, wanted in tasks.items():
        prepare(seen, wanted)


def agent_tasks(spec: str, net: Net | None) -> list[Task]:
    """Return what an agent such as `net:sims=200` needs, with its network."""
    name, given = parse_spec(spec)
    if name == "solver":
        return [Task(solver_kernel, "search", compile_solver)]
    if name not in ("mcts", "net"):
        return []
    learnt = {} if net is None else net.card.search
    root = "puct" if "seconds" in given else learnt.get("root", "puct")
    root = str(given.get("root", root))
    proofs = proofs_of(given)
    if net is None:
        return search_tasks(root, "rollouts", proofs=proofs)
    config = net.card.config
    return search_tasks(root, leaves_of(config), codes=config.codes, proofs=proofs)


def leaves_of(config: NetConfig) -> str:
    """Return what evaluates leaves, as `search_tasks` names it."""
    return "learned" if config.is_learned else "net"


def proofs_of(settings: Mapping[str, object]) -> str:
    """Return which settings of a search ask for proofs at leaves, as words."""
    names = ("exact_nodes", "force_nodes", "press_nodes")
    return " ".join(name for name in names if str(settings.get(name, 0)) != "0")


def search_tasks(
    root: str,
    leaves: str,
    has_many: bool = False,
    codes: int = 0,
    proofs: str = "",
) -> list[Task]:
    """Return what a search needs, what takes longest first.

    Leaves have rollouts, a net, or are imagined by a net with a learned model, which
    may have codes for hidden chance. `proofs` is what `proofs_of` says.
    """
    games = "many" if has_many else "one"
    entries = {
        "rollouts": ["simulate"],
        "net": ["collect", "observe_leaves", "absorb"],
        "learned": ["collect", "absorb"],
    }[leaves]
    entries += ["read_roots", *["prepare_roots"] * (root == "puct"), "reset"]
    entries += ["find_idle"] * has_many + ["describe_roots"] * (leaves == "learned")
    more = [str(codes), proofs] if codes or proofs else []
    return [
        Task(search_kernel, entry, compile_search, (root, leaves, games, entry, *more))
        for entry in entries
    ]


def compile_search(
    game: Game,
    root: str,
    leaves: str,
    games: str,
    entry: str,
    codes: str = "0",
    proofs: str = "",
) -> None:
    """Compile one entry of a search."""
    evaluator: Evaluator | None = None
    if leaves != "rollouts":
        evaluator = _Guess(game, int(codes)) if leaves == "learned" else _guess
    num_games = 2 if games == "many" else 1
    config = read_search_config(dict.fromkeys(proofs.split(), 1), root=root, sims=1)
    search = Search(game, config, num_games, 1, evaluator, is_lazy=True)
    search.entries()[entry]()


def compile_solver(game: Game) -> None:
    """Compile the solver."""
    Solver(game, memory_mb=1)


def _guess(*asked: Any) -> Evaluation:
    raise AssertionError("there is nothing to evaluate")


class _Guess:
    """A learned model of a game that is never asked."""

    latent_size = 1
    step = staticmethod(_guess)

    def __init__(self, game: Game, codes: int) -> None:
        order = game.turn_order
        outcomes = int(game.plain.MAX_OUTCOMES) if order.has_chance else codes
        alternates = order.alternates and outcomes == 0
        sizes = (game.num_actions, game.num_players, outcomes, alternates)
        self.model_sizes = ModelSizes(*sizes)

    def __call__(self, planes: Any) -> Evaluation:
        return _guess(planes)
