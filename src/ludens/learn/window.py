"""The replay window: the newest positions of a run, sampled to learn from."""

from collections.abc import Iterable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from ludens.game import Planes
from ludens.learn import kernel as learn_kernel
from ludens.learn.config import ReplayConfig
from ludens.learn.positions import drop, gather, hold_out, join, replay_games
from ludens.learn.tables import Array, Batch, Samples
from ludens.loading.game import Game
from ludens.selfplay.share import GameRecord

Indices = NDArray[np.int64]


def capacity(config: ReplayConfig, num_seen: int) -> int:
    """Return how many positions are kept once so many have been seen.

    c * (1 + beta * ((N / c) ** alpha - 1) / alpha) for N > c: beta positions more for a
    new one at first, fewer and fewer later (Wu 2019, "Accelerating Self-Play Learning
    in Go"); c is the window at the start.
    """
    start, power = config.window_start, config.window_power
    ratio = max(1.0, num_seen / start)
    grown = start * (1 + config.window_growth * (ratio**power - 1) / power)
    return min(config.window_max, int(grown))


class Window:
    """The newest games of a run, as positions to draw samples from.

    `held_out` [K] are states that are never drawn, nor are their symmetric images.
    """

    def __init__(
        self, game: Game, config: ReplayConfig, held_out: Array | None = None
    ) -> None:
        self.game = game
        self.config = config
        self.num_seen = 0
        """Positions ever added."""
        self._games: list[tuple[int, int]] = []  # number, positions
        self._columns = replay_games(game, config, [])
        self._held_out = hold_out(
            game, game.states(0) if held_out is None else held_out
        )
        self._samples: Samples | None = None
        self._tree: SumTree | None = None
        self._highest_priority = 1.0

    @property
    def num_games(self) -> int:
        """Games in the window."""
        return len(self._games)

    @property
    def last_game(self) -> int | None:
        """The number of the newest game in the window."""
        return self._games[-1][0] if self._games else None

    @property
    def num_positions(self) -> int:
        """Positions in the window, repetitions included."""
        return len(self._columns.states)

    @property
    def num_samples(self) -> int:
        """Distinct positions that can be drawn."""
        return len(self.build().rows)

    @property
    def merged_share(self) -> float:
        """The share of the positions that repeat others."""
        num_allowed = self.num_positions - self.build().num_held_out
        return 1 - self.num_samples / num_allowed if num_allowed else 0.0

    @property
    def size_bytes(self) -> int:
        """The memory that the window takes."""
        return sum(a.nbytes for a in self._columns) + self.build().size_bytes

    def add(self, games: Sequence[GameRecord]) -> None:
        """Take in new games; the oldest leave when there are too many positions."""
        new = [(played.number, played.num_positions) for played in games]
        num_seen = self.num_seen + sum(count for _, count in new)
        num_leaving = _num_leaving(self._games + new, capacity(self.config, num_seen))
        num_old = min(num_leaving, len(self._games))
        num_skipped = num_leaving - num_old
        newer = replay_games(self.game, self.config, games[num_skipped:])
        newer.facts["priority"] = self._highest_priority
        num_dropped = sum(count for _, count in self._games[:num_old])
        self._columns = join(drop(self._columns, num_old, num_dropped), newer)
        self._games = self._games[num_old:] + new[num_skipped:]
        self.num_seen = num_seen
        self._samples = self._tree = None

    def build(self) -> Samples:
        """Merge identical positions, if anything has changed since."""
        if self._samples is None:
            merge = self.config.merge
            self._samples = gather(self.game, self._columns, self._held_out, merge)
        return self._samples

    def sample(
        self, batch_size: int, rng: np.random.Generator, importance: float = 1.0
    ) -> Batch:
        """Draw a batch, each position seen through a random symmetry of the game.

        `importance` is by how much weights undo the bias of prioritised drawing.
        """
        samples = self.build()
        indices, weights = self._draw(batch_size, rng, importance)
        symmetries = rng.integers(self.game.plain.NUM_SYMMETRIES, size=batch_size)
        rows = samples.rows[indices]
        planes, ownership = self._positions(rows, symmetries)
        policies, replies = self._policies(samples, indices, symmetries)
        facts = self._columns.facts[rows]
        values = samples.targets[indices, 0]
        return Batch(
            planes=planes,
            policies=policies,
            policy_weights=weights * (samples.policy_rows[indices] >= 0),
            values=values,
            outcomes=self._outcomes(values, samples.targets[indices, 1]),
            value_weights=weights,
            plies_left=facts["plies_left"].astype(np.float32),
            ownership=ownership,
            has_ownership=facts["has_end"],
            replies=replies,
            has_reply=facts["has_reply"],
            indices=indices,
        )

    def update(self, indices: Indices, errors: NDArray[np.float32]) -> None:
        """Say how wrong the net was about samples drawn since the last build."""
        floor, power = self.config.priority_floor, self.config.priority_power
        priorities = ((np.abs(errors) + floor) ** power).astype(np.float32)
        self._highest_priority = max(self._highest_priority, float(priorities.max()))
        self._columns.facts["priority"][self.build().rows[indices]] = priorities
        self._priorities()[indices] = priorities.astype(np.float64)

    def state(self) -> dict[str, Array]:
        """Return what the games alone do not tell, for `restore`."""
        return {
            "num_seen": np.array([self.num_seen], np.int64),
            "games": np.array([number for number, _ in self._games], np.int64),
            "priorities": self._columns.facts["priority"].copy(),
            "highest_priority": np.array([self._highest_priority]),
        }

    def restore(self, state: Mapping[str, Array], games: Iterable[GameRecord]) -> None:
        """Become the window that gave this state, whose games are among these.

        If some of them are lost, all others have the same priority again.
        """
        by_number = {played.number: played for played in games}
        numbers = [int(number) for number in state["games"]]
        kept = [by_number[number] for number in numbers if number in by_number]
        self._columns = replay_games(self.game, self.config, kept)
        is_all = len(kept) == len(numbers)
        same = float(state["highest_priority"][0])
        self._columns.facts["priority"] = state["priorities"] if is_all else same
        self._games = [(played.number, played.num_positions) for played in kept]
        self._highest_priority = float(state["highest_priority"][0])
        self.num_seen = int(state["num_seen"][0])
        self._samples = self._tree = None

    def _draw(
        self, count: int, rng: np.random.Generator, importance: float
    ) -> tuple[Indices, NDArray[np.float32]]:
        """Return samples drawn [count] and their weights, the highest of which is 1."""
        size = self.num_samples
        assert size > 0, "there is nothing to draw from"
        if not self.config.prioritised:
            return rng.integers(size, size=count), np.ones(count, np.float32)
        tree = self._priorities()
        indices = tree.draw(count, rng)
        weights = (tree[indices] * (size / tree.total)) ** -importance
        return indices, (weights / weights.max()).astype(np.float32)

    def _priorities(self) -> "SumTree":
        if self._tree is None:
            priorities = self._columns.facts["priority"][self.build().rows]
            self._tree = SumTree(priorities.astype(np.float64))
        return self._tree

    def _positions(self, rows: Array, symmetries: Array) -> tuple[Planes, Planes]:
        """Return what rows look like and how their games ended."""
        rules = self.game.plain
        planes = np.zeros((len(rows), *self.game.observation_shape), np.float32)
        shape = (len(rows), len(rules.TARGETS), *rules.SHAPE)
        ownership = np.zeros(shape, np.float32)
        kernel = self.game.kernel(learn_kernel)
        kernel.fill_positions(self._columns, rows, symmetries, planes, ownership)
        return planes, ownership

    def _policies(
        self, samples: Samples, indices: Indices, symmetries: Array
    ) -> tuple[Planes, Planes]:
        """Return the policies of samples and those one ply later."""
        shape = (len(indices), self.game.num_actions)
        policies, replies = np.zeros(shape, np.float32), np.zeros(shape, np.float32)
        self.game.kernel(learn_kernel).fill_policies(
            self._columns,
            samples.merged,
            samples.rows[indices],
            samples.policy_rows[indices],
            symmetries,
            policies,
            replies,
        )
        return policies, replies

    def _outcomes(self, values: Array, draws: Array) -> NDArray[np.float32]:
        """Return win, draw and loss [B, 3] whose expectation is the value."""
        if self.game.num_players == 1:
            return np.zeros((len(values), 3), np.float32)
        wins, losses = (1 - draws + values) / 2, (1 - draws - values) / 2
        outcomes: NDArray[np.float32] = np.stack([wins, draws, losses], axis=1)
        return outcomes.clip(0, 1)


def _num_leaving(games: Sequence[tuple[int, int]], most: int) -> int:
    """Return how many games must leave so that no more positions stay than this."""
    left = sum(count for _, count in games)
    for number, (_, count) in enumerate(games[:-1]):
        if left <= most:
            return number
        left -= count
    return max(0, len(games) - 1)


class SumTree:
    """Priorities as leaves of a binary tree whose nodes hold the sums below them."""

    def __init__(self, priorities: NDArray[np.float64]) -> None:
        self.size = len(priorities)
        self._first_leaf = 1 << max(0, self.size - 1).bit_length()
        self._sums = np.zeros(2 * self._first_leaf)
        self._sums[self._first_leaf :][: self.size] = priorities
        level = self._first_leaf // 2
        while level >= 1:
            below = self._sums[2 * level : 4 * level]
            self._sums[level : 2 * level] = below[::2] + below[1::2]
            level //= 2

    @property
    def total(self) -> float:
        """The sum of all priorities."""
        return float(self._sums[1])

    def __getitem__(self, indices: Indices) -> NDArray[np.float64]:
        return self._sums[self._first_leaf + indices]

    def __setitem__(self, indices: Indices, priorities: NDArray[np.float64]) -> None:
        nodes = self._first_leaf + indices
        self._sums[nodes] = priorities
        while len(nodes) and nodes[0] > 1:
            nodes = np.unique(nodes // 2)
            self._sums[nodes] = self._sums[2 * nodes] + self._sums[2 * nodes + 1]

    def draw(self, count: int, rng: np.random.Generator) -> Indices:
        """Return indices [count], one from each of `count` equal parts of the total."""
        points = (np.arange(count) + rng.random(count)) * (self.total / count)
        nodes = np.ones(count, np.int64)
        while nodes[0] < self._first_leaf:
            nodes *= 2
            left = self._sums[nodes]
            goes_right = points >= left
            points -= np.where(goes_right, left, 0.0)
            nodes += goes_right
        # Rounding may lead one step beyond the last leaf.
        return np.minimum(nodes - self._first_leaf, self.size - 1)
