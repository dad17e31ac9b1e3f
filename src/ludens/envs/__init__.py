"""Our games in the shape that other people's programs know.

`import ludens.envs` registers every game with Gymnasium and PettingZoo, if they are
installed: as ludens/NAME-v0, and any file of rules as ludens/game-v0.
"""

from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from ludens.errors import missing, require_extra
from ludens.loading.game import game_files
from ludens.loading.options import OptionValue

if TYPE_CHECKING:
    from ludens.envs.vector import VectorGames


def make(game: str, render_mode: str | None = None, **options: OptionValue) -> Any:
    """Return a game such as "gomoku:size=9" as an AEC environment of PettingZoo."""
    _require_pettingzoo()
    from ludens.envs.pettingzoo_game import env

    return env(game, render_mode, **options)


def make_vec(game: str, num_envs: int, **settings: Any) -> "VectorGames":
    """Return many games as one vector environment of Gymnasium; see `VectorGames`."""
    require_extra("env", "ludens.envs.make_vec")
    from ludens.envs.vector import VectorGames

    return VectorGames(game, num_envs, **settings)


def _require_pettingzoo() -> None:
    require_extra("env", "ludens.envs")
    if find_spec("pettingzoo") is None:
        raise missing("PettingZoo", "ludens.envs.make", ["pettingzoo"])


def _register() -> None:
    """Let Gymnasium and PettingZoo know every game."""
    named = [(f"ludens/{name}-v0", {"game": name}) for name in game_files()]
    named.append(("ludens/game-v0", {}))
    if find_spec("gymnasium") is not None:
        import gymnasium

        entry = "ludens.envs.gymnasium_game:GameEnv"
        many = "ludens.envs.vector:vector_env"
        for name, given in named:
            gymnasium.register(name, entry, vector_entry_point=many, kwargs=given)
    if find_spec("pettingzoo") is not None:
        import pettingzoo

        if hasattr(pettingzoo, "register"):  # not before its version 1.27
            for name, given in named:
                entry = "ludens.envs.pettingzoo_game:env"
                pettingzoo.register("aec", name, entry, kwargs=given)


_register()
