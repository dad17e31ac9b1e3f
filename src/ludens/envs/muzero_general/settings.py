"""The class MuZeroConfig of an exported game: every attribute muzero-general reads."""

import math

from ludens.loading.game import Game

SMALL, MEDIUM = 9, 121
"""Cells of a board for which a small or a middling network will do."""
LONGEST = 1000
"""Moves after which a game without an end of its own is cut.

muzero-general takes the cut for an end, so it should be rare.
"""
Sections = dict[str, dict[str, str]]
"""By title: the attributes and the texts of their values."""


def sections(game: Game) -> Sections:
    """Return the settings of a game.

    For a board of 3x3 they are those with which MuZero was first set up for Triple
    Triad; for larger boards they follow the examples of muzero-general.
    """
    cells = math.prod(game.plain.SHAPE)
    size = 0 if cells <= SMALL else 1 if cells <= MEDIUM else 2
    return {
        "Game": _game(game),
        "Self-play": _selfplay(game, size),
        "Network": _network(game, size),
        "Training": _training(),
        "Replay": _replay(game, size),
        "Pace of self-play and training": {
            "self_play_delay": "0",
            "training_delay": "0",
            "ratio": "None",
        },
    }


def _game(game: Game) -> dict[str, str]:
    is_for_two = game.num_players == 2
    return {
        "seed": "0",
        "max_num_gpus": "None",
        "observation_shape": repr(game.observation_shape),
        "action_space": f"list(range({game.num_actions}))",
        "players": repr(list(range(game.num_players))),
        "stacked_observations": "0",
        "muzero_player": "0",
        "opponent": '"expert"' if is_for_two else "None",
    }


def _selfplay(game: Game, size: int) -> dict[str, str]:
    return {
        "num_workers": "1",
        "selfplay_on_gpu": "False",
        "max_moves": str(game.plain.MAX_PLIES or LONGEST),
        "num_simulations": ("25", "50", "100")[size],
        "discount": repr(_discount(game)),
        "temperature_threshold": "None",
        "root_dirichlet_alpha": repr(round(min(0.3, 10 / game.num_actions), 3)),
        "root_exploration_fraction": "0.25",
        "pb_c_base": "19652",
        "pb_c_init": "1.25",
    }


def _discount(game: Game) -> float:
    if game.num_players == 2:
        return 1.0
    return _of_training(game, "search", "discount", 0.997)


def _network(game: Game, size: int) -> dict[str, str]:
    layers, width = f"[{(32, 64, 64)[size]}]", (16, 4, 4)[size]
    heads = ("reward", "value", "policy")
    return {
        "network": '"resnet"',
        "support_size": str(_support_size(game)),
        "downsample": "False",
        "blocks": ("1", "3", "6")[size],
        "channels": ("16", "64", "128")[size],
        **{f"reduced_channels_{head}": str(width) for head in heads},
        **{f"resnet_fc_{head}_layers": layers for head in heads},
        "encoding_size": ("32", "64", "128")[size],
        "fc_representation_layers": "[]",
        "fc_dynamics_layers": layers,
        **{f"fc_{head}_layers": layers for head in heads},
    }


def _support_size(game: Game) -> int:
    """Return what holds the largest value, on the scale of MuZero's h(x)."""
    if game.num_players == 2:
        return 10
    low = _of_training(game, "net", "value_low", 0.0)
    high = _of_training(game, "net", "value_high", 1000.0)
    most = max(abs(low), abs(high))
    return max(10, math.ceil(math.sqrt(most + 1) - 1 + 0.001 * most))


def _of_training(game: Game, section: str, setting: str, usual: float) -> float:
    """Return a setting that the game has for our own training."""
    return float(game.plain.TRAINING.get(section, {}).get(setting, usual))


def _training() -> dict[str, str]:
    return {
        "results_path": "self._results_path()",
        "save_model": "True",
        "training_steps": "1_000_000",
        "batch_size": "64",
        "checkpoint_interval": "10",
        "value_loss_weight": "0.25",
        "train_on_gpu": "self._has_gpu()",
        "optimizer": '"Adam"',
        "weight_decay": "1e-4",
        "momentum": "0.9",
        "lr_init": "0.003",
        "lr_decay_rate": "1",
        "lr_decay_steps": "10_000",
    }


def _replay(game: Game, size: int) -> dict[str, str]:
    """Return the replay's settings; for two players values are results of games."""
    whole_game = max(20, game.plain.MAX_PLIES)
    return {
        "replay_buffer_size": ("3000", "10_000", "10_000")[size],
        "num_unroll_steps": ("20", "10", "10")[size],
        "td_steps": str(whole_game if game.num_players == 2 else 10),
        "PER": "True",
        "PER_alpha": "0.5",
        "use_last_model_value": "True",
        "reanalyse_on_gpu": "False",
    }


def config_class(game: Game) -> str:
    """Return the text of the class."""
    lines = [_HEAD]
    for title, settings in sections(game).items():
        lines.append(f"        # {title}")
        for name, value in settings.items():
            lines.append(f"        self.{name} = {value}")
        lines.append("")
    return "\n".join([*lines, _TEMPERATURE])


_HEAD = '''class MuZeroConfig:
    """What muzero-general trains this game with."""

    def __init__(self):'''
_TEMPERATURE = '''    def visit_softmax_temperature_fn(self, trained_steps):
        """Return the temperature of moves: they grow greedier in the later half."""
        if trained_steps < 0.5 * self.training_steps:
            return 1.0
        return 0.5 if trained_steps < 0.75 * self.training_steps else 0.25

    @staticmethod
    def _results_path():
        """Return a new folder beside games/, named by the game and the time."""
        time = datetime.datetime.now().strftime("%Y-%m-%d--%H-%M-%S")
        file = pathlib.Path(__file__).resolve()
        return str(file.parents[1] / "results" / file.stem / time)

    @staticmethod
    def _has_gpu():
        """Tell whether PyTorch, if it is there, has a GPU to train on."""
        try:
            import torch
        except ImportError:
            return False
        return torch.cuda.is_available()
'''
