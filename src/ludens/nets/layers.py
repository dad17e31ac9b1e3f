"""Layers with their parameters, which trunk, dynamics and heads are made of.

A parameter is asked for where it is used, with its name, shape and start. There is no
batch norm, and no other unless `norm` asks for it: the last convolution of a residual
block starts at zero instead, so that a new network is as deep as its stem (Zhang,
Dauphin and Ma 2019), and training, inference and export compute the same thing.
"""

from dataclasses import dataclass
from typing import Generic

from ludens.nets.config import NetConfig, Sizes
from ludens.nets.operations import Ask, Init, Ops, Shape, T

FEW_CHANNELS = 4


def latent_shape(config: NetConfig, sizes: Sizes) -> Shape:
    """Return the shape of what a trunk gives for one position."""
    if config.trunk == "conv":
        return (config.channels, sizes.rows, sizes.columns)
    return (config.hidden if config.blocks else sizes.planes * sizes.cells,)


@dataclass(frozen=True)
class Layers(Generic[T]):
    """The layers of a network whose config is resolved."""

    config: NetConfig
    sizes: Sizes
    ops: Ops[T]
    p: Ask[T]

    @property
    def is_flat(self) -> bool:
        """Whether there are no cells, only numbers [B, width]."""
        return self.config.trunk == "mlp"

    @property
    def width(self) -> int:
        """Channels of a latent's cells; its numbers, if it is flat."""
        return latent_shape(self.config, self.sizes)[0]

    def conv(
        self, name: str, x: T, num_in: int, num_out: int, size: int, init: Init = "he"
    ) -> T:
        weight = self.p(f"{name}/weight", (num_out, num_in, size, size), init)
        return self.ops.conv(x, weight, self.p(f"{name}/bias", (num_out,), "zeros"))

    def linear(
        self, name: str, x: T, num_in: int, num_out: int, init: Init = "he"
    ) -> T:
        weight = self.p(f"{name}/weight", (num_out, num_in), init)
        return self.ops.linear(x, weight, self.p(f"{name}/bias", (num_out,), "zeros"))

    def norm(self, name: str, x: T, width: int) -> T:
        weight = self.p(f"{name}/weight", (width,), "ones")
        return self.ops.layer_norm(x, weight, self.p(f"{name}/bias", (width,), "zeros"))

    def act(self, x: T) -> T:
        """Run the activation of all hidden layers."""
        ops = self.ops
        kinds = {"relu": ops.relu, "gelu": ops.gelu, "silu": ops.silu, "tanh": ops.tanh}
        return kinds[self.config.activation](x)

    def hidden(self, name: str, x: T, num_in: int, num_out: int) -> T:
        """Run a fully connected layer with its norm, if any, and activation."""
        y = self.linear(name, x, num_in, num_out)
        if self.config.norm == "layer":
            y = self.norm(f"{name}/norm", y, num_out)
        return self.act(y)

    def blocks(self, name: str, x: T, count: int) -> T:
        """Run residual blocks."""
        every = self.config.pool_every
        for i in range(count):
            x = self._block(f"{name}{i}", x, every > 0 and (i + 1) % every == 0)
        return x

    def _block(self, name: str, x: T, has_pooling: bool) -> T:
        width, kernel = self.config.channels, self.config.kernel
        y = self.conv(f"{name}/conv1", x, width, width, kernel)
        if has_pooling:  # what is anywhere on the board counts everywhere (KataGo)
            y = self.add_to_cells(f"{name}/pool", y, self.pooled(y), width)
        if self.config.norm == "layer":
            y = self._norm_cells(f"{name}/norm", y)
        y = self.conv(f"{name}/conv2", self.act(y), width, width, kernel, "zeros")
        return self.act(self.ops.add(x, y))

    def _norm_cells(self, name: str, x: T) -> T:
        """Norm the channels of each cell."""
        x = self.norm(name, self.ops.transpose(x, (0, 2, 3, 1)), self.config.channels)
        return self.ops.transpose(x, (0, 3, 1, 2))

    def pooled(self, x: T) -> T:
        """Return mean and maximum of each channel [B, 2 * channels]."""
        return self.ops.concat([self.ops.mean_cells(x), self.ops.max_cells(x)])

    def add_to_cells(self, name: str, x: T, pooled: T, num_out: int) -> T:
        num_in = 2 * self.config.channels
        bias = self.linear(name, pooled, num_in, num_out, "small")
        return self.ops.add(x, self.ops.reshape(bias, (-1, num_out, 1, 1)))

    def few_channels(self, name: str, x: T, few: int) -> T:
        y = self.act(self.conv(name, x, self.config.channels, few, 1))
        return self.ops.reshape(y, (-1, few * self.sizes.cells))

    def judge(self, name: str, x: T, pooled: T | None) -> T:
        """Return what a latent is worth, as numbers [B, hidden] for a last layer."""
        width = self.width
        if pooled is not None and self.config.any_size:
            x, width = pooled, 2 * self.config.channels
        elif pooled is not None:
            flat = self.few_channels(f"{name}/conv", x, FEW_CHANNELS)
            width = FEW_CHANNELS * self.sizes.cells + 2 * self.config.channels
            x = self.ops.concat([flat, pooled])
        return self.act(self.linear(f"{name}/hidden", x, width, self.config.hidden))

    def rescale(self, latent: T) -> T:
        """Bring each latent to [0, 1], or to a root mean square of 1.

        Without norms, many steps might blow it up.
        """
        num_axes = len(latent_shape(self.config, self.sizes))
        is_by_size = self.config.rescale == "rms"
        rescale = self.ops.to_unit_size if is_by_size else self.ops.rescale
        return rescale(latent, tuple(range(1, 1 + num_axes)))
