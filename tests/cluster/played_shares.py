"""A share of tic-tac-toe that was played, as a task and as what a worker brings."""

from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from ludens.cluster.jobs import pack_played, sha256
from ludens.cluster.shares import ShareTask
from ludens.game import Planes
from ludens.loading.game import load_game
from ludens.nets.config import NetConfig
from ludens.nets.weights import Net, new_net
from ludens.search.config import SearchConfig
from ludens.search.model import Evaluation
from ludens.selfplay.config import SelfplayConfig
from ludens.selfplay.share import Share, SharePlayed
from ludens.selfplay.worker import play_share

GAME = load_game("tic_tac_toe")
SEARCH = SearchConfig(sims=4, root="gumbel")
SELFPLAY = SelfplayConfig(positions=60, games=4, shares=4, threads=1)
FIGURES = {"seconds": 1.0, "cpu_seconds": 1.0, "rss_bytes": 1}
SCRIPT = Path(__file__).parent / "scripted_bridge.py"


@cache
def tiny_net() -> Net:
    """Return a net that is quick to make and to ask."""
    return new_net(GAME, NetConfig(blocks=1, channels=8, hidden=8), seed=1)


def evaluate(planes: Planes) -> Evaluation:
    """Like all moves the same."""
    logits = np.zeros((len(planes), GAME.num_actions), np.float32)
    return Evaluation(logits, np.zeros(len(planes), np.float32))


def play(share: Share) -> SharePlayed:
    """Play a share."""
    return play_share(GAME, SEARCH, SELFPLAY, evaluate, share)


@cache
def second_share() -> Share:
    """Return a share that goes on with games of one before."""
    first = Share(1, seed=7, net=0, first_game=1, stride=2, slots=3, quota=20)
    played = play(first)
    return Share(
        1, 7, 1, played.next_game, 2, 3, 20, unfinished=tuple(played.unfinished)
    )


def task_of(share: Share) -> ShareTask:
    """Return a share as a task."""
    content = tiny_net().to_bytes()
    nets = {sha256(content): content}
    return ShareTask(GAME, SEARCH, SELFPLAY, share, nets, lambda: evaluate)


def answer(played: SharePlayed, **figures: Any) -> bytes:
    """Return what a worker that has played a share sends."""
    return pack_played(played, {**FIGURES, **figures})
