"""The settings of a network, and the sizes that a game gives it."""

from dataclasses import dataclass, field, fields, replace
from typing import Self

from ludens.errors import UserError
from ludens.loading.game import Game
from ludens.settings import setting, verify

MAX_WIDTH = 4096


@dataclass(frozen=True)
class Sizes:
    """The sizes of a game that fix those of a network."""

    planes: int
    rows: int
    columns: int
    actions: int
    targets: int
    players: int
    outcomes: int = field(default=0, compare=False)
    """Of chance. Not compared: cards of older nets do not say it."""

    @classmethod
    def of(cls, game: Game) -> Self:
        """Return the sizes of a game."""
        num_targets = len(game.plain.TARGETS)
        shape = game.observation_shape
        outcomes = int(game.plain.MAX_OUTCOMES)
        return cls(*shape, game.num_actions, num_targets, game.num_players, outcomes)

    @property
    def cells(self) -> int:
        """Rows times columns."""
        return self.rows * self.columns

    @property
    def choices(self) -> int:
        """What leads a learned model on: actions, then outcomes of chance."""
        return self.actions + self.outcomes


@dataclass(frozen=True)
class NetConfig:
    """The architecture of a network."""

    trunk: str = setting(
        "conv", "convolutions or fully connected layers", choices=("conv", "mlp")
    )
    blocks: int = setting(4, "residual blocks; layers of an mlp", high=100)
    channels: int = setting(32, "channels of the convolutions", low=1, high=MAX_WIDTH)
    pool_every: int = setting(
        2, "every n-th block pools the whole board; 0: none", high=100
    )
    layers: int = setting(0, "Transformer layers after the trunk", high=100)
    heads: int = setting(4, "attention heads of a Transformer layer", low=1, high=64)
    kernel: int = setting(3, "width of the convolutions in cells; an odd number", 1, 31)
    activation: str = setting(
        "relu", "activation of hidden layers", choices=("relu", "gelu", "silu", "tanh")
    )
    norm: str = setting(
        "none", "layer: norm within each residual block, each layer of an mlp",
        choices=("none", "layer"),
    )  # fmt: skip
    feedforward: int = setting(
        0, "hidden width of a Transformer layer; 0: four times the channels",
        high=4 * MAX_WIDTH,
    )  # fmt: skip
    hidden: int = setting(64, "width of the value head and of an mlp", 1, MAX_WIDTH)
    any_size: bool = setting(
        False, "weights fit boards of any size: the value sees pooled channels alone"
    )
    policy: str = setting(
        "auto", "spatial: action = plane * cells + cell; auto: if actions are cells",
        choices=("auto", "spatial", "dense"),
    )  # fmt: skip
    value: str = setting(
        "auto", "auto: wdl for two players, categorical for one",
        choices=("auto", "wdl", "scalar", "categorical"),
    )  # fmt: skip
    bins: int = setting(101, "bins of a categorical value", low=2, high=10_001)
    value_low: float = setting(
        0.0, "lowest bin; if both are 0, by the number of players", low=-1e9
    )
    value_high: float = setting(0.0, "highest bin: 1 for two players, 1000 for one")
    ownership: bool = setting(True, "also learn the game's targets, if it has any")
    plies_left: bool = setting(True, "also learn how long the game will last")
    reply: bool = setting(True, "also learn the opponent's reply")
    model: str = setting(
        "rules", "what the search plans with: the rules, or a learned model (MuZero)",
        choices=("rules", "learned"),
    )  # fmt: skip
    dynamics: int = setting(
        0, "blocks (mlp: layers) of the dynamics; 0: half of the trunk's", high=100
    )
    exchange: bool = setting(
        False, "a new model of convolutions lets halves of its channels change places"
    )
    gates: bool = setting(
        False, "a model of convolutions also multiplies what it reads by what is chosen"
    )
    rescale: str = setting(
        "range", "how latents are rescaled: to [0, 1], or to a root mean square of 1",
        choices=("range", "rms"),
    )  # fmt: skip
    action_planes: int = setting(
        8, "planes that a choice becomes where actions are not cells", low=1, high=256
    )
    turns: str = setting(
        "auto", "who is next in a learned model; auto: alternating for two players"
        " without chance", choices=("auto", "alternating", "learned"),
    )  # fmt: skip
    reward_bins: int = setting(51, "bins of a learned reward", low=2, high=10_001)
    reward_low: float = setting(
        0.0, "lowest reward; if both are 0, those of the value", low=-1e9
    )
    reward_high: float = setting(0.0, "highest reward that can be learned")
    legality: bool = setting(True, "learned model: also learn which moves are legal")
    decoder: bool = setting(
        True, "learned model: also learn to draw the position from the latent"
    )
    consistency: bool = setting(
        False, "learned model: also learn to agree with the next position's latent"
    )
    codes: int = setting(
        0, "environments whose chance is hidden: codes for what it does; 0: no chance",
        high=1024,
    )  # fmt: skip

    def __post_init__(self) -> None:
        verify(self)
        if self.layers and self.channels % self.heads:
            raise UserError(
                f"channels={self.channels} must be a multiple of heads={self.heads}"
            )
        if self.trunk == "mlp" and (self.layers or self.policy == "spatial"):
            what = "Transformer layers" if self.layers else "spatial policy"
            raise UserError(f"an mlp has no {what}; use trunk=conv")
        if self.any_size and (self.layers or self.trunk == "mlp"):
            what = "Transformer layers know the place of each cell"
            what = what if self.layers else "an mlp has weights for each cell"
            raise UserError(f"{what}; any_size is for convolutions alone")
        if self.kernel % 2 == 0:
            raise UserError(f"kernel={self.kernel} has no middle; use an odd number")
        if self.value_low > self.value_high:
            raise UserError(f"value_low={self.value_low} is above value_high")
        if self.reward_low > self.reward_high:
            raise UserError(f"reward_low={self.reward_low} is above reward_high")

    @property
    def is_learned(self) -> bool:
        """Whether the search plans with a learned model."""
        return self.model == "learned"

    @property
    def method(self) -> str:
        """The method by which the net learns, as `--method` names it."""
        return "muzero" if self.is_learned else "alphazero"

    def for_play(self) -> "NetConfig":
        """Return the config without the heads that are used only for learning."""
        return replace(
            self,
            ownership=False,
            plies_left=False,
            reply=False,
            decoder=False,
            consistency=False,
            codes=0,  # the encoder; to play, a code is an outcome like any other
        )


_NAMES = [f.name for f in fields(NetConfig)]
MODEL_SETTINGS = {f: getattr(NetConfig, f) for f in _NAMES[_NAMES.index("model") :]}
"""Settings that only a learned model has, with what they are in other nets."""
LATER_SETTINGS = {
    name: getattr(NetConfig, name)
    for name in (
        *("kernel", "activation", "norm", "feedforward", "any_size"),
        *("exchange", "gates", "rescale"),
    )
}
"""Settings that cards of older nets do not have, with what they are in those."""


SIZES = {
    "tiny": NetConfig(blocks=2, channels=16, hidden=32),
    "small": NetConfig(blocks=4, channels=32, hidden=64),
    "medium": NetConfig(blocks=6, channels=64, hidden=128),
    "large": NetConfig(blocks=10, channels=128, pool_every=3, hidden=256),
}


def fit(config: NetConfig, game: Game) -> tuple[NetConfig, Sizes]:
    """Return a config with every `auto` decided for a game, and the sizes it needs."""
    sizes = Sizes.of(game)
    if config.codes and not config.is_learned:
        raise UserError(f"codes={config.codes} is for a learned model (MuZero)")
    if config.codes and game.environment is None:
        raise UserError(
            f"codes={config.codes} is for environments whose chance is hidden;"
            f" {game.spec} has rules, which tell what chance does"
        )
    if config.is_learned:
        order = game.turn_order
        if not order.has_chance:  # a deal before the start is not imagined
            sizes = replace(sizes, outcomes=config.codes)
        if config.turns == "auto" and not order.alternates:
            config = replace(config, turns="learned")
    return resolve(config, sizes), sizes


def resolve(config: NetConfig, sizes: Sizes) -> NetConfig:
    """Return a config in which every `auto` is decided for a game of these sizes."""
    policy, value = config.policy, config.value
    is_flat = config.trunk == "mlp"
    if policy == "auto":
        are_cells = sizes.actions == sizes.cells
        policy = "spatial" if are_cells and not is_flat else "dense"
    if policy == "spatial" and sizes.actions % sizes.cells:
        raise UserError(
            f"{sizes.actions} actions are not a multiple of {sizes.cells} cells;"
            " use policy=dense"
        )
    if config.any_size and policy == "dense":
        raise UserError(
            "a dense policy has weights for each cell; any_size needs policy=spatial"
        )
    if value == "auto":
        value = "wdl" if sizes.players == 2 else "categorical"
    low, high = config.value_low, config.value_high
    if low == high:
        low, high = (-1.0, 1.0) if sizes.players == 2 else (0.0, 1000.0)
    resolved = replace(
        config,
        policy=policy,
        value=value,
        value_low=low,
        value_high=high,
        ownership=config.ownership and sizes.targets > 0,
        reply=config.reply and sizes.players == 2,
    )
    return _resolve_model(resolved, sizes) if config.is_learned else resolved


def _resolve_model(config: NetConfig, sizes: Sizes) -> NetConfig:
    """Decide what concerns a learned model."""
    alternates = sizes.players == 2 and sizes.outcomes == 0
    if config.turns == "alternating" and not alternates:
        raise UserError(
            "turns=alternating is for two players without chance; use turns=learned"
        )
    turns = config.turns
    if turns == "auto":
        turns = "alternating" if alternates else "learned"
    low, high = config.reward_low, config.reward_high
    if low == high:
        low, high = config.value_low, config.value_high
    return replace(
        config,
        dynamics=config.dynamics or max(1, config.blocks // 2),
        turns=turns,
        reward_low=low,
        reward_high=high,
    )
