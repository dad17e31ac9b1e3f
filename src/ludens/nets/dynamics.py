"""The dynamics of a learned model: from a latent and a choice to the next latent."""

from ludens.nets.layers import Layers
from ludens.nets.operations import Init, T
from ludens.nets.value import reward_prior

PROJECTION_CHANNELS = 16


class Dynamics(Layers[T]):
    """A latent led on by an action, or by an outcome of chance.

    What is added to the latent is 0 at first, or nearly so: a new model stands still.
    With `exchange`, it lets the halves of the channels change places, as players do: of
    those that are the mover's, the next latent has those of the other. With `gates`,
    what the latent says is multiplied by what was chosen, so that one layer can tell
    what a choice means where it is made: of the cards in a hand the one that is played.
    """

    def run(self, latent: T, choices: T) -> tuple[T, T | None]:
        """Return the next latents, and the logits of rewards [B, bins] for one player.

        `choices` [B, A + C] are one-hot rows; an outcome's column comes after actions'.
        """
        step = self._flat_step if self.is_flat else self._step
        latent = self.rescale(step(latent, choices))
        return latent, self._reward(latent) if self.sizes.players == 1 else None

    def _step(self, latent: T, choices: T) -> T:
        ops, width, kernel = self.ops, self.config.channels, self.config.kernel
        start: Init = "exchange" if self.config.exchange else "zeros"
        x = self.conv("dynamics/latent", latent, width, width, kernel, start)
        x = ops.add(ops.add(x, self._chosen("dynamics", choices)), latent)
        if self.config.gates:
            read = self.conv("dynamics/read", latent, width, width, 1, "zeros")
            gate = self._chosen("dynamics/gate", choices)
            x = ops.add(x, ops.multiply(read, gate))
        return self.blocks("dynamics/block", self.act(x), self.config.dynamics)

    def _chosen(self, name: str, choices: T) -> T:
        """Return what choices say of each cell."""
        sizes = self.sizes
        if self.config.policy == "dense":
            return self._spread(f"{name}/choice", choices, sizes.choices)
        if not sizes.outcomes:
            return self._placed(f"{name}/action", choices)
        actions = self.ops.columns(choices, 0, sizes.actions)
        outcomes = self.ops.columns(choices, sizes.actions, sizes.choices)
        y = self._spread(f"{name}/outcome", outcomes, sizes.outcomes)
        return self.ops.add(self._placed(f"{name}/action", actions), y)

    def _placed(self, name: str, actions: T) -> T:
        """Return what actions that are cells, or a plane and a cell, say of each."""
        sizes, width = self.sizes, self.config.channels
        num_planes = sizes.actions // sizes.cells
        shape = (-1, num_planes, sizes.rows, sizes.columns)
        planes = self.ops.reshape(actions, shape)
        kernel = self.config.kernel
        return self.conv(name, planes, num_planes, width, kernel, "lecun")

    def _spread(self, name: str, choices: T, num_in: int) -> T:
        """Return what choices that are not cells say of each cell."""
        sizes, num_planes = self.sizes, self.config.action_planes
        num_out = num_planes * sizes.cells
        planes = self.linear(f"{name}/planes", choices, num_in, num_out, "unit")
        shape = (-1, num_planes, sizes.rows, sizes.columns)
        planes = self.ops.reshape(planes, shape)
        width, kernel = self.config.channels, self.config.kernel
        return self.conv(name, planes, num_planes, width, kernel, "small")

    def _flat_step(self, latent: T, choices: T) -> T:
        ops, width = self.ops, self.width
        x = self.linear("dynamics/choice", choices, self.sizes.choices, width, "lecun")
        x = self.act(ops.add(x, self.linear("dynamics/latent", latent, width, width)))
        for i in range(1, self.config.dynamics):
            x = self.hidden(f"dynamics/layer{i}", x, width, width)
        x = self.linear("dynamics/out", x, width, width, "zeros")
        return self.act(ops.add(latent, x))

    def _reward(self, latent: T) -> T:
        pooled = None if self.is_flat else self.pooled(latent)
        judged = self.judge("reward", latent, pooled)
        config = self.config
        width, num_out = config.hidden, config.reward_bins
        logits = self.linear("reward/out", judged, width, num_out, "small")
        return self.ops.add(logits, self.ops.constant(reward_prior(config)))


class Consistency(Layers[T]):
    """Latents compared with those of the positions that came (SimSiam, EfficientZero).

    Used for learning only. Layer norm takes the place of batch norm.
    """

    def project(self, latent: T) -> T:
        """Return what two latents of one position should have in common [B, n]."""
        width, num_in = 2 * self.config.hidden, self.width
        if not self.is_flat:
            latent = self.few_channels("project/conv", latent, PROJECTION_CHANNELS)
            num_in = PROJECTION_CHANNELS * self.sizes.cells
        x = self.linear("project/hidden", latent, num_in, width)
        x = self.act(self.norm("project/norm1", x, width))
        x = self.linear("project/out", x, width, width, "lecun")
        return self.norm("project/norm2", x, width)

    def forecast(self, projected: T) -> T:
        """Return the forecast [B, n] of the other's projection."""
        few, width = self.config.hidden, 2 * self.config.hidden
        x = self.linear("forecast/hidden", projected, width, few)
        x = self.act(self.norm("forecast/norm", x, few))
        return self.linear("forecast/out", x, few, width, "lecun")
