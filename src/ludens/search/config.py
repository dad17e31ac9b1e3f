"""The settings of a search, each a field with one line of help."""

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from ludens.errors import UserError
from ludens.loading.options import Option, OptionValue
from ludens.settings import options_of, read_settings, setting, verify


@dataclass(frozen=True)
class SearchConfig:
    """How a search works."""

    sims: int = setting(100, "simulations per move", low=1)
    root: str = setting("puct", "search policy at the root", choices=("puct", "gumbel"))
    rollouts: int = setting(0, "random games per leaf; 0: the value of a leaf is 0")
    c_puct: float = setting(1.25, "exploration constant of PUCT")
    c_log: float = setting(1.0, "growth of exploration with log(visits)")
    c_base: float = setting(19652.0, "visits at which that growth sets in", low=1)
    prior_weight: float = setting(1.0, "PUCT: weight of the prior in the score")
    value_weight: float = setting(1.0, "PUCT: weight of the value in the score")
    spread_weight: float = setting(
        0.0, "PUCT: how far exploration follows the spread of values; 0: not at all",
        high=1,
    )  # fmt: skip
    fpu: str = setting(
        "parent", "value of an untried move: from its parent, or constant",
        choices=("parent", "constant"),
    )  # fmt: skip
    fpu_reduction: float = setting(0.2, "parent: reduced by this * sqrt(prior tried)")
    fpu_value: float = setting(0.0, "constant: the value itself", low=-1)
    root_temperature: float = setting(1.0, "temperature of the root's priors", low=0.01)
    noise_fraction: float = setting(
        0.0, "share of Dirichlet noise in the root's priors", high=1
    )
    noise_total: float = setting(
        10.83, "Dirichlet alpha times the number of legal moves", low=0.01
    )
    forced: float = setting(0.0, "forced root playouts: sqrt(this * prior * visits)")
    max_considered: int = setting(16, "moves considered at Gumbel's root", low=1)
    gumbel_scale: float = setting(
        1.0, "scale of Gumbel noise; 0: none, -1: set by the caller", low=-1
    )
    c_visit: float = setting(
        50.0, "Gumbel: q is scaled by (c_visit + max visits) * c_scale"
    )
    c_scale: float = setting(0.1, "Gumbel: see c_visit")
    least_spread: float = setting(0.0, "Gumbel: do not stretch values closer than this")
    max_edges: int = setting(0, "keep only this many likeliest moves of a node; 0: all")
    widening: float = setting(0.0, "open this * visits ** widening_power moves; 0: all")
    widening_power: float = setting(0.5, "see widening")
    discount: float = setting(1.0, "discount per move; as replay.discount", high=1)
    virtual_loss: float = setting(1.0, "losses that a pending leaf counts as")
    leaf_batch: int = setting(1, "pending leaves per tree", low=1)
    max_batch: int = setting(
        0, "positions that a network is asked for at once, at most; 0: all that wait"
    )
    exact_outcomes: int = setting(
        6, "chance nodes with up to this many outcomes are exact"
    )
    outcomes: float = setting(
        0.0, "others open this * visits ** outcomes_power; 0: sample each time"
    )
    outcomes_power: float = setting(0.5, "see outcomes; 0: a fixed number")
    rollout_plies: int = setting(10_000, "longest random game, in plies", low=1)
    likely: float = setting(
        0.9, "share of rollout moves taken from the game's likely ones", high=0.99
    )
    symmetries: int = setting(
        1, "symmetries that a network's answer at the root is averaged over", low=1
    )
    proofs: bool = setting(True, "back up proven results")
    exact_nodes: int = setting(
        0, "nodes in which the solver may settle a leaf, as a proof; 0: it is not asked"
    )
    force_nodes: int = setting(
        0, "nodes in which a win by force may be found at a leaf, as a proof; 0: off"
    )
    press_nodes: int = setting(
        0, "the same with moves that only threaten one; those of force_nodes come first"
    )
    stop_early: bool = setting(False, "stop when no other move can catch up")
    max_nodes: int = setting(0, "nodes per tree; 0: enough for the simulations")
    memory_mb: int = setting(2048, "memory for all trees of a search", low=1)
    cache_size: int = setting(0, "evaluations kept in the cache")

    def __post_init__(self) -> None:
        verify(self)
        for name in ("exact_nodes", "force_nodes", "press_nodes"):
            if getattr(self, name) and not self.proofs:
                raise UserError(f"{name} makes proofs, and proofs is false")

    def settings(self) -> Any:
        """Return the record that kernels read."""
        given = {f.name: getattr(self, f.name) for f in fields(self)}
        given |= {
            "fpu_from_parent": self.fpu == "parent",
            "use_proofs": self.proofs,
        }
        record = np.zeros(1, SETTINGS)
        for name in SETTINGS.names or ():
            record[0][name] = given[name]
        return record[0]


def search_options() -> dict[str, Option]:
    """Return each setting with its default, help and allowed values."""
    return options_of(SearchConfig)


def read_search_config(
    options: Mapping[str, OptionValue], **defaults: Any
) -> SearchConfig:
    """Return a config from text such as {"sims": "1000"}, or say what is wrong."""
    return read_settings(SearchConfig, options, "a search", **defaults)


_NOT_FOR_KERNELS = ("sims", "memory_mb", "max_batch")
_FOR_KERNELS = [
    (f.name, "i4" if isinstance(f.default, int) else "f8")
    for f in fields(SearchConfig)
    if isinstance(f.default, (int, float)) and f.name not in _NOT_FOR_KERNELS
]
_FLAGS = [(name, "i4") for name in ("fpu_from_parent", "use_proofs")]
SETTINGS = np.dtype((np.record, np.dtype(_FOR_KERNELS + _FLAGS, align=True)))
