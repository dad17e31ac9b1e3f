"""The settings of a search, each a field with one line of help."""

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from ludens.loading.options import Option, OptionValue
from ludens.settings import knob, options_of, read_settings, verify


@dataclass(frozen=True)
class SearchConfig:
    """How a search works."""

    sims: int = knob(100, "simulations for a move", low=1)
    root: str = knob("puct", "how the root explores", choices=("puct", "gumbel"))
    rollouts: int = knob(0, "random games for the value of a leaf; 0: it is 0")
    c_puct: float = knob(1.25, "exploration")
    c_log: float = knob(1.0, "growth of exploration with log(visits)")
    c_base: float = knob(19652.0, "visits at which that growth sets in", low=1)
    fpu: str = knob(
        "parent", "where the value of an untried move comes from",
        choices=("parent", "constant"),
    )  # fmt: skip
    fpu_reduction: float = knob(0.2, "parent: less this * sqrt(prior tried)")
    fpu_value: float = knob(0.0, "constant: this", low=-1)
    root_temperature: float = knob(1.0, "of the root's priors", low=0.01)
    noise_fraction: float = knob(0.0, "share of noise in the root's priors", high=1)
    noise_total: float = knob(10.83, "Dirichlet alpha times legal moves", low=0.01)
    forced: float = knob(0.0, "forced root playouts: sqrt(forced * prior * visits)")
    max_considered: int = knob(16, "moves that Gumbel's root begins with", low=1)
    gumbel_scale: float = knob(
        1.0, "Gumbel noise; 0: none, -1: set by the caller", low=-1
    )
    c_visit: float = knob(50.0, "Gumbel: (c_visit + max visits) * c_scale * q")
    c_scale: float = knob(0.1, "Gumbel: see c_visit")
    least_spread: float = knob(0.0, "Gumbel: values nearer than this stay so")
    max_edges: int = knob(0, "likeliest moves of a node that are kept; 0: all")
    widening: float = knob(0.0, "open this * visits ** widening_power moves; 0: all")
    widening_power: float = knob(0.5, "see widening")
    discount: float = knob(1.0, "of what follows a move, in games for one", high=1)
    virtual_loss: float = knob(1.0, "what a leaf that waits counts as")
    leaf_batch: int = knob(1, "leaves of a tree that wait at the same time", low=1)
    exact_outcomes: int = knob(6, "chance's value is exact up to so many outcomes")
    outcomes: float = knob(
        0.0, "more: open this * visits ** outcomes_power; 0: by lot each time"
    )
    outcomes_power: float = knob(0.5, "see outcomes; 0: a fixed number")
    rollout_plies: int = knob(10_000, "longest random game", low=1)
    likely: float = knob(
        0.9, "share of moves that the game calls likely; 0: all are alike", high=0.99
    )
    proofs: bool = knob(True, "carry proven results up the tree")
    stop_early: bool = knob(False, "stop when no other move can catch up")
    max_nodes: int = knob(0, "nodes a tree may have; 0: enough for the simulations")
    memory_mb: int = knob(2048, "memory for all trees of a search", low=1)
    cache_size: int = knob(0, "positions whose evaluation is kept")

    def __post_init__(self) -> None:
        verify(self)

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


def read_config(options: Mapping[str, OptionValue], **defaults: Any) -> SearchConfig:
    """Return a config from text such as {"sims": "1000"}, or say what is wrong."""
    return read_settings(SearchConfig, options, "a search", **defaults)


_FOR_KERNELS = [
    (f.name, "i4" if isinstance(f.default, int) else "f8")
    for f in fields(SearchConfig)
    if isinstance(f.default, (int, float)) and f.name not in ("sims", "memory_mb")
]
_FLAGS = [(name, "i4") for name in ("fpu_from_parent", "use_proofs")]
SETTINGS = np.dtype((np.record, np.dtype(_FOR_KERNELS + _FLAGS, align=True)))
