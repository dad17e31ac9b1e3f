"""What a search asks of the model that it plans with, and of the network.

`Model` is all that the kernel uses of a game's rules; the type checker keeps the list
complete. For a learned model the rules are those of `learned_rules`, and what follows
from a step is asked of the network (`LearnedModel`).
"""

from collections.abc import Callable
from typing import Any, NamedTuple, Protocol, TypeGuard

import numpy as np
from numpy.typing import NDArray

from ludens.game import Actions, Planes, Probabilities


class Model(Protocol):
    """How a state leads to the next one. A state is a NumPy record with `to_play`."""

    STATE: np.dtype[Any]
    NUM_PLAYERS: int
    NUM_ACTIONS: int
    MAX_OUTCOMES: int
    HAS_LIKELY: bool

    @staticmethod
    def legal(state: np.record, actions: Actions) -> int:
        """Write the actions that may be tried; return how many there are."""

    @staticmethod
    def step(state: np.record, action: int) -> float:
        """Change a state as an action does; return the reward."""

    @staticmethod
    def chance(state: np.record, probabilities: Probabilities) -> int:
        """Write the probabilities of chance's outcomes; return how many there are."""

    @staticmethod
    def step_chance(state: np.record, outcome: int) -> float:
        """Change a state as an outcome does; return the reward."""

    @staticmethod
    def resolve_chance(
        state: np.record, probabilities: Probabilities, rng: NDArray[np.uint64]
    ) -> float:
        """Let chance have all its turns in a rollout; return the rewards."""

    @staticmethod
    def result(state: np.record) -> float:
        """Return 1, 0 or -1 for player 0 when a two-player game is over."""

    @staticmethod
    def observe(state: np.record, planes: Planes) -> None:
        """Write the network's input for a leaf into zeros."""

    @staticmethod
    def transform(state: np.record, symmetry: int, image: np.record) -> None:
        """Change a copy of a state to what a symmetry makes of it."""

    @staticmethod
    def likely(state: np.record, before: int, last: int, actions: Actions) -> int:
        """Write the actions that rollouts choose from; return how many, 0: all."""


class Evaluation(NamedTuple):
    """What a network says of M leaves, for the player to move."""

    logits: NDArray[np.float32]
    """[M, A]"""
    values: NDArray[np.float32]
    """[M]"""
    rewards: NDArray[np.float32] | None = None
    """[M] of the step that led to the leaf; None where the rules tell it"""
    latents: NDArray[np.float32] | None = None
    """[M, D] the leaves as a learned model sees them; None where the rules do"""
    turns: NDArray[np.int8] | None = None
    """[M] who is next: 0 the player who moved, 1 the other, 2 chance, 3 nobody: the
    game is over; None: the players alternate"""
    chances: NDArray[np.float32] | None = None
    """[M, C] how likely each outcome is where chance is next; None: there is none"""
    legal: NDArray[np.bool_] | None = None
    """[M, A] actions that a learned model takes to be legal; None: it cannot tell"""


Evaluator = Callable[[Planes], Evaluation]
"""A network: planes [M, P, rows, columns] in, their evaluation out."""


class ModelSizes(NamedTuple):
    """What the rules of a learned model depend on."""

    actions: int
    players: int
    outcomes: int
    """Of chance after a move; a choice is an action, or A + an outcome."""
    is_alternating: bool
    """Whether the players simply move by turns, so that nobody need say who is next."""


class LearnedModel(Protocol):
    """A network that imagines: what positions are, and what follows from a choice."""

    latent_size: int
    """D numbers of a latent"""
    model_sizes: ModelSizes

    def __call__(self, planes: Planes) -> Evaluation:
        """Evaluate positions [M, P, rows, columns], with their latents."""

    def step(
        self, latents: NDArray[np.float32], choices: NDArray[np.integer[Any]]
    ) -> Evaluation:
        """Evaluate what follows from choices [M] at latents [M, D]."""


def is_learned(evaluator: Any) -> TypeGuard[LearnedModel]:
    """Tell whether a network brings a model of its own."""
    return getattr(evaluator, "latent_size", 0) > 0
