"""Find the file of a network: by its path, or the one that ships with a game."""

import re
from pathlib import Path

from ludens.errors import UserError, command
from ludens.loading.game import Game, load_game

SUFFIX = ".safetensors"
WIDE = 100
"""With this many actions, rollouts alone make a weak opponent."""
PRETRAINED = Path(__file__).parent / "pretrained"


def net_file(text: str, game: Game | None = None) -> Path:
    """Return the file of a net; an empty text names the one that ships."""
    if text.endswith(SUFFIX):
        path = Path(text)
        if not path.is_file():
            raise UserError(f"there is no net {text}")
        return path
    if text or game is None:
        game = load_game(text)
    shipped = shipped_net(game)
    if shipped is None:
        raise UserError(
            f"no net comes with {game.spec}; name a file or a run, or train one:"
            f" {command('train', game.spec)}"
        )
    return shipped


def usual_agent(game: Game) -> str:
    """Return the default opponent: the net that ships with the game, if any."""
    return "mcts" if shipped_net(game) is None else "net"


def weakness(game: Game) -> str:
    """Say that whom one plays against is weak, where it is; else nothing.

    Where there are many moves, random games tell little of any.
    """
    is_wide = game.num_players == 2 and game.num_actions >= WIDE
    if not is_wide or shipped_net(game) is not None:
        return ""
    return f"no net comes with {game.spec}; mcts, a rollout search, is weak here"


def shipped_net(game: Game) -> Path | None:
    """Return the net that ships for a game with its options, if there is one."""
    path = PRETRAINED / f"{re.sub('[^a-z0-9_]+', '-', game.spec.lower())}{SUFFIX}"
    return path if path.is_file() else None
