"""The literal search over a learned model: a child is what the model says it is."""

import math
from typing import Any

import numpy as np
from reference import Node, Reference, rounded
from toy_model import ToyModel

from ludens import Game
from ludens.game import CHANCE, OVER
from ludens.rng import mix
from ludens.search.config import SearchConfig


class Imagined(Node):
    """A node below the root: its parent's latent and what was chosen there."""

    def __init__(self, parent: Node, choice: int, player: int) -> None:
        state = np.zeros(1, np.dtype((np.record, [("to_play", "i1")])))
        state["to_play"] = player
        super().__init__(state, 0.0)
        self.parent = parent
        self.choice = choice
        self.player = player


class LearnedReference(Reference):
    """One tree over a learned model."""

    def __init__(self, game: Game, config: SearchConfig, model: ToyModel) -> None:
        super().__init__(game, config, model)
        self.model = model
        self.has_chance = model.num_outcomes > 0
        self.latents: dict[int, Any] = {}

    def child(self, node: Node, action: int) -> Node:
        """Return a node of which nothing is known yet but whose turn it should be."""
        player = getattr(node, "player", node.to_play)
        choice = action
        if node.to_play == CHANCE:
            choice += self.model.num_actions
        elif self.model.is_alternating:
            player = 1 - player
        child = Imagined(node, choice, player)
        child.chance_key = node.chance_key
        if node.to_play == CHANCE:
            child.chance_key = mix(node.chance_key ^ mix(np.uint64(action + 1)))
        return child

    def evaluate(self, node: Node) -> float:
        """Ask the model what a node is; return its value for player 0."""
        if not isinstance(node, Imagined):
            planes = np.zeros((1, *self.game.observation_shape), np.float32)
            self.game.rules.observe(node.state[0], planes[0])
            found = self.model(planes)
            actions = np.zeros(self.game.num_actions, np.int32)
            count = self.game.rules.legal(node.state[0], actions)
            legal, player = actions[:count].tolist(), node.to_play
        else:
            before = self.latents[id(node.parent)]
            found = self.model.step(before, np.array([node.choice]))
            legal = list(range(self.model.num_actions))
            if found.legal is not None:
                legal = np.flatnonzero(found.legal[0]).tolist()
            self.take_turn(node, found)
            player = node.player
        self.latents[id(node)] = found.latents
        node.value = (-1 if player == 1 else 1) * float(found.values[0])
        if node.to_play == OVER:
            node.value = node.value if self.is_bounded else 0.0
        elif node.to_play == CHANCE:
            node.priors = {o: float(p) for o, p in enumerate(found.chances[0])}
            node.is_expanded = True
        else:
            logits = {a: float(found.logits[0, a]) for a in legal}
            top = max(logits.values())
            total = sum(math.exp(x - top) for x in logits.values())
            priors = {a: math.exp(x - top) / total for a, x in logits.items()}
            self.expand(node, priors, {a: x - top for a, x in logits.items()})
        return node.value

    def take_turn(self, node: Imagined, found: Any) -> None:
        """Give a node its reward and its player, as the model says."""
        by_chance = node.parent.to_play == CHANCE
        if found.rewards is not None and not by_chance:
            node.reward = rounded(found.rewards[0])
        if found.turns is not None:
            if found.turns[0] == 1:
                node.player = 1 - node.player
            who = [node.player, node.player, CHANCE, OVER]
            node.to_play = who[found.turns[0]]
