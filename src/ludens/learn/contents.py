"""What samples of a window contain: batches, made by kernels."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ludens.game import Planes
from ludens.learn import kernel as learn_kernel
from ludens.learn import unroll as unroll_kernel
from ludens.learn.sumtree import Indices
from ludens.learn.tables import Array, Batch, Columns, Samples, Steps, Unrolled
from ludens.loading.game import Game


@dataclass(frozen=True)
class Contents:
    """The positions of a window, from which batches are made."""

    game: Game
    columns: Columns
    samples: Samples

    def batch(self, indices: Indices, weights: Planes, symmetries: Array) -> Batch:
        """Return samples [B] with weights, each seen through a symmetry."""
        samples = self.samples
        rows, policy_rows = samples.rows[indices], samples.policy_rows[indices]
        planes, ownership = self._positions(rows, symmetries)
        facts = self.columns.facts[rows]
        values = samples.targets[indices, 0]
        return Batch(
            planes=planes,
            policies=self._policies(policy_rows, symmetries),
            policy_weights=weights * (policy_rows >= 0),
            values=values,
            outcomes=self._outcomes(values, samples.targets[indices, 1]),
            value_weights=weights,
            plies_left=facts["plies_left"].astype(np.float32),
            ownership=ownership,
            has_ownership=facts["has_end"],
            replies=self._replies(rows, symmetries),
            has_reply=facts["has_reply"],
            indices=indices,
        )

    def follow(
        self,
        rows: Array,
        symmetries: Array,
        choices: Array,
        alternates: bool,
        is_hidden: bool = False,
    ) -> Steps:
        """Return what followed rows [B]; `choices` [K, B] stay where nothing did.

        `is_hidden`: chance moves after each action, but its outcomes are not known.
        """
        shape = (len(choices) + 1, len(rows))
        steps = Steps(
            choices=choices,
            rows=np.full(shape, -1, np.int32),
            players=np.full(shape, -1, np.int8),
            targets=np.zeros((*shape, 2), np.float32),
            has_value=np.zeros(shape, np.bool_),
            rewards=np.zeros(shape, np.float32),
            has_reward=np.zeros(shape, np.bool_),
            turns=np.full(shape, -1, np.int8),
            outcomes=np.full(shape, -1, np.int32),
        )
        kernel, samples = self.game.kernel(unroll_kernel), self.samples
        known = (self.columns, samples.of_rows, samples.targets, rows, symmetries)
        kernel.follow(*known, alternates, is_hidden, steps)
        return steps

    def unrolled(
        self,
        indices: Indices,
        weights: Planes,
        symmetries: Array,
        steps: Steps,
        all_planes: bool,
        is_hidden: bool = False,
    ) -> Unrolled:
        """Return samples [B] with weights and what followed each."""
        rows, samples = steps.rows, self.samples
        of_steps = np.where(rows >= 0, samples.of_rows[rows], -1)
        policy_rows = np.where(of_steps >= 0, samples.policy_rows[of_steps], -1)
        planes, ownership, legal = self._seen(rows, symmetries, all_planes, is_hidden)
        facts = self.columns.facts[rows[0]]
        values, draws = steps.targets[..., 0], steps.targets[..., 1]
        return Unrolled(
            planes=planes,
            policies=self._policies(policy_rows, symmetries),
            policy_weights=weights * (policy_rows >= 0),
            values=values,
            outcomes=self._outcomes(values, draws),
            value_weights=weights * steps.has_value,
            ownership=_for_players(ownership, steps.players),
            has_ownership=facts["has_end"] & (steps.players >= 0),
            plies_left=facts["plies_left"].astype(np.float32),
            replies=self._replies(rows[0], symmetries),
            has_reply=facts["has_reply"],
            indices=indices,
            choices=steps.choices,
            rewards=steps.rewards,
            reward_weights=weights * steps.has_reward,
            turns=steps.turns,
            turn_weights=weights * (steps.turns >= 0),
            chances=steps.outcomes,
            chance_weights=weights * (steps.outcomes >= 0),
            legal=legal,
            position_weights=weights * (rows >= 0),
        )

    def _positions(self, rows: Array, symmetries: Array) -> tuple[Planes, Planes]:
        """Return what rows look like and how their games ended."""
        rules = self.game.plain
        planes = np.zeros((len(rows), *self.game.observation_shape), np.float32)
        shape = (len(rows), len(rules.TARGETS), *rules.SHAPE)
        ownership = np.zeros(shape, np.float32)
        kernel = self.game.kernel(learn_kernel)
        kernel.fill_positions(self.columns, rows, symmetries, planes, ownership)
        return planes, ownership

    def _seen(
        self, rows: Array, symmetries: Array, all_planes: bool, has_ends: bool
    ) -> tuple[Planes, Planes, NDArray[np.bool_]]:
        """Return what rows [S, B] look like, how games ended, and what is legal.

        `has_ends`: also what ends look like, two steps after the last row.
        """
        first, ownership = self._positions(rows[0], symmetries)
        num_seen = len(rows) if all_planes else 1
        planes = np.zeros((num_seen, *first.shape), np.float32)
        planes[0] = first
        legal = np.zeros((*rows.shape, self.game.num_actions), np.bool_)
        kernel = self.game.kernel(unroll_kernel)
        kernel.fill_steps(self.columns.states, rows, symmetries, planes[1:], legal)
        if has_ends:
            kernel.fill_ends(self.columns, rows, planes)
        return planes, ownership, legal

    def _policies(self, policy_rows: Array, symmetries: Array) -> Planes:
        """Return the policies of `policy_rows` [..., B], which are as in Samples."""
        num_actions = self.game.num_actions
        policies = np.zeros((*policy_rows.shape, num_actions), np.float32)
        self.game.kernel(learn_kernel).fill_policies(
            self.columns.policies,
            self.samples.merged,
            policy_rows.reshape(-1),
            np.tile(symmetries, policy_rows.size // len(symmetries)),
            policies.reshape(-1, num_actions),
        )
        return policies

    def _replies(self, rows: Array, symmetries: Array) -> Planes:
        """Return the policies one ply after rows."""
        has_reply = self.columns.facts["has_reply"][rows]
        return self._policies(np.where(has_reply, rows + 1, -1), symmetries)

    def _outcomes(self, values: Array, draws: Array) -> NDArray[np.float32]:
        """Return win, draw and loss [..., 3] whose expectation is the value."""
        if self.game.num_players == 1:
            return np.zeros((*values.shape, 3), np.float32)
        wins, losses = (1 - draws + values) / 2, (1 - draws - values) / 2
        outcomes: NDArray[np.float32] = np.stack([wins, draws, losses], axis=-1)
        return outcomes.clip(0, 1)


def _for_players(ownership: Planes, players: Array) -> Planes:
    """Return how games ended [S, B, ...] for the player of each step [S, B].

    `ownership` [B, ...] is for those of the first.
    """
    signs = np.where(players == players[0], 1, -1).astype(np.float32)
    return signs[..., None, None, None] * ownership
