"""The encoder of a learned model: which code stands for what chance did, unseen."""

from ludens.nets.config import Sizes
from ludens.nets.layers import Layers
from ludens.nets.operations import T


def num_encoded(sizes: Sizes) -> int:
    """Return the planes that are encoded: before, after, and whether it is over."""
    return 2 * sizes.planes + 1


class Encoder(Layers[T]):
    """What was seen before and after chance, brought close to one of the codes.

    The code book is fixed: code i is the i-th one-hot vector (Antonoglou et al. 2022,
    "Planning in Stochastic Environments with a Learned Model"). Used for learning only.
    """

    def run(self, planes: T) -> T:
        """Return what planes [B, 2 * P + 1, rows, columns] are encoded as [B, codes].

        The nearest code is that of the largest number.
        """
        num_planes = num_encoded(self.sizes)
        if self.is_flat:
            num_in = num_planes * self.sizes.cells
            flat = self.ops.reshape(planes, (-1, num_in))
            x = self.act(self.linear("encoder/seen", flat, num_in, self.width))
        else:
            kernel = self.config.kernel
            seen = self.conv("encoder/seen", planes, num_planes, self.width, kernel)
            x = self.act(seen)
        judged = self.judge("encoder", x, None if self.is_flat else self.pooled(x))
        num_codes = self.config.codes
        return self.linear("encoder/codes", judged, self.config.hidden, num_codes)
