"""Settings to begin with, by machine: plain data.

Later layers win: what holds for all, by players, by machine, by the size of the board,
by the method; then those of environments. A game may have its own on top of these:
TRAINING in its file.
"""

from collections.abc import Mapping
from typing import Any

from ludens.errors import UserError, nearest
from ludens.loading.game import Game
from ludens.loading.options import OptionValue

Layer = Mapping[str, Mapping[str, OptionValue]]
"""Values by section and setting."""
DEFAULT = "laptop"
BASE: Layer = {"search": {"root": "gumbel", "sims": 32, "cache_size": 32_768}}

BY_PLAYERS: Mapping[int, Layer] = {
    1: {},
    # The difference of values counts as it is. Stretched, the noise of a young net
    # became its policy: after 15 iterations of Pyrga that was 150 Elo behind.
    2: {"search": {"c_scale": 1.0, "least_spread": 2.0}},
}

MACHINES: Mapping[str, Layer] = {
    # A quick look on a weak machine.
    "small": {
        "selfplay": {"positions": 2000, "games": 64},
        "replay": {"window_start": 10_000, "window_max": 100_000},
        "learn": {"batch_size": 128, "uses": 4.0, "lr": 2e-3},
        "evaluate": {
            "every": 10,
            "games": 20,
            "mcts_sims": 200,
            "solved_positions": 100,
            "solving_seconds": 10.0,
        },
        "budget": {"minutes": 10.0},
    },
    "laptop": {
        "selfplay": {"positions": 8000, "games": 256},
        "replay": {"window_start": 40_000, "window_max": 400_000},
        # On a CPU a sample costs the same in a small batch, and many steps pay: a net
        # for Triple Triad learned more in 4 iterations of 256 than in 10 of 1024.
        "learn": {
            "batch_size": 256,
            "uses": 4.0,
            "lr": 1.5e-3,
            "ema_decay": 0.998,
        },
        "evaluate": {"every": 10},
        "budget": {"minutes": 60.0},
    },
    "gpu": {
        "search": {"sims": 64},
        "selfplay": {"positions": 40_000, "games": 1024},
        "replay": {"window_start": 200_000, "window_max": 4_000_000},
        "learn": {"batch_size": 2048, "uses": 4.0, "lr": 2e-3},
        "evaluate": {"games": 100, "sims": 200, "mcts_sims": 1000},
        "budget": {"minutes": 180.0},
    },
}

BY_CELLS: Mapping[str, Mapping[int, Layer]] = {
    "small": {
        12: {"net": {"blocks": 2, "channels": 16, "hidden": 32}},
        10_000: {"net": {"blocks": 2, "channels": 32, "hidden": 32}},
    },
    "laptop": {
        12: {"net": {"blocks": 2, "channels": 32, "hidden": 32}},
        50: {"net": {"blocks": 4, "channels": 48, "hidden": 64}},
        100: {
            "net": {"blocks": 4, "channels": 32, "hidden": 64},
            "selfplay": {"games": 256},
        },
        10_000: {
            "net": {"blocks": 6, "channels": 64, "hidden": 64},
            "selfplay": {"games": 64},
        },
    },
    "gpu": {
        12: {"net": {"blocks": 4, "channels": 64, "hidden": 64}},
        50: {"net": {"blocks": 8, "channels": 96, "hidden": 128}},
        100: {"net": {"blocks": 10, "channels": 128, "hidden": 128}},
        10_000: {
            "net": {"blocks": 12, "channels": 160, "pool_every": 3, "hidden": 256},
            "selfplay": {"games": 512},
        },
    },
}
"""The first row whose number of cells the board does not exceed."""

METHODS: Mapping[str, Layer] = {
    "alphazero": {},
    # A sample that is unrolled for five steps costs as much as three and a half.
    "muzero": {"net": {"model": "learned"}, "learn": {"uses": 2.0}},
}
# With neither, a model of Triple Triad is right about 89 % of what is legal a step
# later, with both about 99.7 %. Tic-tac-toe, five minutes, seeds 2 and 3: 2 and 7 wrong
# moves of 4,520 with neither, 0 and 1 with both.
# After 400 steps on the same games of connect four, values after a step were 0.301 off
# with a rate of 0.003, 0.326 with 0.0015.
TAKING_TURNS: Layer = {
    "net": {"exchange": True, "rescale": "rms"},
    "learn": {"lr": 3e-3},
}
"""For models of games by two players."""
ENVIRONMENTS: Mapping[int, Layer] = {
    # Episodes may be long, and are learned from when they are over: few at a time.
    1: {
        "search": {"discount": 0.997, "sims": 32},
        "selfplay": {"games": 8, "positions": 1000, "opening_share": 0.0},
        # With ten rewards before a value, 3 of 5 nets of CartPole fell before step 500,
        # with 50 one of 5; with less of an average, those of some iterations did. With
        # 150 all but one of those 5 reached it, but one of 5 other seeds: see the docs.
        "replay": {"discount": 0.997, "n_steps": 50, "window_start": 4000},
        # Seed 3 with 50 rewards: a mean of 443 with 1, of 482 with 0.01.
        "learn": {
            "batch_size": 128,
            "uses": 8.0,
            "ema_decay": 0.998,
            "lr_final_share": 0.02,
            "decoder_weight": 0.01,
        },
        "evaluate": {"games": 20, "sims": 32, "mcts_sims": 0, "solved_positions": 0},
    },
    # No symmetries are known. With two uses of a position, tic-tac-toe of OpenSpiel was
    # at 36 % against random after 10 iterations; with six it was at 62 %.
    2: {
        "selfplay": {"opening_share": 0.0, "positions": 4000, "games": 128},
        "learn": {"uses": 6.0, "ema_decay": 0.995},
        "evaluate": {"mcts_sims": 0, "solved_positions": 0},
    },
}
"""By players. There are no rules for a solver, or for a search without a net."""
HIDDEN_CHANCE: Layer = {"net": {"codes": 32}}
"""For environments that say that they have chance."""
VECTORS: Layer = {"net": {"trunk": "mlp", "blocks": 2, "hidden": 128}}
"""For observations that are no planes."""


def preset_layers(game: Game, preset: str, method: str = "") -> list[Layer]:
    """Return the layers of a preset for a game, the strongest last."""
    if method and method not in METHODS:
        raise UserError(f"there is no method {method!r}{nearest(method, METHODS)}")
    if preset not in MACHINES:
        raise UserError(f"there is no preset {preset!r}{nearest(preset, MACHINES)}")
    rows, columns = game.plain.SHAPE
    by_cells = BY_CELLS[preset]
    step = min((most for most in by_cells if most >= rows * columns), default=10_000)
    machine = (MACHINES[preset], by_cells[step])
    layers = [BASE, BY_PLAYERS[game.num_players], *machine]
    if game.environment is None:
        layers += [METHODS.get(method, {})]
        return layers + [TAKING_TURNS] * (method == "muzero" and game.num_players == 2)
    if method not in ("", "muzero"):
        raise UserError(f"{game.spec} has no rules; use --method muzero")
    layers += [METHODS["muzero"], ENVIRONMENTS[game.num_players]]
    layers += [HIDDEN_CHANCE] * game.environment.has_chance
    return [*layers, VECTORS] if rows * columns == 1 else layers


def game_layers(game: Game, preset: str, method: str = "") -> list[Layer]:
    """Return what a game says in TRAINING: for all, this preset, this method."""
    layers: dict[str, dict[str, Any]] = {"": {}, preset: {}, method: {}}
    training = game.plain.TRAINING
    if not is_layer(training):
        raise UserError("write {section: {setting: value}}")
    for name, values in training.items():
        whose, _, section = name.rpartition(".")
        known = (*MACHINES, *METHODS)
        if whose and whose not in known:
            raise UserError(f"there is no preset {whose!r}{nearest(whose, known)}")
        if whose in layers:
            layers[whose][section] = dict(values)
    return list(layers.values())


def is_layer(given: object) -> bool:
    """Tell whether something is a mapping of names to mappings."""
    return isinstance(given, Mapping) and all(
        isinstance(name, str) and isinstance(values, Mapping)
        for name, values in given.items()
    )
