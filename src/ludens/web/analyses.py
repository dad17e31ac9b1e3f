"""Thoughts as a client gets them: analyses, verdicts on moves, trees, solutions."""

from collections.abc import Mapping
from typing import Any

from ludens.agents.analysis import Analysis, MoveInfo, wilson_centre, winrate
from ludens.pictures.tree import Branch
from ludens.solver.exact import Solution
from ludens.state import State


def actions_of(state: State) -> dict[str, int]:
    """Return the legal actions by their names."""
    return {state.action_name(action): action for action in state.legal_actions()}


def analysis_event(
    analysis: Analysis,
    actions: Mapping[str, int],
    players: int,
    spent_s: float | None = None,
) -> dict[str, Any]:
    """Return an analysis, with its speed if it took time."""
    return {
        "event": "analysis",
        "agent": analysis.agent,
        "player": analysis.player,
        "sims": analysis.visits,
        "sims_per_s": analysis.visits / spent_s if spent_s else None,
        "value": analysis.utility,
        "winrate": analysis.winrate,
        "discount": analysis.discount,
        "proof": analysis.proof,
        "is_full": analysis.is_full,
        "is_imagined": analysis.is_imagined,
        "moves": [_move(m, actions[m.move], players) for m in analysis.moves],
        "is_done": False,
    }


def _move(info: MoveInfo, action: int, players: int) -> dict[str, Any]:
    return {
        "action": action,
        "name": info.move,
        "visits": info.visits,
        "value": info.utility,
        "winrate": info.winrate,
        "prior": info.prior,
        "proof": info.proof,
        "interval": _interval(info, players) if info.visits else None,
        "line": info.pv,
    }


def _interval(info: MoveInfo, players: int) -> tuple[float, float]:
    """Return both bounds of a winrate, or of the score to come for one player."""
    if info.proof:
        return info.winrate, info.winrate
    if players == 2:
        return info.lcb, 2 * wilson_centre(info.winrate, info.visits) - info.lcb
    return info.lcb, 2 * info.winrate - info.lcb


def verdict_event(
    analysis: Analysis, state: State, step: int, played: float | None
) -> dict[str, Any]:
    """Return what a move gave away; `played` is the value after it, if it is known."""
    name, best = state.action_name(step), analysis.moves[0]
    rate = None if played is None else winrate(played, state.game.num_players)
    is_slip = rate is not None and name != best.move
    return {
        "event": "review",
        "player": analysis.player,
        "name": name,
        "value": analysis.utility,
        "winrate": analysis.winrate,
        "score": state.score,
        "best": best.move,
        "best_action": state.read_action(best.move),
        "played_winrate": rate,
        "drop": max(0.0, best.winrate - (rate or 0.0)) if is_slip else 0.0,
        "proof": analysis.proof,
    }


def value_after(before: State, after: State, analysis: Analysis | None) -> float:
    """Return what a move came to, for who made it; the analysis is of the position
    after it, None if the game is over there."""
    if before.game.num_players == 1:
        coming = 0.0 if analysis is None else analysis.utility
        return after.score - before.score + coming
    if analysis is None:
        return (after.result or 0.0) * (1 - 2 * before.to_play)
    is_same = after.to_play == before.to_play
    return analysis.utility if is_same else -analysis.utility


def solution_reply(found: Solution, state: State) -> dict[str, Any]:
    """Return a solved position, with its line in words."""
    return {
        "outcome": found.value.outcome,
        "plies": found.value.plies,
        "words": str(found.value),
        "best": found.best,
        "best_names": [state.action_name(action) for action in found.best],
        "line": found.named_line(state),
        "nodes": found.nodes,
        "took_s": found.seconds,
    }


def tree_reply(branch: Branch) -> dict[str, Any]:
    """Return a part of a tree."""
    children = [tree_reply(child) for child in branch.children]
    return vars(branch) | {"children": children, "is_leaf": branch.is_leaf}
