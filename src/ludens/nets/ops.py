"""The operations that networks are made of; a backend supplies them."""

from collections.abc import Sequence
from typing import Any, Literal, Protocol, TypeAlias, TypeVar

from numpy.typing import NDArray

T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)
Shape: TypeAlias = tuple[int, ...]
Init: TypeAlias = Literal["he", "lecun", "small", "position", "zeros", "ones"]
"""How a parameter starts: he before a relu, lecun elsewhere, small for the last of a
head (so that a new net is undecided)."""


class Ask(Protocol[T_co]):
    """Give a parameter, asked for at the place of its use."""

    def __call__(self, name: str, shape: Shape, init: Init) -> T_co: ...


class Ops(Protocol[T]):
    """What a backend can do. Shapes have the batch first, -1 where it is written."""

    def constant(self, array: NDArray[Any]) -> T:
        """Return fixed numbers."""

    def conv(self, x: T, weight: T, bias: T) -> T:
        """[B, C, R, S] with [O, C, k, k] and [O]: [B, O, R, S], edges padded by 0."""

    def linear(self, x: T, weight: T, bias: T) -> T:
        """[..., I] with [O, I] and [O]: [..., O]."""

    def matmul(self, a: T, b: T) -> T:
        """[..., I, J] with [..., J, K]: [..., I, K]."""

    def add(self, a: T, b: T) -> T:
        """Add, with broadcasting."""

    def scale(self, x: T, factor: float) -> T:
        """Multiply by a number."""

    def relu(self, x: T) -> T: ...

    def tanh(self, x: T) -> T: ...

    def softplus(self, x: T) -> T: ...

    def softmax(self, x: T) -> T:
        """Over the last axis."""

    def layer_norm(self, x: T, weight: T, bias: T) -> T:
        """Over the last axis."""

    def reshape(self, x: T, shape: Shape) -> T: ...

    def transpose(self, x: T, order: Shape) -> T: ...

    def concat(self, parts: Sequence[T]) -> T:
        """Join along the last axis."""

    def mean_cells(self, x: T) -> T:
        """[B, C, R, S]: [B, C]."""

    def max_cells(self, x: T) -> T:
        """[B, C, R, S]: [B, C]."""
