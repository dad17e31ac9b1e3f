"""What an engine answers: positions, analyses and solutions as JSON objects."""

from importlib.metadata import version
from typing import Any

from ludens.agents.agent import Thought
from ludens.errors import UserError
from ludens.loading.game import Game
from ludens.protocols.queries import Analyze, BadQuery
from ludens.solver.exact import Solution
from ludens.state import State

Reply = dict[str, Any]
NOTHING = {"noResults": True}


def version_reply(game: Game, agent: str) -> Reply:
    """Say which engine this is, and the sizes of its game."""
    return {
        "version": version("ludens"),
        "game": game.spec,
        "options": dict(game.options),
        "agent": agent,
        "numPlayers": game.num_players,
        "numActions": game.num_actions,
        "observationShape": list(game.observation_shape),
    }


def legal_reply(state: State) -> Reply:
    """List the legal moves, and say how the game stands."""
    return {
        "turnNumber": state.num_plies,
        "currentPlayer": None if state.is_over else state.to_play,
        "legal": [state.action_name(action) for action in state.legal_actions()],
        "isOver": state.is_over,
        "result": state.result,
        "score": state.score if state.game.num_players == 1 else None,
        "board": str(state),
    }


def move_reply(thought: Thought | None, state: State) -> Reply:
    """Say which move an agent plays."""
    if thought is None:
        return NOTHING
    return {"move": state.action_name(thought.action), "moveAction": thought.action}


def analysis_reply(
    thought: Thought | None, state: State, asked: Analyze, is_during: bool
) -> Reply:
    """Say what an agent thinks of a position."""
    reply: Reply = {"isDuringSearch": is_during}
    if thought is None or thought.analyse is None:
        return reply | NOTHING
    analysis = thought.analyse(None)
    allowed = allowed_actions(state, asked)
    if allowed is not None:
        analysis = analysis.of_moves([state.action_name(action) for action in allowed])
    reply |= analysis.to_json()
    if asked.include_policy:
        policy = [-1.0] * state.game.num_actions
        for move in analysis.moves:
            policy[state.read_action(move.move)] = move.prior
        reply["policy"] = policy
    return reply


def allowed_actions(state: State, asked: Analyze) -> tuple[int, ...] | None:
    """Return the moves that a query allows, or say which is not legal; None: all."""
    allowed = set()
    for move in asked.allowed:
        try:
            action = state.read_action(move)
        except UserError as error:
            raise BadQuery(error, "allowMoves") from None
        if action not in state.legal_actions():
            raise BadQuery(f"{move!r} is not legal here", "allowMoves")
        allowed.add(action)
    return tuple(sorted(allowed)) or None


def solution_reply(found: Solution, state: State) -> Reply:
    """Say how a position ends with perfect play."""
    return {
        "outcome": found.value.outcome,
        "plies": found.value.plies,
        "best": [state.action_name(action) for action in found.best],
        "line": found.named_line(state),
        "nodes": found.nodes,
    }
