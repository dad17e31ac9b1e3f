"""Our games in OpenSpiel: importing this registers each as ludens_NAME.

Chance is explicit there, as it is here. `register` adds a file of rules.
"""

from typing import Any

import numpy as np
import pyspiel
from open_spiel.python.observation import IIGObserverForPublicInfoGame

from ludens.envs.seen import planes_of
from ludens.loading.game import Game, game_files, load_game, title_of
from ludens.state import State

LONGEST = 100_000
"""Moves, and outcomes of chance, of a game that knows no bound."""
RICHEST = 1e6
"""The score of a puzzle is below this."""


class SpielGame(pyspiel.Game):  # type: ignore[misc]
    """A game with its options, which are OpenSpiel's parameters; each has a class."""

    spec: str
    kind: Any

    def __init__(self, parameters: dict[str, Any] | None = None) -> None:
        self.rules = load_game(self.spec, options=parameters)
        super().__init__(self.kind, _sizes(self.rules), parameters or {})

    def new_initial_state(self) -> "SpielState":
        """Return the first state."""
        return SpielState(self)

    def make_py_observer(self, iig_obs_type: Any = None, params: Any = None) -> Any:
        """Return what observes states: planes, or the history."""
        if iig_obs_type is None or not iig_obs_type.perfect_recall:
            return SpielObserver(self.rules)
        return IIGObserverForPublicInfoGame(iig_obs_type, params)


class SpielState(pyspiel.State):  # type: ignore[misc]
    """A state; the caller decides what chance does."""

    def __init__(self, game: SpielGame) -> None:
        super().__init__(game)
        self.state = State(game.rules)
        self._reward = 0.0

    def current_player(self) -> int:
        """Return whose turn it is."""
        if self.state.is_over:
            return int(pyspiel.PlayerId.TERMINAL)
        return int(pyspiel.PlayerId.CHANCE if self.is_chance else self.state.to_play)

    @property
    def is_chance(self) -> bool:
        """Whether it is chance's turn."""
        return self.state.is_chance

    def _legal_actions(self, player: int) -> list[int]:
        return self.state.legal_actions()

    def chance_outcomes(self) -> list[tuple[int, float]]:
        """Return what chance may do, and how likely it is."""
        found = self.state.chance()
        total = sum(chance for _, chance in found)
        return [(outcome, chance / total) for outcome, chance in found]

    def _apply_action(self, action: int) -> None:
        if self.is_chance:
            self._reward += self.state.apply_chance(action)
        else:
            self._reward = self.state.apply(action)

    def _action_to_string(self, player: int, action: int) -> str:
        return self.state.step_name(action)

    def is_terminal(self) -> bool:
        """Return whether the game is over."""
        return self.state.is_over

    def returns(self) -> list[float]:
        """Return the score so far, or the result for each player."""
        if self.state.game.num_players == 1:
            return [self.state.score]
        result = self.state.result or 0.0
        return [result, -result]

    def rewards(self) -> list[float]:
        """Return what the last action of a player, and chance after it, brought."""
        if self.state.game.num_players == 1:
            return [self._reward]
        return self.returns()

    def __str__(self) -> str:
        return str(self.state)


class SpielObserver:
    """The planes that a player sees."""

    def __init__(self, game: Game) -> None:
        shape = game.observation_shape
        self.tensor = np.zeros(int(np.prod(shape)), np.float32)
        self.dict = {"observation": self.tensor.reshape(shape)}

    def set_from(self, state: SpielState, player: int) -> None:
        """Write what a player sees."""
        self.dict["observation"][:] = planes_of(state.state, player)

    def string_from(self, state: SpielState, player: int) -> str:
        """Return the board, which both players see."""
        return str(state)


def register(spec: str) -> str:
    """Let OpenSpiel know a game or a file of rules; return its name there."""
    game = load_game(spec, compiled=False)
    game.require_rules("a game of OpenSpiel")
    name = f"ludens_{title_of(game.name)}"
    if name not in pyspiel.registered_names():
        kind = _kind(name, game)
        # A class, because OpenSpiel lets go of it when Python has gone already.
        made = type(name, (SpielGame,), {"spec": game.name, "kind": kind})
        pyspiel.register_game(kind, made)
    return name


def _kind(name: str, game: Game) -> Any:
    """Return what OpenSpiel knows of a game before it is loaded."""
    kinds, is_puzzle = pyspiel.GameType, game.num_players == 1
    chance = kinds.ChanceMode
    utility, rewards = kinds.Utility, kinds.RewardModel
    has_chance = game.plain.MAX_OUTCOMES > 0
    return kinds(
        short_name=name,
        long_name=game.title,
        dynamics=kinds.Dynamics.SEQUENTIAL,
        chance_mode=chance.EXPLICIT_STOCHASTIC if has_chance else chance.DETERMINISTIC,
        information=kinds.Information.PERFECT_INFORMATION,
        utility=utility.GENERAL_SUM if is_puzzle else utility.ZERO_SUM,
        reward_model=rewards.REWARDS if is_puzzle else rewards.TERMINAL,
        max_num_players=game.num_players,
        min_num_players=game.num_players,
        provides_information_state_string=True,
        provides_information_state_tensor=False,
        provides_observation_string=True,
        provides_observation_tensor=True,
        parameter_specification={k: o.default for k, o in game.declared.items()},
    )


def _sizes(game: Game) -> Any:
    """Return the sizes of a game with its options."""
    is_puzzle = game.num_players == 1
    return pyspiel.GameInfo(
        num_distinct_actions=game.num_actions,
        max_chance_outcomes=int(game.plain.MAX_OUTCOMES),
        num_players=game.num_players,
        min_utility=-RICHEST if is_puzzle else -1.0,
        max_utility=RICHEST if is_puzzle else 1.0,
        utility_sum=None if is_puzzle else 0.0,
        max_game_length=int(game.plain.MAX_PLIES) or LONGEST,
    )


for _name in game_files():
    register(_name)
