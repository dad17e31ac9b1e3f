"""Games as arrays in one file, for programs that learn from them."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from ludens.files import TensorFormat, Tensors, write_bytes
from ludens.selfplay.share import ENDINGS, GameRecord

FORMAT = TensorFormat("ludens-games-1", "a file of games")
SUFFIX = ".safetensors"


def save_games(
    games: Sequence[GameRecord], num_actions: int, path: Path, texts: Mapping[str, str]
) -> None:
    """Write games, with texts that say what they are of, whole or not at all."""
    write_bytes(path, FORMAT.pack(arrays_of(games, num_actions), texts))


def arrays_of(games: Sequence[GameRecord], num_actions: int) -> Tensors:
    """Return G games with S steps and P plies in all as arrays.

    numbers, seeds, results, endings (places in ENDINGS), num_steps and num_plies are
    [G]; history [S] has actions and chance outcomes; kinds and values are [P], policies
    [P, A]. What belongs to a game lies together, in the order of the games.
    """
    return {
        "numbers": np.array([one.number for one in games], np.int64),
        "seeds": np.array([one.seed for one in games], np.uint64),
        "results": np.array([one.result for one in games], np.float32),
        "endings": np.array([ENDINGS.index(one.ending) for one in games], np.uint8),
        "num_steps": np.array([len(one.history) for one in games], np.int32),
        "num_plies": np.array([len(one.kinds) for one in games], np.int32),
        "history": _joined([one.history for one in games], np.int32),
        "kinds": _joined([one.kinds for one in games], np.uint8),
        "values": _joined([one.values for one in games], np.float32),
        "policies": _joined([one.policies for one in games], np.float16, num_actions),
    }


def _joined(parts: Sequence[np.ndarray], kind: type, *width: int) -> np.ndarray:
    return np.concatenate([np.empty((0, *width), kind), *parts]).astype(kind)
