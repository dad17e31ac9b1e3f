"""Anything that picks a move, named by text such as `mcts:sims=1000,rollouts=4`."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from ludens.analysis import Analysis, MoveInfo, analyse_search, proof_word, winrate
from ludens.errors import UserError, nearest
from ludens.loading import Game, parse_spec
from ludens.options import Option, OptionValue
from ludens.search.config import SearchConfig, read_config
from ludens.search.search import Roots, Search
from ludens.solver import Solver
from ludens.state import State

NUM_REFILLS = 8


class Agent(Protocol):
    """One who picks a move, from a state that does not know the coming dice."""

    def choose(self, state: State) -> int:
        """Return the action to play; raise UserError if there is no telling."""

    def analyse(self, state: State) -> Analysis:
        """Tell what is known of each move, the best first."""


class RandomAgent:
    """Pick any legal move; the seed and the length of the history decide which."""

    def __init__(self, seed: int) -> None:
        self.seed = seed

    def choose(self, state: State) -> int:
        """Return a legal action, each as likely as the others."""
        legal = state.legal_actions()
        return legal[int(_dice(self.seed, state).integers(len(legal)))]

    def analyse(self, state: State) -> Analysis:
        """Tell that all moves are alike."""
        legal = state.legal_actions()
        scores = dict.fromkeys(legal, 0.0)
        return _analysis("random", state, scores, {a: 1 / len(legal) for a in legal})


class GreedyAgent:
    """Look one ply ahead.

    Two players: take what wins, shun what loses. One player: take the most reward, then
    keep the most moves open (after a turn of chance, on average over some outcomes).
    """

    def __init__(self, seed: int) -> None:
        self.seed = seed

    def choose(self, state: State) -> int:
        """Return one of the best actions, by lot."""
        scores = self._scores(state)
        top = max(scores.values())
        best = [action for action, score in scores.items() if score == top]
        return best[int(_dice(self.seed, state).integers(len(best)))]

    def analyse(self, state: State) -> Analysis:
        """Tell what each move brings at once."""
        scores = {action: score[0] for action, score in self._scores(state).items()}
        return _analysis(
            "greedy", state, scores, dict.fromkeys(scores, 1 / len(scores))
        )

    def _scores(self, state: State) -> dict[int, tuple[float, float]]:
        return {action: self._score(state, action) for action in state.legal_actions()}

    def _score(self, state: State, action: int) -> tuple[float, float]:
        child = state.copy()
        child.apply(action)
        if state.game.num_players == 2:
            return ((child.result or 0.0) * (1 - 2 * state.to_play), 0.0)
        if not child.is_chance:
            return (child.score - state.score, len(child.legal_actions()))
        after = [child.copy(seed=self.seed + i) for i in range(NUM_REFILLS)]
        moves = [len(twin.legal_actions()) for twin in after]
        return (child.score - state.score, sum(moves) / NUM_REFILLS)


class SolverAgent:
    """Play perfectly: win as soon as possible, lose as late as possible."""

    def __init__(self, game: Game, seconds: float | None) -> None:
        self._solver = Solver(game, memory_mb=64)
        self._seconds = seconds

    def choose(self, state: State) -> int:
        """Return the first of the best actions."""
        return self._solver.solve(state, self._seconds).best[0]

    def analyse(self, state: State) -> Analysis:
        """Tell the exact value of every move."""
        with self._solver.limits(self._seconds):
            values = self._solver.values(state)
        moves = {action: float(value.outcome) for action, value in values.items()}
        # A quicker win is better, and so is a later loss.
        hurry = {a: -v.outcome * (v.plies or 0) for a, v in values.items()}
        return _analysis("solver", state, moves, {}, hurry, exact=True)


class SearchAgent:
    """Search the tree; the part that a game goes on into is kept for the next move."""

    def __init__(
        self,
        game: Game,
        config: SearchConfig,
        seed: int,
        seconds: float | None = None,
        temperature: float = 0.0,
        temperature_plies: int = 0,
    ) -> None:
        self.seed = seed
        self.search = Search(game, config)
        self._seconds = seconds
        self._temperature = temperature
        self._temperature_plies = temperature_plies
        self._is_planted = False

    def choose(self, state: State) -> int:
        """Return the best action, or one by lot while the temperature is on."""
        roots = self._run(state)
        if self._temperature > 0 and state.num_plies < self._temperature_plies:
            generator = _dice(self.seed, state)
            return pick_warm(roots.policy[0], self._temperature, generator)
        return int(roots.chosen[0])

    def analyse(self, state: State) -> Analysis:
        """Tell what the search found."""
        return analyse_search("mcts", self.search, self._run(state), state)

    def _run(self, state: State) -> Roots:
        if self._is_planted:
            self.search.reuse(0, state.raw)
        else:
            seed = np.random.SeedSequence(self.seed).generate_state(1, np.uint64)
            self.search.begin(state._array, [int(seed[0])])
            self._is_planted = True
        return self.search.run(seconds=self._seconds)


def pick_warm(
    policy: np.ndarray, temperature: float, generator: np.random.Generator
) -> int:
    """Return an action drawn with probability policy ** (1 / temperature)."""
    weights = np.where(policy > 0, policy, 0.0) / policy.max()
    weights = weights ** (1.0 / temperature)
    return int(generator.choice(len(policy), p=weights / weights.sum()))


def _dice(seed: int, state: State) -> np.random.Generator:
    """Return a generator for this move; the last number keeps it apart from chance."""
    return np.random.default_rng((seed, len(state.history), 1))


def _analysis(
    agent: str,
    state: State,
    scores: dict[int, float],
    priors: dict[int, float],
    ties: dict[int, int] | None = None,
    exact: bool = False,
) -> Analysis:
    """Return an analysis that has a score for each move and nothing else."""
    players, ties = state.game.num_players, ties or {}
    ranked = sorted(scores, key=lambda a: (-scores[a], -ties.get(a, 0), a))
    moves = []
    for order, action in enumerate(ranked):
        name, rate = state.action_name(action), winrate(scores[action], players)
        proof = proof_word(scores[action]) if exact else ""
        prior = priors.get(action, 0.0)
        moves.append(
            MoveInfo(name, order, 0, prior, scores[action], rate, rate, (name,), proof)
        )
    top = scores[ranked[0]]
    proof = moves[0].proof
    rate = winrate(top, players)
    return Analysis(agent, state.to_play, 0, top, rate, tuple(moves), proof)


Options = dict[str, OptionValue]
Make = Callable[[Game, Options, int, float | None], Agent]
PLAY_OPTIONS = {
    option.name: option
    for option in (
        Option(
            "temperature", 0.0, "of the lot a move is drawn by; 0: the best", low=0.0
        ),
        Option("temperature_plies", 1000, "plies after which it is 0", low=0),
        Option("seconds", 0.0, "time for a move; 0: as long as it takes", low=0.0),
    )
}
"""What a search agent has beside the settings of its search."""
SEARCH_DEFAULTS = {"sims": 1000, "rollouts": 1}


@dataclass(frozen=True)
class Kind:
    """A kind of agent: a line of help, and how one is made."""

    help: str
    make: Make


def _make_search(
    game: Game, options: Options, seed: int, seconds: float | None
) -> Agent:
    own = {k: o.read(options.pop(k, o.default)) for k, o in PLAY_OPTIONS.items()}
    return SearchAgent(
        game,
        read_config(options, **SEARCH_DEFAULTS),
        seed,
        float(own["seconds"]) or seconds,
        float(own["temperature"]),
        int(own["temperature_plies"]),
    )


def _without_settings(make: Callable[[Game, int, float | None], Agent]) -> Make:
    def build(game: Game, options: Options, seed: int, seconds: float | None) -> Agent:
        if options:
            raise UserError(f"this agent has no settings, so no {min(options)!r}")
        return make(game, seed, seconds)

    return build


AGENTS = {
    "random": Kind(
        "plays any legal move", _without_settings(lambda g, s, t: RandomAgent(s))
    ),
    "greedy": Kind(
        "looks one ply ahead", _without_settings(lambda g, s, t: GreedyAgent(s))
    ),
    "solver": Kind(
        "plays perfectly, where it can",
        _without_settings(lambda g, s, t: SolverAgent(g, t)),
    ),
    "mcts": Kind("searches a tree, with random games at its leaves", _make_search),
}


def make_agent(spec: str, game: Game, seed: int, seconds: float | None = None) -> Agent:
    """Return the agent that a text such as `mcts:sims=1000,rollouts=4` names."""
    name, options = parse_spec(spec)
    if name not in AGENTS:
        raise UserError(f"there is no agent {name!r}{nearest(name, AGENTS)}")
    return AGENTS[name].make(game, options, seed, seconds)
