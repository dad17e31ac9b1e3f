"""Agents that need neither a tree nor a network, and what all agents do."""

from collections.abc import Mapping
from typing import Protocol

import numpy as np

from ludens.agents.analysis import Analysis, MoveInfo, proof_word, winrate
from ludens.loading.game import Game
from ludens.solver.exact import Solver
from ludens.state import State


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
        return legal[int(dice(self.seed, state).integers(len(legal)))]

    def analyse(self, state: State) -> Analysis:
        """Tell that all moves are alike."""
        legal = state.legal_actions()
        scores = dict.fromkeys(legal, 0.0)
        return tell_scores("random", state, scores, {a: 1 / len(legal) for a in legal})


class SolverAgent:
    """Play perfectly: win as soon as possible, lose as late as possible."""

    def __init__(self, game: Game, seconds: float | None) -> None:
        self.solver = Solver(game, memory_mb=64)
        self.seconds = seconds

    def choose(self, state: State) -> int:
        """Return the first of the best actions."""
        return self.solver.solve(state, self.seconds).best[0]

    def analyse(self, state: State) -> Analysis:
        """Tell the exact value of every move."""
        with self.solver.limits(self.seconds):
            values = self.solver.values(state)
        moves = {action: float(value.outcome) for action, value in values.items()}
        # A quicker win is better, and so is a later loss.
        hurry = {a: -v.outcome * (v.plies or 0) for a, v in values.items()}
        return tell_scores("solver", state, moves, {}, hurry, exact=True)


def dice(seed: int, state: State) -> np.random.Generator:
    """Return a generator for this move; the last number keeps it apart from chance."""
    return np.random.default_rng((seed, len(state.history), 1))


def tell_scores(
    agent: str,
    state: State,
    scores: Mapping[int, float],
    priors: Mapping[int, float],
    ties: Mapping[int, float] | None = None,
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
    seen = state.copy()
    return Analysis(agent, state.to_play, 0, top, rate, tuple(moves), proof, state=seen)
