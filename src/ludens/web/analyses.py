"""Thoughts as a client gets them: analyses, verdicts on moves, trees, solutions."""

from typing import Any

from ludens.analysis import Analysis, MoveInfo
from ludens.solver import Solution
from ludens.state import State
from ludens.treeview import Branch


def analysis_event(
    analysis: Analysis, state: State, spent_s: float | None = None
) -> dict[str, Any]:
    """Return an analysis, with its speed if it took time."""
    actions = {state.action_name(action): action for action in state.legal_actions()}
    players = state.game.num_players
    return {
        "event": "analysis",
        "agent": analysis.agent,
        "player": analysis.player,
        "sims": analysis.visits,
        "sims_per_s": analysis.visits / spent_s if spent_s else None,
        "value": analysis.utility,
        "winrate": analysis.winrate,
        "proof": analysis.proof,
        "is_full": analysis.is_full,
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
    """Return both bounds of a winrate, of which the lower one is known."""
    high = 2 * info.winrate - info.lcb
    return info.lcb, min(high, 1.0) if players == 2 else high


def verdict_event(
    analysis: Analysis, state: State, step: int, index: int
) -> dict[str, Any]:
    """Return what a move, made at a state, gave away."""
    name = state.action_name(step)
    moves = {info.move: info for info in analysis.moves}
    best, played = analysis.moves[0], moves.get(name)
    rate = analysis.winrate if played is None else played.winrate
    is_known = played is not None and (played.visits > 0 or played.proof != "")
    drop = max(0.0, best.winrate - rate) if is_known and name != best.move else 0.0
    return {
        "event": "review",
        "step": index,
        "player": analysis.player,
        "name": name,
        "value": analysis.utility,
        "winrate": analysis.winrate,
        "best": best.move,
        "best_action": state.read_action(best.move),
        "played_winrate": rate if is_known else None,
        "drop": drop,
        "proof": analysis.proof,
    }


def solution_reply(found: Solution, state: State) -> dict[str, Any]:
    """Return a solved position, with its line in words."""
    line, at = [], state.copy()
    for action in found.line:
        line.append(at.action_name(action))
        at.apply(action)
    return {
        "outcome": found.value.outcome,
        "plies": found.value.plies,
        "words": str(found.value),
        "best": found.best,
        "best_names": [state.action_name(action) for action in found.best],
        "line": line,
        "nodes": found.nodes,
        "took_s": found.seconds,
    }


def tree_reply(branch: Branch) -> dict[str, Any]:
    """Return a part of a tree."""
    return vars(branch) | {"children": [tree_reply(c) for c in branch.children]}
