"""Thousands of games as one environment of Gymnasium, stepped by compiled rules."""

from functools import partial
from typing import Any

import numpy as np
from gymnasium import spaces
from gymnasium.vector import AutoresetMode, SyncVectorEnv, VectorEnv
from gymnasium.vector.utils import batch_space
from numpy.typing import NDArray

from ludens.envs import kernel as vector_kernel
from ludens.envs.batch import NEXT_STEP, SAME_STEP, STAY, new_batch
from ludens.envs.episode import open_game, planes_space
from ludens.envs.gymnasium_game import GameEnv
from ludens.errors import UserError
from ludens.game import Planes
from ludens.loading.game import load_game, parse_spec
from ludens.loading.options import OptionValue
from ludens.state import State

Array = NDArray[Any]
MODES = {
    AutoresetMode.DISABLED: STAY,
    AutoresetMode.NEXT_STEP: NEXT_STEP,
    AutoresetMode.SAME_STEP: SAME_STEP,
}


def vector_env(game: str, num_envs: int = 1, **settings: Any) -> VectorEnv[Any, Any]:
    """Return what `gymnasium.make_vec` gives: puzzles are compiled.

    Games against an agent, which is not, are stepped one by one.
    """
    if load_game(parse_spec(game)[0], compiled=False).num_players == 1:
        return VectorGames(game, num_envs, **settings)
    return SyncVectorEnv([partial(GameEnv, game, **settings)] * num_envs)


class VectorGames(VectorEnv[Planes, Array, Array]):
    """N games of a kind; in a two-player game the caller plays both sides.

    Observations [N, planes, rows, columns] are for the player to move, rewards [N] for
    the one who has moved. `infos` has `action_mask` [N, A] and `to_play` [N]. With
    `copy=False` all of these are views, which the next step overwrites.
    """

    def __init__(
        self,
        game: str,
        num_envs: int = 1,
        *,
        copy: bool = True,
        autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
        max_episode_steps: int | None = None,
        render_mode: str | None = None,
        **options: OptionValue,
    ) -> None:
        if num_envs < 1:
            raise UserError(f"num_envs cannot be {num_envs}; there is at least 1")
        self.game = open_game(game, **options)
        self.num_envs = num_envs
        self.render_mode = render_mode
        mode = AutoresetMode(autoreset_mode)
        self.metadata = {"autoreset_mode": mode, "render_modes": ["ansi"]}
        self.single_observation_space = planes_space(self.game)
        self.single_action_space = spaces.Discrete(self.game.num_actions)
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self._copy = copy
        self._mode, self._max_plies = MODES[mode], max_episode_steps or 0
        self._batch = new_batch(self.game, num_envs, mode == AutoresetMode.SAME_STEP)
        self._kernel = self.game.kernel(vector_kernel)
        self._all = np.ones(num_envs, np.bool_)
        self._sampling = np.zeros(num_envs, np.uint64)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Planes, dict[str, Any]]:
        """Begin all games, or those that the option `reset_mask` [N] marks."""
        super().reset(seed=seed)
        mask = (options or {}).get("reset_mask", self._all)
        games = np.flatnonzero(mask)
        words = self.np_random.integers(2**64, size=(2, len(games)), dtype=np.uint64)
        self._batch.words[games], self._sampling[games] = words
        for flags in (self._batch.terminated, self._batch.truncated):
            flags[games] = False
        self._kernel.begin_some(self._batch, games)
        return self._give(self._batch.planes), self._infos()

    def step(self, actions: Any) -> tuple[Planes, Array, Array, Array, dict[str, Any]]:
        """Play an action in each game."""
        batch = self._batch
        chosen = np.ascontiguousarray(actions, np.int64)
        if chosen.shape != (self.num_envs,):
            raise UserError(
                f"actions have the shape {chosen.shape}, not ({self.num_envs},)"
            )
        ended = self._kernel.step_all(batch, chosen, self._mode, self._max_plies)
        infos = self._infos()
        if ended and self._mode == SAME_STEP:
            infos |= self._endings()
        seen = (batch.planes, batch.rewards, batch.terminated, batch.truncated)
        planes, rewards, terminated, truncated = map(self._give, seen)
        return planes, rewards, terminated, truncated, infos

    def sample_legal(self) -> NDArray[np.int64]:
        """Return any legal action of each game; the seed decides."""
        chosen = np.empty(self.num_envs, np.int64)
        self._kernel.sample_legal(self._batch.masks, self._sampling, chosen)
        return chosen

    def render(self) -> tuple[str, ...]:
        """Return every board as text."""
        return tuple(str(State.at(self.game, raw)) for raw in self._batch.states)

    def _give(self, array: Array) -> Array:
        """Return a copy, or a view that cannot be written to."""
        if self._copy:
            return array.copy()
        view = array.view()
        view.flags.writeable = False
        return view

    def _infos(self) -> dict[str, Any]:
        return {
            "action_mask": self._give(self._batch.masks),
            "_action_mask": self._all.copy(),
            "to_play": self._give(self._batch.to_play),
            "_to_play": self._all.copy(),
        }

    def _endings(self) -> dict[str, Any]:
        """Return what was seen at the ends of games, in Gymnasium's shape."""
        batch = self._batch
        ended = batch.terminated | batch.truncated
        finals = np.full(self.num_envs, None, object)
        for g in np.flatnonzero(ended):
            finals[g] = batch.finals[g].copy()
        return {"final_obs": finals, "_final_obs": ended}
