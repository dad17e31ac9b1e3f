"""Rules of a game written once in plain Python; everything else follows.

docs/python.md has an example of every name here.
"""

TYPE_CHECKING = False  # of `typing`, which the first line of a command need not load
if TYPE_CHECKING:
    from typing import Any

    from ludens.agents import make_agent as make_agent
    from ludens.agents.agent import Agent as Agent
    from ludens.agents.agent import Limit as Limit
    from ludens.agents.analysis import Analysis as Analysis
    from ludens.arena.match import play_match as play_match
    from ludens.check import check_game as check_game
    from ludens.errors import IllegalAction as IllegalAction
    from ludens.errors import UserError as UserError
    from ludens.formats.record import Record as Record
    from ludens.loading.game import Game as Game
    from ludens.loading.game import load_game as load_game
    from ludens.search.config import SearchConfig as SearchConfig
    from ludens.search.search import Search as Search
    from ludens.solver.exact import Solver as Solver
    from ludens.state import State as State
    from ludens.store.run import Run as Run
    from ludens.training.session import train as train

_HOMES = {
    "Agent": "agents.agent",
    "Analysis": "agents.analysis",
    "Game": "loading.game",
    "IllegalAction": "errors",
    "Limit": "agents.agent",
    "Record": "formats.record",
    "Run": "store.run",
    "Search": "search.search",
    "SearchConfig": "search.config",
    "Solver": "solver.exact",
    "State": "state",
    "UserError": "errors",
    "check_game": "check",
    "load_game": "loading.game",
    "make_agent": "agents",
    "play_match": "arena.match",
    "train": "training.session",
}
__all__ = list(_HOMES)


def __getattr__(name: str) -> "Any":
    """Import a public name when it is first used: `--help` needs none of them."""
    if name not in _HOMES:
        raise AttributeError(f"module 'ludens' has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(f"ludens.{_HOMES[name]}"), name)
