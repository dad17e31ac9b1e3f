"""What a checkpoint keeps of games whose positions were searched again."""

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from ludens.learn.tables import Array
from ludens.loading.game import Game
from ludens.selfplay.share import GameRecord


def pack_renewed(games: Mapping[int, GameRecord], game: Game) -> dict[str, Array]:
    """Return what such games say that the run's own records do not."""
    found = [games[number] for number in sorted(games)]
    no_policies = np.empty((0, game.num_actions), np.float16)
    return {
        "renewed": np.array([one.number for one in found], np.int64),
        "renewed_kinds": np.concatenate(
            [np.empty(0, np.uint8), *(one.kinds for one in found)]
        ),
        "renewed_policies": np.concatenate(
            [no_policies, *(one.policies for one in found)]
        ),
        "renewed_values": np.concatenate(
            [np.empty(0, np.float32), *(one.values for one in found)]
        ),
    }


def unpack_renewed(
    state: Mapping[str, Array], games: Mapping[int, GameRecord]
) -> dict[int, GameRecord]:
    """Return the games that `pack_renewed` was given, those that are lost left out."""
    found, first = {}, 0
    lengths = {number: len(one.kinds) for number, one in games.items()}
    for number in state["renewed"].tolist():
        if number not in games:  # how long it was is not known, nor where others begin
            return {}
        plies = slice(first, first := first + lengths[number])
        found[number] = replace(
            games[number],
            kinds=state["renewed_kinds"][plies],
            policies=state["renewed_policies"][plies],
            values=state["renewed_values"][plies],
        )
    return found
