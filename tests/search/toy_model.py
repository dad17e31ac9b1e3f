"""A learned model of whole numbers: the same on every machine and in every batch."""

import numpy as np
from numpy.typing import NDArray

from ludens import Game
from ludens.game import Planes
from ludens.search.model import Evaluation, ModelSizes

SIZE = 6
MOD = 64


class ToyModel:
    """Latents of six whole numbers below 64; what follows is linear in them, mod 64."""

    latent_size = SIZE

    def __init__(
        self, game: Game, learned_turns: bool, has_legality: bool, codes: int = 0
    ) -> None:
        self.num_actions = game.num_actions
        self.num_players = game.num_players
        self.num_outcomes = int(game.plain.MAX_OUTCOMES) if learned_turns else 0
        self.num_outcomes = codes or self.num_outcomes
        self.learned_turns = learned_turns
        self.is_alternating = game.num_players == 2 and not learned_turns
        self.model_sizes = ModelSizes(
            self.num_actions, self.num_players, self.num_outcomes, self.is_alternating
        )
        self.has_legality = has_legality
        self.sizes: list[int] = []
        """Of the batches that were asked."""
        generator = np.random.default_rng(7)
        num_inputs = int(np.prod(game.observation_shape))
        num_choices = self.num_actions + self.num_outcomes
        num_heads = num_choices + 2 * self.num_actions + 3

        def whole(*shape: int) -> NDArray[np.int64]:
            return generator.integers(0, MOD, shape)

        self.h, self.g = whole(num_inputs, SIZE), whole(SIZE, SIZE)
        self.choices, self.heads = whole(num_choices, SIZE), whole(SIZE, num_heads)

    def __call__(self, planes: Planes) -> Evaluation:
        """Evaluate positions."""
        inputs = np.rint(8 * planes.reshape(len(planes), -1)).astype(np.int64)
        return self._predict(inputs @ self.h % MOD)

    def step(
        self, latents: NDArray[np.float32], choices: NDArray[np.int64]
    ) -> Evaluation:
        """Evaluate what follows from choices."""
        self.sizes.append(len(latents))
        turned = latents.astype(np.int64) @ self.g
        return self._predict((turned + self.choices[choices] + 1) % MOD)

    def _predict(self, latents: NDArray[np.int64]) -> Evaluation:
        sums = latents @ self.heads % MOD
        a, c = self.num_actions, self.num_outcomes
        value, reward, turn = sums[:, -1], sums[:, -2], sums[:, -3]
        # Over and chance now and then; with one player, nobody is the other.
        turns = np.array([0, 1, 2 if c else 1, 0] * 15 + [0, 1, 1, 3])[turn]
        if self.num_players == 1:
            turns[turns == 1] = 0
        weights = 1.0 + sums[:, a : a + c] % 5
        legal = sums[:, a + c : 2 * a + c] % 4 != 0
        legal[:, 0] |= ~legal.any(1)
        return Evaluation(
            logits=(sums[:, :a] / 16 - np.arange(a) / 512).astype(np.float32),
            values=(value / 32 - 1).astype(np.float32),
            rewards=None if self.num_players == 2 else (reward % 5).astype(np.float32),
            latents=latents.astype(np.float32),
            turns=turns.astype(np.int8) if self.learned_turns else None,
            chances=(weights / weights.sum(1, keepdims=True)).astype(np.float32)
            if c
            else None,
            legal=legal if self.has_legality else None,
        )
