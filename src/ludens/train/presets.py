"""Settings to begin with, by machine and game: plain data.

Later layers win: what holds for all, by players, by the size of the board, by game.
"""

from collections.abc import Mapping

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

BY_GAME: Mapping[str, Layer] = {
    "connect_four": {
        "selfplay": {
            "positions": 10_000,
            "temperature_plies": 12,
            "opening_share": 0.4,
            "opening_plies": 10,
        },
    },
    "pyrga": {
        "selfplay": {"temperature_plies": 10, "opening_plies": 6},
    },
    "triple_triad": {
        "net": {"policy": "spatial", "blocks": 3, "channels": 64, "hidden": 64},
        "search": {"sims": 64, "max_considered": 24},
        "selfplay": {"positions": 6000, "temperature_plies": 5, "opening_plies": 4},
    },
    "gomoku": {
        "search": {"max_considered": 16},
        "selfplay": {
            "temperature_plies": 8,
            "opening_share": 0.5,
            "opening_plies": 5,
            "resign_below": 0.95,
        },
        "evaluate": {"solved_positions": 0},
    },
    "triangle": {
        # With a discount, 200 is more than any position can still bring.
        "net": {
            "policy": "spatial",
            "value": "categorical",
            "bins": 101,
            "value_low": 0.0,
            "value_high": 200.0,
        },
        # Stretched less, and learned from more often: 32 instead of 14 points after
        # four iterations.
        "search": {"discount": 0.99, "c_scale": 0.5, "least_spread": 2.0},
        # What chance has spread less teaches more: with 10 steps 31 points, not 39,
        # after eight iterations.
        "replay": {"discount": 0.99, "n_steps": 3},
        # Games are cut so that what they teach is not old; a cut game counts on.
        "selfplay": {"temperature_plies": 0, "opening_share": 0.0, "max_plies": 300},
        "evaluate": {"solved_positions": 0},
    },
}

BY_MACHINE_AND_GAME: Mapping[str, Mapping[str, Layer]] = {
    "small": {
        "tic_tac_toe": {
            "selfplay": {
                "positions": 1000,
                "temperature_plies": 9,
                "opening_share": 0.5,
            },
            "replay": {"window_start": 4000, "window_max": 20_000},
            "learn": {"uses": 6.0, "lr": 3e-3},
            "evaluate": {"solved_positions": 0},
            "budget": {"minutes": 2.0},
        },
        "connect_four": {"selfplay": {"positions": 2000}},
        "triple_triad": {
            "net": {"blocks": 2, "channels": 32, "hidden": 32},
            "search": {"sims": 32},
            "selfplay": {"positions": 2000},
        },
        "triangle": {
            # An evaluation takes 0.45 of the time of laptop's net.
            "net": {"blocks": 2, "channels": 16, "hidden": 32},
            "learn": {"uses": 6.0},
        },
    },
    "laptop": {
        "tic_tac_toe": {
            "selfplay": {
                "positions": 2000,
                "games": 128,
                "temperature_plies": 9,
                "opening_share": 0.5,
            },
            "replay": {"window_start": 8000, "window_max": 40_000},
            "learn": {"uses": 6.0, "lr": 3e-3, "ema_decay": 0.995},
            "evaluate": {
                "every": 5,
                "games": 20,
                "mcts_sims": 200,
                # One kept from learning is 8 of 4,520; the end counts all of them.
                "solved_positions": 0,
            },
            "budget": {"minutes": 0.0, "iterations": 40},
        },
        "triangle": {
            "net": {"blocks": 3, "channels": 32, "hidden": 64},
            "selfplay": {"positions": 6000, "games": 96},
            "learn": {"uses": 6.0},
            "budget": {"minutes": 120.0},
        },
    },
    "gpu": {
        "tic_tac_toe": {
            "selfplay": {"positions": 4000, "temperature_plies": 9},
            "replay": {"window_start": 20_000, "window_max": 100_000},
            "budget": {"minutes": 2.0},
        },
        "triple_triad": {"net": {"blocks": 6, "channels": 128, "hidden": 128}},
    },
}


def preset_layers(game: Game, preset: str) -> list[Layer]:
    """Return the layers of a preset for a game, the strongest last."""
    if preset not in MACHINES:
        raise UserError(f"there is no preset {preset!r}{nearest(preset, MACHINES)}")
    rows, columns = game.plain.SHAPE
    by_cells = BY_CELLS[preset]
    step = min((most for most in by_cells if most >= rows * columns), default=10_000)
    return [
        BASE,
        BY_PLAYERS[game.num_players],
        MACHINES[preset],
        by_cells[step],
        BY_GAME.get(game.name, {}),
        BY_MACHINE_AND_GAME[preset].get(game.name, {}),
    ]
