"""What an environment is to us: something to act in, whose rules nobody knows."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from ludens.errors import UserError
from ludens.formats.words import POINTS
from ludens.game import OVER, Actions, Planes

MAX_SEED = 2**31
"""What every library takes for a seed is below this."""
MAX_WORDS = 200
"""Characters of what is said of a mistake in somebody else's code."""


class Spaces(NamedTuple):
    """The sizes of an environment."""

    planes: int
    rows: int
    columns: int
    actions: int
    players: int
    max_plies: int = 0
    """Where its episodes are cut; 0: nobody knows."""

    @property
    def shape(self) -> tuple[int, int, int]:
        """Of an observation."""
        return self.planes, self.rows, self.columns


class Step(NamedTuple):
    """What an action led to."""

    observation: Planes
    """[planes, rows, columns] what the player to move sees"""
    reward: float
    """With two players, for player 0."""
    terminated: bool
    truncated: bool
    """Whether the time is up: the episode is cut, but it is not an end."""


class Environment(Protocol):
    """One episode at a time. The seed decides all that is random in it."""

    def reset(self, seed: int) -> Planes:
        """Begin an episode; return what the first player sees."""

    def step(self, action: int) -> Step:
        """Take a legal action."""

    def legal_actions(self) -> Sequence[int]:
        """Return what may be done now."""

    @property
    def to_play(self) -> int:
        """The player to move, 0 or 1."""

    def close(self) -> None:
        """Let everything go."""


@dataclass(frozen=True)
class Source:
    """Where an environment comes from: what makes one, and its sizes."""

    name: str
    """Such as gym:CartPole-v1."""
    title: str
    spaces: Spaces
    make: Callable[[], Environment]
    has_chance: bool = False
    """Whether it is known that the same action can lead to different things."""

    def begin(self, states: Any, seed: int) -> "Episode":
        """Begin an episode whose state is written into an array [1]."""
        episode = Episode(self, states)
        episode.begin(seed)
        return episode


class Episode:
    """An environment, and the record of the state that it is in.

    Whatever the environment does wrong is said in one line.
    """

    def __init__(self, source: Source, states: Any) -> None:
        self._source = source
        self._states = states
        self._environment: Environment | None = None
        self._score = 0.0
        self.is_cut = False
        """Whether the time was up before an end."""

    def begin(self, seed: int) -> None:
        """Begin anew."""
        if self._environment is None:
            self._environment = self._guard("cannot be made", self._source.make)
        environment = self._environment
        self._score, self.is_cut = 0.0, False
        seen = self._guard(
            "fails at a reset", lambda: environment.reset(seed % MAX_SEED)
        )
        self._write(seen, is_over=False)

    def step(self, action: int) -> float:
        """Take a legal action; return what it adds to a score, 0 with two players."""
        environment = self._environment
        assert environment is not None
        step = self._guard(
            f"fails at action {action}", lambda: environment.step(action)
        )
        reward = float(step.reward)
        if not np.isfinite(reward):
            raise UserError(f"{self._source.name} gave a reward of {reward}")
        self._score += reward
        self.is_cut = bool(step.truncated and not step.terminated)
        self._write(step.observation, bool(step.terminated))
        return reward / POINTS if self._source.spaces.players == 1 else 0.0

    def advance(
        self, states: Any, action: int, actions: Actions, count: int
    ) -> tuple[float, int]:
        """Take an action if it is legal, as the rules of a game do; see `State`.

        For whoever only looks on, an episode that is cut is over.
        """
        reward, state = 0.0, self._states[0]
        if action >= 0:
            if state["to_play"] < 0 or not state["legal"][action]:
                return 0.0, -1
            reward = self.step(action)
            if self.is_cut:
                state["to_play"] = OVER
        found = np.flatnonzero(state["legal"]) if state["to_play"] >= 0 else ()
        actions[: len(found)] = found
        return reward, len(found)

    def close(self) -> None:
        """Let the environment go."""
        if self._environment is not None:
            self._environment.close()
            self._environment = None

    def _write(self, seen: Planes, is_over: bool) -> None:
        """Write the state that the environment is in."""
        state, spaces = self._states[0], self._source.spaces
        if seen.shape != spaces.shape:
            raise UserError(
                f"{self._source.name} gave an observation of shape {seen.shape},"
                f" not {spaces.shape}"
            )
        if not np.isfinite(seen).all():
            raise UserError(
                f"{self._source.name} gave an observation with numbers that are not"
                " finite"
            )
        state["observation"] = seen.reshape(-1)
        state["legal"] = 0
        state["to_play"] = OVER
        state["result"] = np.clip(self._score, -1, 1) if is_over else 0.0
        if not is_over:
            state["legal"] = self._guard("fails to say what is legal", self._legal)
            state["to_play"] = self._guard("fails to say who moves", self._to_play)

    def _legal(self) -> NDArray[np.bool_]:
        assert self._environment is not None
        legal = np.zeros(self._source.spaces.actions, np.bool_)
        legal[list(self._environment.legal_actions())] = True
        if not legal.any() and not self.is_cut:
            raise ValueError("nothing is")
        return legal

    def _to_play(self) -> int:
        assert self._environment is not None
        player = int(self._environment.to_play)
        if not 0 <= player < self._source.spaces.players:
            raise ValueError(f"there is no player {player}")
        return player

    def _guard(self, what: str, call: Callable[[], Any]) -> Any:
        """Turn what somebody else's code raises into one line."""
        try:
            return call()
        except UserError:
            raise
        except Exception as error:
            why = one_line(error)
            raise UserError(f"{self._source.name} {what}: {why}") from error


def one_line(error: BaseException) -> str:
    """Return an error in a line."""
    words = " ".join(f"{type(error).__name__}: {error}".split())
    return words if len(words) <= MAX_WORDS else f"{words[:MAX_WORDS]}..."
