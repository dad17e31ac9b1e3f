"""The trunk: from planes to what the heads read."""

from ludens.nets.layers import Layers
from ludens.nets.operations import T


class Trunk(Layers[T]):
    """Convolutions, then Transformer layers; or fully connected layers."""

    def run(self, planes: T) -> T:
        """Return the latent [B, channels, rows, columns] of planes; mlp: [B, width]."""
        x = self._mlp(planes) if self.is_flat else self._cells(planes)
        return self.rescale(x) if self.config.is_learned else x

    def _cells(self, planes: T) -> T:
        config = self.config
        x = self.conv("stem", planes, self.sizes.planes, config.channels, config.kernel)
        x = self.blocks("block", self.act(x), config.blocks)
        return self._encode(x) if config.layers else x

    def _mlp(self, planes: T) -> T:
        num_in = self.sizes.planes * self.sizes.cells
        x = self.ops.reshape(planes, (-1, num_in))
        for i in range(self.config.blocks):
            x = self.hidden(f"layer{i}", x, num_in, self.config.hidden)
            num_in = self.config.hidden
        return x

    def _encode(self, x: T) -> T:
        """Run Transformer layers over the cells."""
        ops, width, cells = self.ops, self.config.channels, self.sizes.cells
        x = ops.transpose(ops.reshape(x, (-1, width, cells)), (0, 2, 1))
        x = ops.add(x, self.p("position", (1, cells, width), "position"))
        for i in range(self.config.layers):
            x = self._layer(f"encoder{i}", x)
        x = ops.transpose(self.norm("encoded", x, width), (0, 2, 1))
        return ops.reshape(x, (-1, width, self.sizes.rows, self.sizes.columns))

    def _layer(self, name: str, x: T) -> T:
        ops, width = self.ops, self.config.channels
        y = self._attend(name, self.norm(f"{name}/norm1", x, width))
        x = ops.add(x, y)
        y = self.norm(f"{name}/norm2", x, width)
        inner = self.config.feedforward or 4 * width
        y = self.act(self.linear(f"{name}/up", y, width, inner))
        return ops.add(x, self.linear(f"{name}/down", y, inner, width, "zeros"))

    def _attend(self, name: str, x: T) -> T:
        ops, width, heads = self.ops, self.config.channels, self.config.heads
        split = (-1, self.sizes.cells, heads, width // heads)
        query, key, value = (
            ops.reshape(self.linear(f"{name}/{part}", x, width, width, "lecun"), split)
            for part in ("query", "key", "value")
        )
        query = ops.scale(ops.transpose(query, (0, 2, 1, 3)), (width // heads) ** -0.5)
        shares = ops.softmax(ops.matmul(query, ops.transpose(key, (0, 2, 3, 1))))
        seen = ops.matmul(shares, ops.transpose(value, (0, 2, 1, 3)))
        seen = ops.transpose(seen, (0, 2, 1, 3))
        seen = ops.reshape(seen, (-1, self.sizes.cells, width))
        return self.linear(f"{name}/seen", seen, width, width, "zeros")
