"""The settings of replay and of the learner, each a field with one line of help."""

from dataclasses import dataclass

from ludens.errors import UserError
from ludens.infer import DEVICES
from ludens.settings import setting, verify


@dataclass(frozen=True)
class ReplayConfig:
    """Which positions are learned from, and what they teach."""

    window_start: int = setting(20_000, "positions in the window at first", low=1)
    window_max: int = setting(500_000, "positions in the window at most", low=1)
    # Wu 2019, "Accelerating Self-Play Learning in Go", appendix on training: 0.75, 0.4.
    window_power: float = setting(
        0.75, "the window grows as (all positions) ** this", 0.01
    )
    window_growth: float = setting(0.4, "initial growth: this * new positions")
    merge: bool = setting(True, "merge identical positions and average their targets")
    # 0.8 was measured at +196 Elo over results alone at small budgets, 0.5 at +152.
    q_share: float = setting(
        0.75, "two-player: share of the root value in the value target", 0, 1
    )
    n_steps: int = setting(
        0, "plies before a root value (td steps); 0: single-player all, two-player none"
    )
    discount: float = setting(
        1.0, "discount per move; two-player: of the n_steps", high=1
    )
    unroll: int = setting(5, "learned model: steps that a sample is unrolled", 1, 100)
    reanalyse: float = setting(
        0.0, "old positions searched again with the newest net, per new one", 0, 100
    )
    prioritised: bool = setting(False, "sample surprising positions more often")
    # Schaul et al. 2016, "Prioritized Experience Replay": 0.6, 0.4 for the default.
    priority_power: float = setting(
        0.6, "prioritised: probability ~ error ** this", high=1
    )
    priority_floor: float = setting(0.01, "prioritised: added to every error", low=1e-6)
    importance_start: float = setting(
        0.4, "prioritised: importance exponent at first; rises to 1", 0, 1
    )

    def __post_init__(self) -> None:
        verify(self)


@dataclass(frozen=True)
class LearnConfig:
    """How a net learns from samples."""

    batch_size: int = setting(1024, "samples per step", low=1, high=100_000)
    uses: float = setting(4.0, "times each new position is learned from, on average")
    optimizer: str = setting(
        "adamw", "what takes the steps; sgd has momentum", choices=("adamw", "sgd")
    )
    momentum: float = setting(0.9, "momentum of sgd", high=0.9999)
    lr: float = setting(1e-3, "peak learning rate", low=1e-9, high=10)
    schedule: str = setting(
        "cosine", "how the rate falls with the budget; steps: lr_steps times at once",
        choices=("cosine", "constant", "steps"),
    )  # fmt: skip
    lr_final_share: float = setting(
        0.1, "share of the peak left at the end of the budget", 0, 1
    )
    lr_steps: int = setting(
        3, "steps: how often the rate falls, each time by the same factor", 1, 1000
    )
    warmup_steps: int = setting(100, "steps until the peak")
    weight_decay: float = setting(1e-4, "weight decay", high=1)
    clip_norm: float = setting(1.0, "clip gradients to this norm; 0: never")
    ema_decay: float = setting(
        0.995, "decay of the average of weights that plays", high=0.999999
    )
    policy_weight: float = setting(1.0, "weight of the policy loss")
    value_weight: float = setting(1.0, "weight of the value loss")
    entropy_weight: float = setting(
        0.0, "weight of a bonus for the entropy of the policy"
    )
    ownership_weight: float = setting(0.1, "weight of the auxiliary loss per cell")
    plies_left_weight: float = setting(0.05, "weight of the loss of the plies left")
    reply_weight: float = setting(0.15, "weight of the loss of the opponent's reply")
    reward_weight: float = setting(1.0, "learned model: weight of the reward's loss")
    turn_weight: float = setting(1.0, "learned model: weight of the loss of whose turn")
    chance_weight: float = setting(1.0, "learned model: weight of the loss of chance")
    legality_weight: float = setting(
        0.25, "learned model: weight of the loss of what is legal"
    )
    decoder_weight: float = setting(
        1.0, "learned model: weight of the loss of positions drawn from latents"
    )
    consistency_weight: float = setting(
        1.0, "learned model: weight of the loss of agreement with the next position"
    )
    commitment_weight: float = setting(
        0.25, "learned model: weight of the distance of what chance did from its code"
    )
    dynamics_gradient: float = setting(
        0.5, "learned model: share of the gradient that passes a step back", 0, 1
    )
    records_epochs: int = setting(10, "epochs over other people's games")
    records_validation: float = setting(
        0.1, "share of those games held out for validation", 0, 0.9
    )
    precision: str = setting(
        "auto", "precision while learning; auto: the fastest that the device has",
        choices=("auto", "f32", "bf16", "f16"),
    )  # fmt: skip
    device: str = setting(
        "same", "where a net learns; same: as --device says",
        choices=("same", *DEVICES),
    )  # fmt: skip
    threads: int = setting(0, "threads that learn; 0: as many as play", high=1024)
    compile: bool = setting(
        False, "let PyTorch compile the net; needs a C++ compiler, or CUDA and Triton"
    )

    def __post_init__(self) -> None:
        verify(self)
        if self.schedule == "steps" and self.lr_final_share == 0:
            raise UserError(
                "schedule=steps never reaches a rate of 0;"
                " set lr_final_share above 0, such as 0.01"
            )
