"""The latents of trees that a learned model grows, and what it says of their leaves."""

from functools import lru_cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ludens.game import CHANCE, OVER, Planes
from ludens.loading.game import Game
from ludens.search import learned_rules
from ludens.search.memory import sparse_zeros
from ludens.search.model import Evaluation, LearnedModel, ModelSizes
from ludens.search.tree import Array, Forest

MOVER, OTHER, CHANCE_NEXT, END = range(4)
"""Who is next, seen from the player who moved last."""
Answers = tuple[NDArray[np.float32], NDArray[np.float32]]
"""Logits [M, K], or the probabilities of outcomes at chance's turn, and values [M]."""


def rules_of(model: LearnedModel, compiled: bool) -> Game:
    """Return the rules that trees of a learned model are grown with."""
    return _load_rules(model.model_sizes, compiled)


@lru_cache(64)
def _load_rules(sizes: ModelSizes, compiled: bool) -> Game:
    options = {
        "actions": sizes.actions,
        "players": sizes.players,
        "outcomes": sizes.outcomes,
        "alternating": sizes.is_alternating,
    }
    return Game("learned model", Path(learned_rules.__file__), options, compiled)


def pack_legal(legal: NDArray[np.bool_]) -> NDArray[np.uint64]:
    """Return what may be tried [M, A] as bits [M, words]."""
    num_bytes = -(-legal.shape[1] // 64) * 8
    packed = np.zeros((len(legal), num_bytes), np.uint8)
    bits = np.packbits(legal, axis=1, bitorder="little")
    packed[:, : bits.shape[1]] = bits
    return packed.view("<u8").astype(np.uint64)


class Imagination:
    """The latents of some trees [B, N, D]; a network makes each from its parent's."""

    def __init__(
        self, model: LearnedModel, forest: Forest, states: Array, roots: Planes
    ) -> None:
        """Make room for latents; `roots` [B, P, rows, columns] is what roots show."""
        self._model = model
        self._sizes = model.model_sizes
        self._forest = forest
        self._states = states
        self._roots = roots
        shape = (*forest.nodes.shape, model.latent_size)
        self._latents = sparse_zeros(shape, np.dtype(np.float32))
        self._width = max(self._sizes.actions, self._sizes.outcomes)

    def ask(self, leaves: Array) -> Answers:
        """Evaluate leaves [M, 2], given as game and node."""
        logits = np.zeros((len(leaves), self._width), np.float32)
        values = np.empty(len(leaves), np.float32)
        is_root = leaves[:, 1] == 0
        for rows, evaluate in ((is_root, self._observe), (~is_root, self._imagine)):
            if rows.any():
                found = evaluate(leaves[rows, 0], leaves[rows, 1])
                logits[rows, : found.logits.shape[1]] = found.logits
                values[rows] = found.values
                if found.turns is not None:
                    self._take_turns(leaves, rows, found, logits, values)
        return logits, values

    def _observe(self, games: Array, nodes: Array) -> Evaluation:
        """Evaluate roots by what they show."""
        found = self._model(self._roots[games])
        assert found.latents is not None
        self._latents[games, nodes] = found.latents
        return found._replace(turns=None)  # the rules say who is to move

    def _imagine(self, games: Array, nodes: Array) -> Evaluation:
        """Evaluate nodes by their parents' latents and what was chosen there."""
        tree, model = self._forest, self._model
        parents = tree.nodes["parent"][games, nodes]
        edges = tree.nodes["parent_edge"][games, nodes]
        choices = tree.edges["action"][games, edges].astype(np.int64)
        by_chance = tree.nodes["to_play"][games, parents] == CHANCE
        choices[by_chance] += self._sizes.actions
        found = model.step(self._latents[games, parents], choices)
        assert found.latents is not None
        self._latents[games, nodes] = found.latents
        if found.rewards is not None:
            rewards = np.where(by_chance, 0.0, found.rewards)
            tree.nodes["reward"][games, nodes] = rewards
        if found.legal is not None:
            self._states["legal"][games, nodes] = pack_legal(found.legal)
        return found

    def _take_turns(
        self,
        leaves: Array,
        rows: NDArray[np.bool_],
        found: Evaluation,
        logits: NDArray[np.float32],
        values: NDArray[np.float32],
    ) -> None:
        """Let leaves belong to whom the model says; an end is worth nothing more."""
        assert found.turns is not None
        games, nodes = leaves[rows, 0], leaves[rows, 1]
        turns = found.turns.astype(np.int64)
        if self._sizes.outcomes == 0:
            turns[turns == CHANCE_NEXT] = MOVER
        player = self._states["player"][games, nodes]
        player = np.where(turns == OTHER, 1 - player, player)
        to_play = np.select(
            [turns == CHANCE_NEXT, turns == END], [CHANCE, OVER], player
        )
        self._states["player"][games, nodes] = player
        self._states["to_play"][games, nodes] = to_play
        self._forest.nodes["to_play"][games, nodes] = to_play
        value = np.where((to_play < 0) & (player == 1), -found.values, found.values)
        if self._sizes.players == 1:
            value[to_play == OVER] = 0.0
        values[rows] = value
        if found.chances is not None:
            by_chance = np.flatnonzero(rows)[to_play == CHANCE]
            logits[by_chance, : found.chances.shape[1]] = found.chances[
                to_play == CHANCE
            ]
