"""What a network says of positions, averaged over the symmetries of the game."""

import numpy as np

from ludens.errors import UserError
from ludens.game import Planes
from ludens.loading.game import Game
from ludens.search import kernel as search_kernel
from ludens.search.imagination import Answers
from ludens.search.model import Evaluation, Evaluator, is_learned
from ludens.search.tree import Array


def find_averaging(
    game: Game, evaluator: Evaluator | None, symmetries: int
) -> "Averaging | None":
    """Return what averages over so many symmetries, None if there is one only."""
    if symmetries == 1:
        return None
    if evaluator is None or is_learned(evaluator):
        raise UserError(
            "symmetries is for a network that sees positions by the rules, and here"
            " is none"
        )
    return Averaging(game, evaluator, symmetries)


class Averaging:
    """Show a network S images of each position, and turn its answers back."""

    def __init__(self, game: Game, evaluator: Evaluator, symmetries: int) -> None:
        """Take so many symmetries, spread evenly over all that the game has."""
        rules, most = game.plain, int(game.plain.NUM_SYMMETRIES)
        self._game = game
        self._evaluator = evaluator
        count = min(symmetries, most)
        self._symmetries = np.arange(count) * most // count
        """[S] the first is the identity"""
        self._places = np.array(
            [
                [rules.transform_action(a, int(s)) for a in range(game.num_actions)]
                for s in self._symmetries
            ]
        )
        """[S, A] where each symmetry takes an action"""

    def __call__(self, states: Array) -> Evaluation:
        """Evaluate states [n]: the means of logits [n, A] and values [n]."""
        planes = self.observe(states)
        found = self._evaluator(planes.reshape(-1, *planes.shape[2:]))
        logits = found.logits.reshape(*planes.shape[:2], self._places.shape[1])
        logits = np.take_along_axis(logits, self._places[None], axis=2)
        values = found.values.reshape(planes.shape[:2]).mean(1)
        return Evaluation(logits.mean(1), values.astype(np.float32))

    def observe(self, states: Array) -> Planes:
        """Return what the images of states [n] show, [n, S, P, rows, columns]."""
        shape = (len(states), len(self._symmetries))
        planes = np.empty((*shape, *self._game.observation_shape), np.float32)
        kernel, image = self._game.kernel(search_kernel), self._game.states(1)
        kernel.observe_images(states, self._symmetries, image, planes)
        return planes

    def replace_roots(self, states: Array, leaves: Array, answers: Answers) -> None:
        """Average the answers to those leaves [M, 2] of trees that are their roots.

        `states` [B, N] are those of the trees.
        """
        is_root = leaves[:, 1] == 0
        if is_root.any():
            found = self(states[leaves[is_root, 0], 0])
            logits, values = answers
            logits[is_root], values[is_root] = found.logits, found.values

    def set_priors(self, states: Array, nodes: Array, edges: Array) -> None:
        """Average the priors of a root [1] that has its edges from elsewhere."""
        logits = self(states).logits[0, edges["action"]]
        logits -= logits.max()
        edges["logit"] = logits - np.log(np.exp(logits).sum())
        edges["prior"] = np.exp(edges["logit"])
        nodes["is_sorted"] = 0
