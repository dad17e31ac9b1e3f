"""What is tried before a run begins: its settings, its values, its compiled code."""

import math
import os
import shutil
from collections.abc import Sequence
from dataclasses import replace
from importlib.util import find_spec

import numpy as np

from ludens.agents.compiling import leaves_of, proofs_of, search_tasks
from ludens.errors import UserError
from ludens.game import Planes
from ludens.infer.evaluator import choose_device, make_evaluator
from ludens.learn.config import LearnConfig
from ludens.learn.tables import Samples
from ludens.learn.window import Window
from ludens.loading.ahead import Task
from ludens.loading.game import Game
from ludens.nets.config import NetConfig
from ludens.nets.weights import new_net
from ludens.rng import numpy_rng
from ludens.search.model import Evaluation
from ludens.search.search import Search
from ludens.selfplay.worker import play_iteration
from ludens.training.config import Config
from ludens.training.evaluate import Place, named_opponents
from ludens.training.ranges import random_rewards, returns_of

SLACK = 1e-6


def try_out(game: Game, config: Config, place: Place) -> None:
    """Build what the settings ask for, so that mistakes show before a run is made."""
    if game.environment is not None and not config.net.is_learned:
        raise UserError(f"{game.spec} has no rules; use --method muzero")
    check_returns(game, config)
    named_opponents(config.evaluate, game)
    net = new_net(game, config.net, config.seed)
    check_learner_place(config.learn, place)
    plays_at = place.on(config.selfplay.device)
    evaluator = make_evaluator(net, plays_at.device, place.precision)
    Search(game, config.search, config.selfplay.games, evaluator=evaluator)


def check_learner_place(config: LearnConfig, place: Place) -> None:
    """Refuse a device that is not there, or no compiler where one is wanted."""
    device = choose_device(place.on(config.device).device)
    if not config.compile:
        return
    compiler = os.environ.get("CXX", "g++")
    if device == "cuda" and find_spec("triton") is None:
        raise UserError(
            "learn.compile needs triton on cuda; install it or leave it out"
        )
    if device != "cuda" and shutil.which(compiler) is None:
        raise UserError(
            f"learn.compile needs a C++ compiler, and there is no {compiler};"
            " install one, name it in CXX, or leave learn.compile out"
        )


def check_returns(game: Game, config: Config) -> None:
    """Refuse heads that cannot say what results or random games bring already."""
    net, discount = config.net, config.replay.discount
    if game.num_players == 2:
        if net.value != "wdl":
            _refuse_range(game, net, "value", "results", [-1.0, 1.0])
        return
    games = list(random_rewards(game))
    returns = [0.0, *(x for one in games for x in returns_of(one, discount))]
    _refuse_range(game, net, "value", "sums of rewards", returns)
    if net.is_learned:
        rewards = [0.0, *(reward for one in games for reward in one)]
        _refuse_range(game, net, "reward", "rewards", rewards)


def _refuse_range(
    game: Game, net: NetConfig, head: str, what: str, found: Sequence[float]
) -> None:
    """Refuse a range of values or rewards that clips what was found."""
    least, most = getattr(net, f"{head}_low"), getattr(net, f"{head}_high")
    low, high = min(found), max(found)
    wishes = []
    if low < least - SLACK:
        wishes.append(f"--set net.{head}_low={math.floor(_doubled(game, low))}")
    if high > most + SLACK:
        wishes.append(f"--set net.{head}_high={math.ceil(_doubled(game, high))}")
    if wishes:
        where = "" if game.num_players == 2 else " in random games"
        raise UserError(
            f"the {what} of {game.spec} are {low:g} to {high:g}{where}, which a {head}"
            f" in [{least:g}, {most:g}] cannot say; add {' '.join(wishes)}"
        )


def _doubled(game: Game, bound: float) -> float:
    """Return a bound with room for what good play brings; results have no more."""
    return bound if game.num_players == 2 else 2 * bound


def clipped_share(samples: Samples, config: NetConfig) -> float:
    """Return the share of the values to learn that a value head cannot say."""
    values = samples.targets[:, 0]
    low, high = config.value_low - SLACK, config.value_high + SLACK
    if config.value == "wdl" or len(values) == 0:
        return 0.0
    return float(np.mean((values < low) | (values > high)))


def why_clipped(samples: Samples, config: NetConfig) -> str:
    """Say what a value head cannot learn of what was played; "" if it can learn all."""
    share = clipped_share(samples, config)
    if share == 0:
        return ""
    return (
        f"{share:.1%} of the values to learn are outside [{config.value_low:g},"
        f" {config.value_high:g}] and are cut; a new run with other net.value_low or"
        " net.value_high can learn them"
    )


def training_tasks(config: Config) -> list[Task]:
    """Return what self-play, and the examination of nets by search, need compiled."""
    leaves, codes = leaves_of(config.net), config.net.codes
    root, proofs = config.search.root, proofs_of(vars(config.search))
    played = search_tasks(root, leaves, True, codes, proofs)
    examined = search_tasks("puct", leaves, has_many=True, codes=codes)
    others = search_tasks("puct", "rollouts", has_many=True)
    meets = others if config.evaluate.mcts_sims else []
    return list(dict.fromkeys([*played, *examined, *meets]))


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

    net, search = new_net(game, config.net, config.seed), replace(config.search, sims=2)
    evaluator = make_evaluator(net, "cpu") if config.net.is_learned else guess
    played = play_iteration(game, search, selfplay, evaluator, seed=config.seed, net=0)
    window, rng = Window(game, config.replay), numpy_rng(config.seed, "warm")
    window.add(played.games)
    if window.num_samples > 0:
        window.sample(2, rng)
        if config.net.is_learned:
            window.unroll(2, rng, is_hidden=config.net.codes > 0)
