"""Agents that need neither a tree nor a network."""

import math
import time
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TypeVar

from ludens.agents.agent import (
    MANY,
    NO_LIMIT,
    SLICE_S,
    Agent,
    Limit,
    Thought,
    move_generator,
)
from ludens.agents.analysis import Analysis, MoveInfo, proof_word, winrate
from ludens.loading.game import Game
from ludens.solver.exact import Solver, Unsolved
from ludens.state import State

LONGEST_SLICE_S = 1.0
Found = TypeVar("Found")


class RandomAgent(Agent):
    """Pick any legal move; the seed and the length of the history decide which."""

    name = "random"
    capacity = MANY

    def choose_many(
        self,
        states: Sequence[State],
        limit: Limit = NO_LIMIT,
        seeds: Sequence[int] | None = None,
    ) -> list[int]:
        """Return legal actions, all equally likely."""
        chosen = []
        for state, seed in zip(states, self.seeds_of(states, seeds), strict=True):
            legal = state.legal_actions()
            chosen.append(
                legal[int(move_generator(seed, state.num_plies).integers(len(legal)))]
            )
        return chosen

    def analyse(self, state: State, limit: Limit = NO_LIMIT) -> Analysis:
        """Return an analysis in which all moves are equal."""
        legal = state.legal_actions()
        scores = dict.fromkeys(legal, 0.0)
        priors = {action: 1 / len(legal) for action in legal}
        return tell_scores(self.name, state, scores, priors)


class SolverAgent(Agent):
    """Play perfectly: win as soon as possible, lose as late as possible."""

    name = "solver"
    capacity = MANY
    can_fail = True

    def __init__(self, game: Game, seed: int, default: Limit = NO_LIMIT) -> None:
        super().__init__(seed, default)
        self.solver = Solver(game, memory_mb=64)

    def choose_many(
        self,
        states: Sequence[State],
        limit: Limit = NO_LIMIT,
        seeds: Sequence[int] | None = None,
    ) -> list[int]:
        """Return the first of the best actions of each state."""
        limit = limit.over(self.default)
        solve = self.solver.solve
        return [solve(state, limit.seconds, limit.nodes).best[0] for state in states]

    def analyse(self, state: State, limit: Limit = NO_LIMIT) -> Analysis:
        """Return the exact value of every move."""
        limit = limit.over(self.default)
        with self.solver.limits(limit.seconds, limit.nodes):
            values = self.solver.values(state)
        moves = {action: float(value.outcome) for action, value in values.items()}
        # A quicker win is better, and so is a later loss.
        hurry = {a: -v.outcome * (v.plies or 0) for a, v in values.items()}
        return tell_scores(self.name, state, moves, {}, hurry, exact=True)

    def think(
        self, state: State, limit: Limit = NO_LIMIT, slice_s: float = SLICE_S
    ) -> Iterator[Thought | None]:
        """Find the best move first, then the value of every move."""
        limit = limit.over(self.default)
        began_s = time.perf_counter()
        action = yield from in_slices(
            lambda part: self.choose(state, part), limit, slice_s
        )
        yield Thought(action, is_final=True)
        if limit.seconds is not None:
            left_s = limit.seconds - (time.perf_counter() - began_s)
            limit = replace(limit, seconds=max(slice_s, left_s))
        analysis = yield from in_slices(
            lambda part: self.analyse(state, part), limit, slice_s
        )
        yield Thought(action, lambda _: analysis, is_final=True)

    def stop(self) -> None:
        """End the slice that another thread is in."""
        self.solver.stop()


def in_slices(
    ask: Callable[[Limit], Found], limit: Limit, slice_s: float
) -> Generator[None, None, Found]:
    """Ask a solver, for longer each time, until it knows or its time is up.

    What it has learnt stays in its table, but it finds its way anew in each slice.
    """
    end_s = time.perf_counter() + (limit.seconds or math.inf)
    while True:
        try:
            return ask(replace(limit, seconds=slice_s))
        except Unsolved:
            left_s = end_s - time.perf_counter()
            if left_s <= 0:
                raise Unsolved(f"not solved within {limit.seconds:g} s") from None
            slice_s = min(2 * slice_s, LONGEST_SLICE_S, left_s)
        yield None


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
