"""Games of OpenSpiel as environments: perfect information, one or two players."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pyspiel

from ludens.errors import UserError, did_you_mean
from ludens.game import Planes
from ludens.loading.environments.environment import Source, Spaces, Step, one_line
from ludens.loading.environments.observations import (
    plain_encoder,
    planes_of,
    with_player,
)
from ludens.rng import numpy_rng


class PyspielEnvironment:
    """One game of OpenSpiel; chance is drawn inside."""

    def __init__(self, name: str) -> None:
        self._game = pyspiel.load_game(name)
        shape = tuple(self._game.observation_tensor_shape())
        size = (int(np.prod(shape)),)  # it is told as a list
        self._encode = plain_encoder(size, planes_of(shape, f"pyspiel:{name}"))
        self._is_pair = self._game.num_players() == 2
        self._state: Any = None
        self._player = 0
        self._score = 0.0

    def reset(self, seed: int) -> Planes:
        """Begin a game."""
        self._rng = numpy_rng(seed, "pyspiel")
        self._state, self._score = self._game.new_initial_state(), 0.0
        self._resolve_chance()
        return self._see()

    def step(self, action: int) -> Step:
        """Take an action."""
        self._state.apply_action(action)
        self._resolve_chance()
        before, self._score = self._score, float(self._state.returns()[0])
        is_over = bool(self._state.is_terminal())
        return Step(self._see(), self._score - before, is_over, False)

    def _resolve_chance(self) -> None:
        state: Any = self._state
        while state.is_chance_node():
            pairs = state.chance_outcomes()
            chances = np.array([chance for _, chance in pairs])
            chosen = self._rng.choice(len(pairs), p=chances / chances.sum())
            state.apply_action(pairs[int(chosen)][0])
        if not state.is_terminal():
            self._player = int(state.current_player())

    def _see(self) -> Planes:
        seen = self._encode(self._state.observation_tensor(self._player))
        return with_player(seen, self._player) if self._is_pair else seen

    def legal_actions(self) -> Sequence[int]:
        """Return what may be played."""
        return list(self._state.legal_actions())

    @property
    def to_play(self) -> int:
        """The player to move."""
        return self._player

    def close(self) -> None:
        """Let the game go."""
        self._state = None


def pyspiel_source(name: str) -> Source:
    """Return where a game that OpenSpiel knows comes from."""
    spec = f"pyspiel:{name}"
    known, short = pyspiel.registered_names(), name.partition("(")[0]
    if short not in known:  # else it prints them all
        raise UserError(f"there is no {spec}{did_you_mean(short, known)}")
    try:
        game = pyspiel.load_game(name)
    except Exception as error:
        raise UserError(f"cannot make {spec}: {one_line(error)}") from None
    kind, players = game.get_type(), game.num_players()
    if why := _why_not(kind, players):
        raise UserError(f"{spec} {why}")
    shape = tuple(game.observation_tensor_shape())
    planes, rows, columns = planes_of(shape, spec)
    whose_turn = 1 if players == 2 else 0
    limit = int(game.max_game_length())
    actions = int(game.num_distinct_actions())
    sizes = Spaces(planes + whose_turn, rows, columns, actions, players, limit)
    has_chance = kind.chance_mode != pyspiel.GameType.ChanceMode.DETERMINISTIC
    title = f"{kind.long_name}, a game of OpenSpiel"
    return Source(spec, title, sizes, lambda: PyspielEnvironment(name), has_chance)


def _why_not(kind: Any, players: int) -> str:
    """Say why a game cannot be learned; "" if it can."""
    types = pyspiel.GameType
    if kind.dynamics != types.Dynamics.SEQUENTIAL:
        return "has simultaneous moves; only games with turns can be learned"
    if kind.information != types.Information.PERFECT_INFORMATION:
        return "has hidden information; only games in which all is seen can be learned"
    if players > 2:
        return f"is for {players} players; one or two can be learned for"
    sums = (types.Utility.ZERO_SUM, types.Utility.CONSTANT_SUM)
    if players == 2 and kind.utility not in sums:
        return "is not zero-sum: what one player wins the other must lose"
    if not kind.provides_observation_tensor:
        return "has no observation tensor, so there is nothing to learn from"
    return ""
