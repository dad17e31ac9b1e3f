"""Games of self-play while they are played, for who looks on; only the newest stay."""

import json
import math
import os
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ludens.errors import UserError
from ludens.files import open_plain, read_bytes
from ludens.formats.strict import to_json

if TYPE_CHECKING:
    from ludens.selfplay.worker import Worker

FILE = "playing.json"
MOST_GAMES = 9
_MAX_BYTES = 2**20
_MAX_STEPS = 5_000
_STALE_S = 60.0
"""A process that was killed leaves its file behind."""


@dataclass(frozen=True)
class GameSeen:
    """A game as it stands, and what the searches expected, move by move."""

    number: int
    net: int
    history: Sequence[int]
    values: Sequence[float]
    """For the player who moved, one for each action."""
    kinds: Sequence[int]
    """How each action was found; 0: without a search."""


def look_at(stage: "Sequence[Worker]", most: int = MOST_GAMES) -> list[GameSeen]:
    """Return some games as they stand; their threads play on meanwhile.

    A worker only ever adds to the lists of a game. The history is read first, so that
    no action of it lacks its value.
    """
    each = -(-most // max(1, len(stage)))
    seen = []
    for worker in list(stage):
        for active in list(worker.games)[:each]:
            history, kinds = list(active.history), list(active.kinds)
            values = [round(value, 4) for value in active.values[: len(kinds)]]
            game = (active.number, worker.share.net, history, values, kinds)
            seen.append(GameSeen(*game))
    return seen[:most]


def write_stage(folder: Path, games: Sequence[GameSeen]) -> None:
    """Put games in place of those before; it matters little if that fails."""
    flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC
    with suppress(OSError), os.fdopen(open_plain(folder / FILE, flags), "w") as file:
        file.write(to_json([asdict(game) for game in games], compact=True))


def forget_stage(folder: Path) -> None:
    """Remove what was written: nobody plays any more."""
    with suppress(OSError):
        (folder / FILE).unlink()


def read_stage(folder: Path) -> list[GameSeen]:
    """Return the games that were written a moment ago, none if they are not sound."""
    path = folder / FILE
    try:
        if time.time() - path.lstat().st_mtime > _STALE_S:
            return []
        text = read_bytes(path, _MAX_BYTES, "games", follows_links=False)
        return games_of(json.loads(text))
    except (OSError, UserError, ValueError, RecursionError):
        return []


def games_of(read: Any) -> list[GameSeen]:
    """Return the games that somebody tells of; ValueError if they are none."""
    try:
        return [_game_of(one) for one in read[:MOST_GAMES]]
    except (TypeError, LookupError, OverflowError) as error:
        raise ValueError(f"these are no games: {error}") from None


def _game_of(read: Any) -> GameSeen:
    """Return a game; ValueError unless each part of it is what it should be."""
    game = GameSeen(**read)
    steps = (game.number, game.net, *game.history, *game.kinds)
    is_sound = all(type(step) is int and 0 <= step < 2**53 for step in steps)
    values = [type(value) in (int, float) for value in game.values]
    if not is_sound or not all(values) or not all(map(math.isfinite, game.values)):
        raise ValueError("it is no game")
    if max(len(game.history), len(game.values)) > _MAX_STEPS:
        raise ValueError("it is too long")
    return game
