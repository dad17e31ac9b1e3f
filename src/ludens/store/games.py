"""Rows of SQLite: games, with arrays as bytes, and metrics as text."""

import json
import math
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ludens.selfplay.share import ENDINGS, FULL, GameRecord, Packed, Trace

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
_SPARE = 64
"""Bytes by which what zlib cannot make shorter grows, beside its thousandth."""
MATCHES = "matches"
_MATCH = (str, str, int, int, int)
"""Player, opponent, wins, draws, losses."""
_MAX_INTEGER = 2**63


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
        _packed(played),
    )


def _packed(played: GameRecord) -> bytes:
    """Return policies as bytes: as they came, if these are still the same."""
    if played.packed is not None and played.packed.policies is played.policies:
        return played.packed.content
    return zlib.compress(played.policies.astype("<f2").tobytes(), _LEVEL)


def trace_row_of(played: GameRecord) -> tuple[int, bytes]:
    """Return the values of the table of traces for a game that has one."""
    trace = played.trace
    assert trace is not None
    parts = (
        trace.observations.astype("<f4").tobytes(),
        np.packbits(trace.legal, axis=1).tobytes(),
        trace.to_play.astype("i1").tobytes(),
        trace.rewards.astype("<f4").tobytes(),
    )
    return int(played.number), zlib.compress(b"".join(parts), _LEVEL)


def with_trace(played: GameRecord, packed: Any) -> GameRecord:
    """Return a game with its trace; ValueError if it is not one of the game."""
    if not isinstance(packed, bytes):
        raise ValueError("its trace is missing")
    num_plies, num_actions = played.policies.shape
    content, _ = _inflate(packed, _MAX_BYTES)
    states, mask_bytes = num_plies + 1, -(-num_actions // 8)
    rest = len(content) - states * (mask_bytes + 1) - 4 * num_plies
    if rest <= 0 or rest % (4 * states):
        raise ValueError("its trace has no possible size")
    sizes = (rest, states * mask_bytes, states, 4 * num_plies)
    ends = np.cumsum(sizes).tolist()
    seen, masks, to_play, rewards = (
        content[end - size : end] for end, size in zip(ends, sizes, strict=True)
    )
    bits = np.frombuffer(masks, np.uint8).reshape(states, mask_bytes)
    trace = Trace(
        _array(seen, "<f4", np.float32).reshape(states, -1),
        np.unpackbits(bits, axis=1, count=num_actions).astype(np.bool_),
        _array(to_play, "i1", np.int8),
        _array(rewards, "<f4", np.float32),
    )
    if not all(np.isfinite(part).all() for part in (trace.observations, trace.rewards)):
        raise ValueError("it has observations or rewards that are not finite")
    return replace(played, trace=trace)


def record_of(row: Sequence[Any], keep_packed: bool = False) -> GameRecord:
    """Return the game of a row of COLUMNS; ValueError if it is not one.

    To pack policies takes most of the time of writing a game down, so those that
    another process has packed as we do can be kept as they came.
    """
    for value, kind in zip(row, _TYPES, strict=True):
        if type(value) is not kind:
            raise ValueError("its parts are not of their types")
    number, _, seed, net, ending, is_over, result, *_, num_actions = row[:10]
    history, kinds, values, packed = row[10:]
    policies, is_all = _unpack(packed, len(kinds), num_actions)
    played = GameRecord(
        number=number,
        seed=seed % _WORD,
        net=net,
        history=_array(history, "<i4", np.int32),
        kinds=_array(kinds, "u1", np.uint8),
        policies=policies,
        values=_array(values, "<f4", np.float32),
        result=float(result),
        is_over=bool(is_over),
        ending=ending,
        packed=Packed(policies, packed) if keep_packed and is_all else None,
    )
    _check(played)
    return played


def _unpack(
    packed: bytes, num_plies: int, num_actions: int
) -> tuple[NDArray[np.float16], bool]:
    """Return policies [P, A], and whether the bytes hold these and nothing else."""
    size_bytes = 2 * num_plies * num_actions
    if not 0 <= size_bytes <= _MAX_BYTES:
        raise ValueError("it has policies of no possible size")
    content, is_all = _inflate(packed, size_bytes + 1)
    policies = _array(content, "<f2", np.float16).reshape(num_plies, num_actions)
    return policies, is_all and len(packed) <= size_bytes + size_bytes // 1000 + _SPARE


def _inflate(packed: bytes, most: int) -> tuple[bytes, bool]:
    """Return what was compressed, at most so many bytes, and whether that is all."""
    inflater = zlib.decompressobj()
    try:
        content = inflater.decompress(packed, most)
    except zlib.error as error:
        raise ValueError(f"what is compressed: {error}") from None
    return content, inflater.eof and not inflater.unused_data


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


def text_of(metrics: Mapping[str, Any]) -> str:
    """Return metrics as JSON, which knows neither NaN nor the numbers of NumPy."""
    plain = {name: _checked(name, _plain(value)) for name, value in metrics.items()}
    return json.dumps(plain)


def _plain(value: Any) -> Any:
    if hasattr(value, "item"):
        value = value.item()
    return None if isinstance(value, float) and not math.isfinite(value) else value


def metrics_of(text: Any) -> dict[str, Any]:
    """Return the metrics of a text; ValueError if it does not hold metrics."""
    try:
        found = json.loads(text)
    except (TypeError, RecursionError):
        raise ValueError("they are not JSON of ours") from None
    if not isinstance(found, dict):
        raise ValueError("they are no object of JSON")
    return {name: _checked(name, value) for name, value in found.items()}


def _checked(name: str, value: Any) -> Any:
    """Return a value that is what its name promises, whoever wrote it."""
    is_fine = value is None or (
        _are_matches(value) if name == MATCHES else _is_number(value)
    )
    if not is_fine:
        raise ValueError(f"{name} is not a number")
    return value


def _is_number(value: Any) -> bool:
    if isinstance(value, int):
        return -_MAX_INTEGER < value < _MAX_INTEGER
    return isinstance(value, float) and math.isfinite(value)


def _are_matches(value: Any) -> bool:
    return isinstance(value, list) and all(
        isinstance(match, list)
        and tuple(map(type, match)) == _MATCH
        and all(_is_number(n) for n in match if isinstance(n, int))
        for match in value
    )
