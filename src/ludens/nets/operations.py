"""The operations that a network is made of, which each backend provides."""

from collections.abc import Sequence
from typing import Any, Literal, Protocol, TypeAlias, TypeVar

from numpy.typing import NDArray

T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)
Shape: TypeAlias = tuple[int, ...]
Init: TypeAlias = Literal[
    "he", "lecun", "small", "unit", "position", "zeros", "ones", "exchange"
]
"""How a parameter is initialised: he before a relu, lecun elsewhere, small in the last
layer of a head, so that a new net is undecided; unit where a one-hot picks a row;
exchange where what is added to channels should make their halves change places."""


class Ask(Protocol[T_co]):
    """Return a parameter by its name and shape, at the place where it is used."""

    def __call__(self, name: str, shape: Shape, init: Init) -> T_co: ...


class Ops(Protocol[T]):
    """The operations of a backend. The batch comes first in a shape, written as -1."""

    def constant(self, array: NDArray[Any]) -> T:
        """Return a constant tensor."""

    def conv(self, x: T, weight: T, bias: T) -> T:
        """[B, C, R, S] with [O, C, k, k] and [O]: [B, O, R, S], edges padded by 0."""

    def linear(self, x: T, weight: T, bias: T) -> T:
        """[..., I] with [O, I] and [O]: [..., O]."""

    def matmul(self, a: T, b: T) -> T:
        """[..., I, J] with [..., J, K]: [..., I, K]."""

    def add(self, a: T, b: T) -> T:
        """Add, with broadcasting."""

    def multiply(self, a: T, b: T) -> T:
        """Multiply number by number, with broadcasting."""

    def scale(self, x: T, factor: float) -> T:
        """Multiply by a number."""

    def relu(self, x: T) -> T: ...

    def gelu(self, x: T) -> T:
        """x times the share of a normal distribution below it."""

    def silu(self, x: T) -> T:
        """x * sigmoid(x)."""

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

    def columns(self, x: T, start: int, stop: int) -> T:
        """[B, N]: [B, stop - start]."""

    def rescale(self, x: T, axes: Shape) -> T:
        """Bring each sample to [0, 1] by its least and largest number; all axes but 0.

        A sample whose numbers are all the same becomes 0.
        """

    def to_unit_size(self, x: T, axes: Shape) -> T:
        """Divide each sample by its root mean square; all axes but 0."""

    def mean_cells(self, x: T) -> T:
        """[B, C, R, S]: [B, C]."""

    def max_cells(self, x: T) -> T:
        """[B, C, R, S]: [B, C]."""


RESCALE_EPSILON = 1e-5
"""Added to what `rescale` divides by, and to the mean square for `to_unit_size`."""
