"""Observations of others as planes: vectors, and small images."""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ludens.errors import UserError
from ludens.game import Planes

MAX_NUMBERS = 16_384
"""Of an observation: four images of 64 x 64."""
LARGE = 1e6
"""A bound beyond this is none."""
Shape = tuple[int, ...]
Sizes = tuple[int, int, int]
"""Planes, rows and columns."""
Encode = Callable[[Any], Planes]


def planes_of(shape: Shape, name: str, is_channels_last: bool = False) -> Sizes:
    """Return planes, rows and columns for observations of a shape.

    A vector of n numbers is n planes of one cell.
    """
    size = int(np.prod(shape, dtype=np.int64))
    if not 0 < size <= MAX_NUMBERS:
        raise UserError(
            f"{name} shows {size:,} numbers at a time; up to {MAX_NUMBERS:,} can be"
            " learned from"
        )
    if len(shape) > 3:
        raise UserError(
            f"{name} shows arrays of {len(shape)} dimensions; vectors and images can be"
            " learned from"
        )
    if len(shape) < 2:
        return size, 1, 1
    planes, rows, columns = (1, *shape)[-3:]
    if is_channels_last and len(shape) == 3:
        planes, rows, columns = columns, planes, rows
    return (size, 1, 1) if min(rows, columns) == 1 else (planes, rows, columns)


def has_channels_last(shape: Shape) -> bool:
    """Tell whether an image has its colours last, as most have: they are few."""
    return len(shape) == 3 and shape[2] <= shape[0]


def checked(seen: Any, shape: Shape) -> NDArray[np.float32]:
    """Return an observation as float32, if it has the shape that it should."""
    array = np.asarray(seen)
    if array.shape != shape:
        raise ValueError(f"an observation of shape {array.shape}, not {shape}")
    return array.astype(np.float32)


def squash(numbers: NDArray[Any]) -> NDArray[Any]:
    """Return numbers in -1 to 1 as they are, others x as sign(x) (1 + log |x|)."""
    size = np.abs(numbers)
    return np.where(size <= 1, numbers, np.sign(numbers) * (1 + np.log(size + 1e-9)))


def plain_encoder(shape: Shape, planes: Shape) -> Encode:
    """Return what takes observations as they are, large numbers squashed."""

    def encode(seen: Any) -> Planes:
        return squash(checked(seen, shape)).astype(np.float32).reshape(planes)

    return encode


def box_encoder(low: Any, high: Any, planes: Shape) -> Encode:
    """Return what brings numbers between bounds into -1 to 1; images into 0 to 1.

    Numbers without bounds are squashed.
    """
    low, high = np.asarray(low, np.float64), np.asarray(high, np.float64)
    shape = low.shape
    is_bound = (np.abs(low) < LARGE) & (np.abs(high) < LARGE) & (low < high)
    width = np.where(is_bound, high - low, 1.0)
    is_image = len(shape) >= 2 and bool(is_bound.all()) and bool((low == 0).all())
    moves_channels = has_channels_last(shape) and planes[1:] == shape[:2]

    def encode(seen: Any) -> Planes:
        array = checked(seen, shape)
        share = (array - np.where(is_bound, low, 0.0)) / width
        scaled = share if is_image else 2 * share - 1
        found = np.where(is_bound, scaled, squash(array)).astype(np.float32)
        return (found.transpose(2, 0, 1) if moves_channels else found).reshape(planes)

    return encode


def one_hot_encoder(count: int, first: int = 0) -> Encode:
    """Return what makes one number in `count` planes of one cell 1."""

    def encode(seen: Any) -> Planes:
        found = np.zeros((count, 1, 1), np.float32)
        found[range(count)[int(seen) - first]] = 1.0
        return found

    return encode


def with_player(seen: Planes, player: int) -> Planes:
    """Add a plane that says whose turn it is."""
    plane = np.full((1, *seen.shape[1:]), player, np.float32)
    return np.concatenate([seen, plane])
