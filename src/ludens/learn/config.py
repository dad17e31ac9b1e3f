"""The settings of replay and of the learner, each a field with one line of help."""

from dataclasses import dataclass

from ludens.settings import knob, verify


@dataclass(frozen=True)
class ReplayConfig:
    """Which positions are learned from, and what they teach."""

    window_start: int = knob(20_000, "positions kept at first", low=1)
    window_max: int = knob(500_000, "most positions kept", low=1)
    # Wu 2019, "Accelerating Self-Play Learning in Go", appendix on training: 0.75, 0.4.
    window_power: float = knob(0.75, "the window grows as all positions ** this", 0.01)
    window_growth: float = knob(0.4, "at first it grows by this times the new ones")
    merge: bool = knob(True, "identical positions become one with their averages")
    # 0.8 was measured at +196 Elo over results alone at small budgets, 0.5 at +152.
    q_share: float = knob(0.75, "two players: share of root values; rest: result", 0, 1)
    n_steps: int = knob(0, "one player: rewards before a root value; 0: all rewards")
    discount: float = knob(1.0, "one player: of what comes a move later", high=1)
    prioritised: bool = knob(False, "draw surprising positions more often")
    # Schaul et al. 2016, "Prioritized Experience Replay": 0.6, 0.4 for the default.
    priority_power: float = knob(0.6, "prioritised: by error ** this", high=1)
    priority_floor: float = knob(0.01, "prioritised: added to each error", low=1e-6)
    importance_start: float = knob(
        0.4, "prioritised: how much of the bias weights undo at first; 1 at last", 0, 1
    )

    def __post_init__(self) -> None:
        verify(self)


@dataclass(frozen=True)
class LearnConfig:
    """How a net learns from samples."""

    batch_size: int = knob(1024, "samples of a step", low=1, high=100_000)
    uses: float = knob(4.0, "times that a new position is learned from, on average")
    lr: float = knob(1e-3, "learning rate at its highest", low=1e-9, high=10)
    lr_final_share: float = knob(0.1, "share of it left at the end of the budget", 0, 1)
    warmup_steps: int = knob(100, "steps in which it rises to its highest")
    weight_decay: float = knob(1e-4, "AdamW's decay of weights", high=1)
    clip_norm: float = knob(1.0, "gradients are cut to this norm; 0: never")
    ema_decay: float = knob(
        0.995, "of the average of weights that plays", high=0.999999
    )
    policy_weight: float = knob(1.0, "of the policy's loss")
    value_weight: float = knob(1.0, "of the value's loss")
    ownership_weight: float = knob(0.1, "of the loss of the ends of games, per cell")
    plies_left_weight: float = knob(0.05, "of the loss of the plies left")
    reply_weight: float = knob(0.15, "of the loss of the policy one ply later")
    records_epochs: int = knob(10, "times that other people's games are gone through")
    records_validation: float = knob(0.1, "share of them to be examined with", 0, 0.9)
    precision: str = knob(
        "auto", "numbers on a GPU; auto: the best it has",
        choices=("auto", "f32", "bf16", "f16"),
    )  # fmt: skip

    def __post_init__(self) -> None:
        verify(self)
