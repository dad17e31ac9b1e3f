"""Games written for muzero-general as environments."""

import sys
from collections.abc import Sequence
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType
from typing import Any

from ludens.errors import UserError
from ludens.game import Planes
from ludens.loading.environments.environment import Source, Spaces, Step, one_line
from ludens.loading.environments.observations import (
    plain_encoder,
    planes_of,
    with_player,
)

PACKAGE = "ludens_games_of_muzero_general"
"""Stands for its folder `games`, so that `from .abstract_game import ...` works."""


class MuZeroGeneralEnvironment:
    """One game of muzero-general; `max_moves` cuts it, but is not an end."""

    def __init__(self, module: ModuleType) -> None:
        config = module.MuZeroConfig()
        shape = tuple(config.observation_shape)
        self._make = module.Game
        self._encode = plain_encoder(shape, planes_of(shape, module.__name__))
        self._is_pair = len(config.players) == 2
        self._max_moves = int(config.max_moves)
        self._game: Any = None
        self._num_moves = 0
        self._player = 0

    def reset(self, seed: int) -> Planes:
        """Begin a game; only a new one takes a seed."""
        self.close()
        self._game, self._num_moves = self._make(seed), 0
        return self._see(self._game.reset())

    def step(self, action: int) -> Step:
        """Take an action; the reward is for the player who moved."""
        mover = self._player
        seen, reward, is_over = self._game.step(action)
        self._num_moves += 1
        is_cut = not is_over and self._num_moves >= self._max_moves
        sign = -1 if self._is_pair and mover == 1 else 1
        return Step(self._see(seen), sign * float(reward), bool(is_over), is_cut)

    def _see(self, seen: Any) -> Planes:
        self._player = int(self._game.to_play())
        planes = self._encode(seen)
        return with_player(planes, self._player) if self._is_pair else planes

    def legal_actions(self) -> Sequence[int]:
        """Return what may be done now."""
        return [int(action) for action in self._game.legal_actions()]

    @property
    def to_play(self) -> int:
        """The player to move."""
        return self._player

    def close(self) -> None:
        """Let the game go."""
        if self._game is not None:
            self._game.close()


def muzero_general_source(name: str) -> Source:
    """Return where the game of a file comes from."""
    spec, path = f"muzero:{name}", Path(name)
    if not path.is_file():
        raise UserError(f"there is no game file {name}")
    try:
        module = _run(path)
        config = module.MuZeroConfig()
        shape, players = tuple(config.observation_shape), len(config.players)
        actions, limit = list(config.action_space), int(config.max_moves)
    except Exception as error:
        raise UserError(f"{spec} does not load: {one_line(error)}") from error
    if not hasattr(module, "Game"):
        raise UserError(f"{spec} has no class Game")
    if players not in (1, 2):
        raise UserError(f"{spec} is for {players} players; one or two can be learned")
    if actions != list(range(len(actions))):
        raise UserError(f"{spec} has actions that do not count from 0")
    planes, rows, columns = planes_of(shape, spec)
    whose_turn = 1 if players == 2 else 0
    sizes = Spaces(planes + whose_turn, rows, columns, len(actions), players, limit)
    title = f"{path.stem}, a game of muzero-general"
    return Source(spec, title, sizes, lambda: MuZeroGeneralEnvironment(module))


def _run(path: Path) -> ModuleType:
    """Execute a file as a module of muzero-general's folder of games."""
    package = ModuleType(PACKAGE)
    package.__path__ = [str(path.absolute().parent)]
    sys.modules[PACKAGE] = package
    if not (path.absolute().parent / "abstract_game.py").exists():
        stub: Any = ModuleType(f"{PACKAGE}.abstract_game")
        stub.AbstractGame = object
        sys.modules[stub.__name__] = stub
    found = spec_from_file_location(f"{PACKAGE}.{path.stem}", path.absolute())
    assert found is not None
    assert found.loader is not None
    module = module_from_spec(found)
    sys.modules[found.name] = module
    found.loader.exec_module(module)
    return module
