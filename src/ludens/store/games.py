"""GameRecord games as rows of SQLite: plain columns for people, arrays as bytes."""

import zlib
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ludens.selfplay.share import ENDINGS, FULL, GameRecord

COLUMNS = (
    "number, iteration, seed, net, ending, is_over, result, num_plies, num_positions,"
    " num_actions, history, kinds, vals, policies"
)
_TYPES = (*[int] * 4, str, int, float, *[int] * 3, *[bytes] * 4)
_WORD = 1 << 64  # SQLite's integers have a sign, seeds have none
_MAX_BYTES = 2**28
"""Of the policies of one game: a thousand plies of 100,000 actions."""
_LEVEL = 1
"""Of zlib: on policies of 81 actions level 6 took twice the time for 3 % less."""


def row_of(played: GameRecord, iteration: int) -> tuple[Any, ...]:
    """Return the values of COLUMNS for a game."""
    seed = played.seed if played.seed < _WORD // 2 else played.seed - _WORD
    num_plies, num_actions = played.policies.shape
    return (
        *(int(played.number), iteration, int(seed), int(played.net)),
        *(str(played.ending), int(played.is_over), float(played.result)),
        *(num_plies, played.num_positions, num_actions),
        played.history.astype("<i4").tobytes(),
        played.kinds.astype("u1").tobytes(),
        played.values.astype("<f4").tobytes(),
        zlib.compress(played.policies.astype("<f2").tobytes(), _LEVEL),
    )


def record_of(row: Sequence[Any]) -> GameRecord:
    """Return the game of a row of COLUMNS; ValueError if it is not one."""
    for value, kind in zip(row, _TYPES, strict=True):
        if type(value) is not kind:
            raise ValueError("its parts are not of their types")
    number, _, seed, net, ending, is_over, result, *_, num_actions = row[:10]
    history, kinds, values, packed = row[10:]
    played = GameRecord(
        number=number,
        seed=seed % _WORD,
        net=net,
        history=_array(history, "<i4", np.int32),
        kinds=_array(kinds, "u1", np.uint8),
        policies=_unpack(packed, len(kinds), num_actions),
        values=_array(values, "<f4", np.float32),
        result=float(result),
        is_over=bool(is_over),
        ending=ending,
    )
    _check(played)
    return played


def _unpack(packed: bytes, num_plies: int, num_actions: int) -> NDArray[np.float16]:
    """Return policies [P, A] from bytes that may not grow beyond them."""
    size_bytes = 2 * num_plies * num_actions
    if not 0 <= size_bytes <= _MAX_BYTES:
        raise ValueError("it has policies of no possible size")
    try:
        content = zlib.decompressobj().decompress(packed, size_bytes + 1)
    except zlib.error as error:
        raise ValueError(f"policies: {error}") from None
    return _array(content, "<f2", np.float16).reshape(num_plies, num_actions)


def _check(played: GameRecord) -> None:
    """Refuse what no game says, before kernels and nets believe it."""
    policies, values = played.policies, played.values
    if not len(played.kinds) == len(values) <= len(played.history):
        raise ValueError("its parts are not of one length")
    if played.kinds.max(initial=0) > FULL or played.ending not in ENDINGS:
        raise ValueError("it has a kind of move or of ending that is not known")
    if not (policies >= 0).all() or not (policies <= 1).all():
        raise ValueError("it has policies beyond 0 and 1")
    if not np.isfinite(values).all() or not np.isfinite(played.result):
        raise ValueError("it has values that are not finite")


def _array(content: bytes, stored: str, wanted: type) -> NDArray[Any]:
    """Return bytes as an array of its own, in the byte order of this machine."""
    return np.frombuffer(content, stored).astype(wanted)
