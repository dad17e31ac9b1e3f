"""The replay window: the newest positions of a run, sampled to learn from."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import accumulate

import numpy as np
from numpy.typing import NDArray

from ludens.learn.config import ReplayConfig
from ludens.learn.contents import Contents
from ludens.learn.positions import (
    drop,
    gather,
    group_rows,
    hold_out,
    join,
    replay_games,
)
from ludens.learn.renewed import pack_renewed, unpack_renewed
from ludens.learn.sumtree import Indices, SumTree
from ludens.learn.tables import Array, Batch, Groups, Samples, Unrolled
from ludens.loading.game import Game
from ludens.selfplay.share import GameRecord


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
        self._nets = np.zeros(0, np.int64)  # [games] whose net finished each
        self._columns = replay_games(game, config, [])
        self._held_out = hold_out(
            game, game.states(0) if held_out is None else held_out
        )
        self._highest_priority = 1.0
        self._renewed: dict[int, GameRecord] = {}
        """Games whose positions were searched again, by number."""
        self._forget()

    def _forget(self) -> None:
        """Forget what was built of positions that have changed."""
        self._samples: Samples | None = None
        self._groups: Groups | None = None
        self._tree: SumTree | None = None

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
        for number, _ in self._games[:num_old]:
            self._renewed.pop(number, None)
        self._games = self._games[num_old:] + new[num_skipped:]
        nets = np.array([played.net for played in games[num_skipped:]], np.int64)
        self._nets = np.concatenate([self._nets[num_old:], nets])
        self.num_seen = num_seen
        self._forget()

    def game_sizes(self) -> dict[int, int]:
        """Return how many positions each game has, by its number, the oldest first."""
        return dict(self._games)

    def positions_of(self, numbers: Collection[int]) -> Array:
        """Return the positions of some games, in the order of the games."""
        chosen = [
            np.arange(first, first + count)
            for first, (number, count) in zip(self._firsts(), self._games, strict=True)
            if number in numbers
        ]
        return self._columns.states[np.concatenate(chosen) if chosen else []]

    def renew(self, games: Iterable[GameRecord]) -> None:
        """Learn from now on what these games say, which are of the same moves."""
        firsts = dict(zip((n for n, _ in self._games), self._firsts(), strict=True))
        for played in games:
            renewed = replay_games(self.game, self.config, [played])
            rows = slice(firsts[played.number], None)
            count = len(renewed.states)
            self._columns.policies[rows][:count] = renewed.policies
            for name in ("value", "draw", "teaches", "has_reply"):
                self._columns.facts[name][rows][:count] = renewed.facts[name]
            self._renewed[played.number] = played
        self._forget()

    def _firsts(self) -> list[int]:
        """Return the first row of each game."""
        return [0, *accumulate(count for _, count in self._games)][: self.num_games]

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
        indices, weights = self._draw(batch_size, rng, importance)
        symmetries = rng.integers(self.game.plain.NUM_SYMMETRIES, size=batch_size)
        return self._contents().batch(indices, weights, symmetries)

    def unroll(
        self,
        batch_size: int,
        rng: np.random.Generator,
        importance: float = 1.0,
        all_planes: bool = True,
        alternates: bool = False,
        is_hidden: bool = False,
    ) -> Unrolled:
        """Draw a batch as `sample` does, and what followed in a game of each position.

        The game is any of those that have the position, so that all that was tried
        there is learned. `all_planes`: also what players saw at later steps;
        `alternates`: the players take turns, even where a game is over; `is_hidden`:
        chance moves after each action, and nobody has seen what it did.
        """
        indices, weights = self._draw(batch_size, rng, importance)
        rows = self._draw_rows(indices, rng)
        # What a symmetry makes of the outcomes of chance is not known.
        has_chance, num_choices = self.game.turn_order.has_chance, self.config.unroll
        num_symmetries = 1 if has_chance else self.game.plain.NUM_SYMMETRIES
        symmetries = rng.integers(num_symmetries, size=batch_size)
        choices = rng.integers(self.game.num_actions, size=(num_choices, batch_size))
        contents = self._contents()
        steps = contents.follow(rows, symmetries, choices, alternates, is_hidden)
        what = (indices, weights, symmetries, steps, all_planes, is_hidden)
        return contents.unrolled(*what)

    def ages(self, indices: Indices) -> NDArray[np.int64]:
        """Return how many nets ago the games of samples [B] were finished [B]."""
        ends = self._columns.facts["end"][self.build().rows[indices]]
        ages: NDArray[np.int64] = self._nets.max(initial=0) - self._nets[ends]
        return ages

    def update(self, indices: Indices, errors: NDArray[np.float32]) -> None:
        """Say how wrong the net was about samples drawn since the last build."""
        floor, power = self.config.priority_floor, self.config.priority_power
        priorities = ((np.abs(errors) + floor) ** power).astype(np.float32)
        self._highest_priority = max(self._highest_priority, float(priorities.max()))
        self._columns.facts["priority"][self.build().rows[indices]] = priorities
        self._priorities()[indices] = priorities.astype(np.float64)

    def state(self) -> dict[str, Array]:
        """Return what the games alone do not tell, for `restore`."""
        state = {
            "num_seen": np.array([self.num_seen], np.int64),
            "games": np.array([number for number, _ in self._games], np.int64),
            "priorities": self._columns.facts["priority"].copy(),
            "highest_priority": np.array([self._highest_priority]),
        }
        return state | (
            pack_renewed(self._renewed, self.game) if self.config.reanalyse else {}
        )

    def restore(self, state: Mapping[str, Array], games: Iterable[GameRecord]) -> None:
        """Become the window that gave this state, whose games are among these.

        If some of them are lost, all others have the same priority again.
        """
        by_number = {played.number: played for played in games}
        self._renewed = {}
        if self.config.reanalyse:
            self._renewed = unpack_renewed(state, by_number)
            by_number |= self._renewed
        numbers = [int(number) for number in state["games"]]
        kept = [by_number[number] for number in numbers if number in by_number]
        self._columns = replay_games(self.game, self.config, kept)
        is_all = len(kept) == len(numbers)
        same = float(state["highest_priority"][0])
        self._columns.facts["priority"] = state["priorities"] if is_all else same
        self._games = [(played.number, played.num_positions) for played in kept]
        self._nets = np.array([played.net for played in kept], np.int64)
        self._highest_priority = float(state["highest_priority"][0])
        self.num_seen = int(state["num_seen"][0])
        self._forget()

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

    def _draw_rows(self, indices: Indices, rng: np.random.Generator) -> Array:
        """Return a row of each sample [B], any of those that have its position."""
        if self._groups is None:
            self._groups = group_rows(self.build())
        first, rows = self._groups
        counts = first[indices + 1] - first[indices]
        drawn: Array = rows[first[indices] + rng.integers(counts)]
        return drawn

    def _priorities(self) -> SumTree:
        if self._tree is None:
            priorities = self._columns.facts["priority"][self.build().rows]
            self._tree = SumTree(priorities.astype(np.float64))
        return self._tree

    def _contents(self) -> Contents:
        return Contents(self.game, self._columns, self.build())


def _num_leaving(games: Sequence[tuple[int, int]], most: int) -> int:
    """Return how many games must leave so that no more positions stay than this."""
    left = sum(count for _, count in games)
    for number, (_, count) in enumerate(games[:-1]):
        if left <= most:
            return number
        left -= count
    return max(0, len(games) - 1)
