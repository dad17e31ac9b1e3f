"""Rules of a game written once in plain Python; everything else follows."""

TYPE_CHECKING = False  # of `typing`, which the first line of a command need not load
if TYPE_CHECKING:
    from typing import Any

    from ludens.check import check_game as check_game
    from ludens.errors import IllegalAction as IllegalAction
    from ludens.errors import UserError as UserError
    from ludens.formats.record import Record as Record
    from ludens.loading.game import Game as Game
    from ludens.loading.game import load_game as load_game
    from ludens.state import State as State

_HOMES = {
    "Game": "loading.game",
    "IllegalAction": "errors",
    "Record": "formats.record",
    "State": "state",
    "UserError": "errors",
    "check_game": "check",
    "load_game": "loading.game",
}
__all__ = list(_HOMES)


def __getattr__(name: str) -> "Any":
    """Import a public name when it is first used: `--help` needs none of them."""
    if name not in _HOMES:
        raise AttributeError(f"module 'ludens' has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(f"ludens.{_HOMES[name]}"), name)
