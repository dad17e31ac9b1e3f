"""The nets that ship: which one is a game's, and who plays where there is none."""

import re
from functools import lru_cache
from pathlib import Path

from ludens.errors import UserError, command
from ludens.loading.game import Game, format_spec, load_game
from ludens.nets.fitting import is_elsewhere, planes_for
from ludens.nets.weights import SUFFIX, NetCard, load_net

PRETRAINED = Path(__file__).parent / "pretrained"
MUZERO = "muzero"
"""Names the net of a game that has learned a model of it."""
WIDE = 100
"""With this many actions, rollouts alone make a weak opponent."""


def net_file(text: str, game: Game | None = None) -> Path:
    """Return the file of a net; "" and "muzero" name those that ship."""
    if text.endswith(SUFFIX):
        path = Path(text)
        if not path.is_file():
            raise UserError(f"there is no net {text}")
        return path
    is_learned = text == MUZERO and game is not None
    if game is None or (text and not is_learned):
        game = load_game(text)
    shipped = shipped_net(game, is_learned)
    if shipped is None:
        kind = "net with a learned model" if is_learned else "net"
        method = ("--method", MUZERO) if is_learned else ()
        raise UserError(
            f"no {kind} comes with {game.spec}; name a file or a run, or train one:"
            f" {command('train', game.spec, *method)}"
        )
    return shipped


def usual_agent(game: Game) -> str:
    """Return the default opponent: the net that ships with the game, if any.

    An environment has no rules to search with.
    """
    if game.environment is not None:
        return "random"
    return "mcts" if shipped_net(game) is None else "net"


def weakness(game: Game) -> str:
    """Say that whom one plays against is weak, where it is; else nothing.

    Where there are many moves, random games tell little of any.
    """
    is_wide = game.num_players == 2 and game.num_actions >= WIDE
    if not is_wide or shipped_net(game) is not None:
        return ""
    return f"no net comes with {game.spec}; mcts, a rollout search, is weak here"


def shipped_files() -> list[Path]:
    """Return the files of all nets that ship."""
    return sorted(PRETRAINED.glob(f"*{SUFFIX}"), key=lambda path: path.stem)


def shipped_net(game: Game, is_learned: bool = False) -> Path | None:
    """Return the net that ships for a game with its options, if there is one.

    There may be another that has learned a model of the game. What it sees of the game
    does not matter. A net for boards of any size is for all options that it fits.
    """
    rules = game.rules_among(game.changed_options)
    kind = f".{MUZERO}" if is_learned else ""
    path = _shipped(PRETRAINED, format_spec(game.name, rules), kind)
    if path.is_file():
        return path
    usual = _shipped(PRETRAINED, game.name, kind)
    return usual if usual.is_file() and _fits(_card(usual), game) else None


def _fits(card: NetCard, game: Game) -> bool:
    """Tell whether a net plays a game with other options than its own."""
    try:
        return is_elsewhere(card, game) and len(planes_for(card, game)) > 0
    except UserError:
        return False


@lru_cache(16)
def _card(path: Path) -> NetCard:
    return load_net(path).card


@lru_cache(256)
def _shipped(folder: Path, spec: str, kind: str) -> Path:
    """Return where the net of a game would be.

    Kept, for Python interns the parts of each new path: after 36,000 of them, which is
    5,000 visits to the page, it makes its table of such strings anew, 1.9 MB at once.
    """
    return folder / f"{re.sub('[^a-z0-9_]+', '-', spec.lower())}{kind}{SUFFIX}"
