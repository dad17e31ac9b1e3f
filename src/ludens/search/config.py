"""The settings of a search, each a field with one line of help."""

from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from ludens.errors import UserError, nearest
from ludens.options import OptionValue


@dataclass(frozen=True)
class SearchConfig:
    """How a search works. Its help is in the comments, a line each."""

    sims: int = 100  # simulations for a move
    root: str = "puct"  # puct, or gumbel: sequential halving
    rollouts: int = 0  # random games for a leaf's value; 0: the value is 0
    c_puct: float = 1.25  # exploration
    c_log: float = 1.0  # growth of exploration with log(visits)
    c_base: float = 19652.0  # visits at which that growth sets in
    fpu: str = "parent"  # value of untried moves: parent (less a reduction) or constant
    fpu_reduction: float = 0.2  # times sqrt(prior already tried)
    fpu_value: float = 0.0  # the constant
    root_temperature: float = 1.0  # of the root's priors
    noise_fraction: float = 0.0  # share of Dirichlet noise in the root's priors
    noise_total: float = 10.83  # its alpha times the number of legal moves
    forced: float = 0.0  # forced playouts at the root, sqrt(forced * prior * visits)
    max_considered: int = 16  # moves that Gumbel's root begins with
    gumbel_scale: float = 1.0  # 0: no noise
    c_visit: float = 50.0  # Gumbel's sigma: (c_visit + max visits) * c_scale * q
    c_scale: float = 0.1
    max_edges: int = 0  # keep only so many likeliest moves of a node; 0: all
    widening: float = 0.0  # open ceil(widening * visits ** widening_power) moves
    widening_power: float = 0.5
    discount: float = 1.0  # of later rewards, for games of one player
    virtual_loss: float = 1.0  # what a leaf that waits counts as
    leaf_batch: int = 1  # leaves of one tree that wait at the same time
    exact_outcomes: int = 6  # up to so many outcomes, chance's value is exact
    rollout_plies: int = 10_000  # longest random game
    proofs: bool = True  # carry proven wins, losses and draws up the tree
    stop_early: bool = False  # stop when no other move can catch up any more
    max_nodes: int = 0  # nodes a tree may have; 0: enough for the simulations
    memory_mb: int = 2048  # memory for all trees of a search
    cache_size: int = 0  # positions whose evaluation is kept

    def __post_init__(self) -> None:
        for name, allowed in (
            ("root", ("puct", "gumbel")),
            ("fpu", ("parent", "constant")),
        ):
            if getattr(self, name) not in allowed:
                hint = nearest(str(getattr(self, name)), allowed)
                raise UserError(f"{name} cannot be {getattr(self, name)!r}{hint}")
        for field in fields(self):
            value, least = getattr(self, field.name), _LEAST.get(field.name, 0)
            if not isinstance(value, str) and not least <= value <= 1e9:
                raise UserError(
                    f"{field.name} cannot be {value}; it is at least {least}"
                )

    def settings(self) -> Any:
        """Return the record that kernels read."""
        given = {f.name: getattr(self, f.name) for f in fields(self)}
        given |= {
            "use_gumbel": self.root == "gumbel",
            "fpu_from_parent": self.fpu == "parent",
            "use_proofs": self.proofs,
        }
        record = np.zeros(1, SETTINGS)
        for name in SETTINGS.names or ():
            record[0][name] = given[name]
        return record[0]


_LEAST = {
    "sims": 1,
    "c_base": 1,
    "root_temperature": 0.01,
    "max_considered": 1,
    "leaf_batch": 1,
    "rollout_plies": 1,
    "fpu_value": -1,
    "gumbel_scale": -1,
}
_NOT_IN_KERNELS = (
    "sims root fpu leaf_batch proofs max_nodes memory_mb cache_size max_considered"
)


def _kind(name: str) -> str:
    default = getattr(SearchConfig, name)
    return "i4" if isinstance(default, int) else "f8"


_NAMES = [f.name for f in fields(SearchConfig) if f.name not in _NOT_IN_KERNELS.split()]
_FLAGS = ["use_gumbel", "fpu_from_parent", "use_proofs"]
SETTINGS = np.dtype(
    (
        np.record,
        np.dtype(
            [(n, _kind(n)) for n in _NAMES] + [(n, "i4") for n in _FLAGS], align=True
        ),
    )
)


def read_config(options: dict[str, OptionValue], **defaults: Any) -> SearchConfig:
    """Return a config from text such as {"sims": "1000"}, or say what is wrong."""
    from ludens.options import Option

    known = {f.name: f for f in fields(SearchConfig)}
    chosen = dict(defaults)
    for name, given in options.items():
        if name not in known:
            raise UserError(f"a search has no setting {name!r}{nearest(name, known)}")
        default: Any = known[name].default
        chosen[name] = Option(name, default, "").read(given)
    return SearchConfig(**chosen)
