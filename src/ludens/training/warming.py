"""Compile all that an iteration calls before the first one, which has a clock."""

from dataclasses import replace

import numpy as np

from ludens.agents.compiling import search_tasks
from ludens.game import Planes
from ludens.learn.window import Window
from ludens.loading.ahead import Task
from ludens.loading.game import Game
from ludens.rng import numpy_rng
from ludens.search.model import Evaluation
from ludens.selfplay.worker import play_iteration
from ludens.training.config import Config


def training_tasks(root: str) -> list[Task]:
    """Return what self-play, and the examination of nets by search, need compiled."""
    played = search_tasks(root, has_net=True, has_many=True)
    examined = search_tasks("puct", has_net=True, has_many=True)
    others = search_tasks("puct", has_net=False, has_many=True)
    return list(dict.fromkeys([*played, *examined, *others]))


def warm_up(game: Game, config: Config) -> None:
    """Play a few moves of a few games, and draw a batch of them."""
    if not game.compiled:
        return
    selfplay = replace(
        config.selfplay,
        games=2,
        positions=8,
        threads=1,
        max_plies=2,
        temperature=1.0,
        temperature_plies=2,
        opening_share=0.5,
        opening_plies=1,
    )

    def guess(planes: Planes) -> Evaluation:
        logits = np.zeros((len(planes), game.num_actions), np.float32)
        return Evaluation(logits, np.zeros(len(planes), np.float32))

    search = replace(config.search, sims=2)
    played = play_iteration(game, search, selfplay, guess, seed=config.seed, net=0)
    window = Window(game, config.replay)
    window.add(played.games)
    if window.num_samples > 0:
        window.sample(2, numpy_rng(config.seed, "warm"))
