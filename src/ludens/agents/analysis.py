"""What an agent thinks of a position, in the words of KataGo's analysis engine."""

import math
from collections.abc import Collection
from dataclasses import dataclass, field, replace
from statistics import NormalDist
from typing import Any, NamedTuple

import numpy as np

from ludens.game import CHANCE, OVER
from ludens.pictures.notebook import analysis_html
from ludens.search.search import Roots, Search
from ludens.search.tree import UNPROVEN
from ludens.state import State

Z = NormalDist().inv_cdf(0.975)
"""Standard deviations to either side that hold 95 % of a normal distribution."""
LEAST_VISITS = 10
"""Of a move in a main line: with fewer, it is only the one that was tried first."""


class MoveInfo(NamedTuple):
    """One candidate move. All numbers are for the player to move."""

    move: str
    order: int
    visits: int
    prior: float
    utility: float
    """The expected result in [-1, 1]; for one player, the expected score to come."""
    winrate: float
    """(utility + 1) / 2 for two players; the utility for one."""
    lcb: float
    """A bound that the winrate is above with 95 % confidence."""
    pv: tuple[str, ...]
    """The main line, this move first."""
    proof: str = ""
    """"win", "draw" or "loss" where it is proven."""


@dataclass(frozen=True)
class Analysis:
    """A position as an agent sees it, its best move first."""

    agent: str
    player: int
    visits: int
    utility: float
    winrate: float
    moves: tuple[MoveInfo, ...]
    proof: str = ""
    is_full: bool = False
    """Whether the search stopped because its memory was used up."""
    discount: float = 1.0
    """Of what follows a move, in the utilities of a single-player game."""
    is_imagined: bool = False
    """Whether a learned model planned it, not the rules."""
    state: State | None = field(default=None, repr=False, compare=False)
    """The position, for who wants to show it."""

    @property
    def num_players(self) -> int:
        """Of the game: what winrates mean depends on it."""
        return 2 if self.state is None else self.state.game.num_players

    @property
    def measure(self) -> str:
        """What `winrate` is: in a single-player game a score, or the outlook on one.

        An outlook counts what is far away for less, and so is no forecast of a score.
        """
        if self.num_players == 2:
            return "winrate"
        return "score" if self.discount == 1 else "outlook"

    def _repr_html_(self) -> str:
        return analysis_html(self)

    def to_json(self, top: int | None = None) -> dict[str, Any]:
        """Return it with the field names of KataGo's JSON; top: so many moves."""
        root = {
            "currentPlayer": self.player,
            "visits": self.visits,
            "utility": self.utility,
            self.measure: self.winrate,
            "discount": self.discount,
            "isFull": self.is_full,
            "isImagined": self.is_imagined,
            "proof": self.proof or None,
        }
        moves = [self._move_json(move) for move in self.moves[:top]]
        return {"agent": self.agent, "rootInfo": root, "moveInfos": moves}

    def of_moves(self, names: Collection[str]) -> "Analysis":
        """Return what it says of some moves, the best of them first."""
        moves = [move for move in self.moves if move.move in names]
        ranked = (move._replace(order=order) for order, move in enumerate(moves))
        return replace(self, moves=tuple(ranked))

    def _move_json(self, move: MoveInfo) -> dict[str, Any]:
        known = move._asdict() | {"proof": move.proof or None}
        known["lcb"] = move.lcb if math.isfinite(move.lcb) else None
        return {self.measure if k == "winrate" else k: v for k, v in known.items()}


def proof_word(proof: float) -> str:
    """Return a proof in a word, nothing if there is none."""
    return {1: "win", 0: "draw", -1: "loss"}.get(int(proof), "")


def winrate(utility: float, num_players: int) -> float:
    """Return the share of games won, draws counted half; for one player the utility."""
    return (utility + 1) / 2 if num_players == 2 else utility


def analyse_search(
    agent: str,
    search: Search,
    roots: Roots,
    state: State,
    num_lines: int | None = None,
) -> Analysis:
    """Read the analysis of game 0 of a search at this state.

    The first `num_lines` moves (None: all) have a main line, others only themselves.
    """
    players = state.game.num_players
    legal = state.legal_actions()
    best = int(roots.chosen[0])
    # As lists: single numbers of arrays are slow to read.
    rows = (roots.visits, roots.priors, roots.means, roots.proofs)
    all_visits, priors, means, proofs = (row[0].tolist() for row in rows)
    ranked = sorted(legal, key=lambda a: (a != best, -all_visits[a], a))
    moves = []
    for order, action in enumerate(ranked):
        visits, proof = int(all_visits[action]), proofs[action]
        utility = means[action] if proof == UNPROVEN else proof
        rate = winrate(utility, players)
        bound = rate if proof != UNPROVEN else _bound(search, rate, visits, players)
        name = state.action_name(action)
        has_line = num_lines is None or order < num_lines
        moves.append(
            MoveInfo(
                name,
                order,
                visits,
                priors[action],
                utility,
                rate,
                bound,
                main_line(search, state, action) if has_line else (name,),
                proof_word(proof),
            )
        )
    root = search.forest.nodes[0, 0]
    sign = -1 if root.to_play == 1 else 1
    value = float(roots.values[0])
    return Analysis(
        agent,
        state.to_play,
        int(roots.visits[0].sum()),
        value,
        winrate(value, players),
        tuple(moves),
        proof_word(UNPROVEN if root.proof == UNPROVEN else sign * root.proof),
        bool(roots.is_full[0]),
        search.config.discount if players == 1 else 1.0,
        search.model is not None,
        state.copy(),
    )


def _bound(search: Search, rate: float, visits: int, players: int) -> float:
    """Return what a rate after so many visits is hardly below.

    For one player half the range of means seen stands for the deviation.
    """
    if players == 2:
        return wilson(rate, visits)[0]
    head = search.forest.heads[0]
    spread = max(0.0, float(head.high - head.low)) / 2
    return rate - (Z * spread / math.sqrt(visits) if visits else math.inf)


def wilson(rate: float, visits: float) -> tuple[float, float]:
    """Return the interval of a rate after so many results (Wilson, 1927)."""
    if visits == 0:
        return 0.0, 1.0
    square = Z**2 / visits
    variance = max(0.0, rate * (1 - rate))
    margin = math.sqrt(square * (variance + square / 4)) / (1 + square)
    centre = wilson_centre(rate, visits)
    return max(0.0, centre - margin), min(1.0, centre + margin)


def wilson_centre(rate: float, visits: float) -> float:
    """Return the middle of that interval."""
    square = Z**2 / visits
    return (rate + square / 2) / (1 + square)


def main_line(search: Search, state: State, action: int) -> tuple[str, ...]:
    """Return the most visited line after an action, up to the first turn of chance and
    as far as it was looked at. What cannot be played, but was imagined, ends it."""
    forest, plain = search.forest, state.game.plain
    # Whole columns: the fields of single records are ten times slower to read.
    fields = ("to_play", "first_edge", "num_edges")
    to_play, first_edge, num_edges = (forest.nodes[name][0] for name in fields)
    names = [state.action_name(action)]
    edges = search.edges(0, 0)
    index = int(edges[edges["action"] == action]["child"].max(initial=-1))
    while index >= 0 and to_play[index] not in (CHANCE, OVER):
        first = first_edge[index]
        edges = forest.edges[0, first : first + num_edges[index]]
        visits = edges["visits"]
        if visits.max(initial=0) < LEAST_VISITS:
            break
        best = visits.argmax()
        action = int(edges["action"][best])
        raw = real_state(search, state, index, action)
        if raw is None:
            break
        names.append(plain.action_name(raw, action))
        index = int(edges["child"][best])
    return tuple(names)


def real_state(search: Search, state: State, index: int, choice: int) -> Any:
    """Return the record of a node of game 0, at which a choice is made.

    A learned model has none, so the moves from the state at the root are played; None
    if they, or the choice, cannot be: all that is only imagined.
    """
    if search.model is None:
        return search.states[0, index]
    nodes, edges = search.forest.nodes[0], search.forest.edges[0]
    path = [choice]
    while index != 0:
        path.insert(0, int(edges[nodes[index].parent_edge].action))
        index = int(nodes[index].parent)
    records, rules = state.game.states(1), state.game.rules
    records[0] = state.raw
    for number, step in enumerate(path, 1):
        if not _can_follow(state, records[0], step):
            return None
        if number < len(path):
            by_chance = records[0].to_play == CHANCE
            (rules.apply_chance if by_chance else rules.apply)(records[0], step)
    return records[0]


def _can_follow(state: State, raw: Any, choice: int) -> bool:
    """Tell whether the rules allow a choice of whoever is to move."""
    rules = state.game.rules
    if raw.to_play == CHANCE:
        chances = np.zeros(state.game.plain.MAX_OUTCOMES + 1)
        return bool(choice < rules.chance(raw, chances) and chances[choice] > 0)
    actions = np.empty(state.game.num_actions, np.int32)
    count = rules.legal(raw, actions) if raw.to_play >= 0 else 0
    return bool((actions[:count] == choice).any())
