"""A game as one file for muzero-general: standalone, with NumPy only.

The file goes into the folder games/ of https://github.com/werner-duvaud/muzero-general.
"""

import builtins
from dataclasses import dataclass
from pathlib import Path
from textwrap import fill, indent

from ludens.envs.muzero_general.game_class import (
    ABSTRACT_GAME,
    GAME,
    lines_for,
    traits_of,
)
from ludens.envs.muzero_general.program import Program
from ludens.envs.muzero_general.settings import config_class
from ludens.envs.muzero_general.source import loaded_names
from ludens.formats.words import printable
from ludens.game import CHANCE, OVER
from ludens.loading.game import Game

MARK = "# Written by `ludens export`"
"""How every file begins that we wrote, and that we may write again."""
_IMPORTS = {
    "datetime": "import datetime",
    "pathlib": "import pathlib",
    "re": "import re",
    "sys": "import sys",
    "np": "import numpy as np",
}


@dataclass(frozen=True)
class GameFile:
    """A game for muzero-general: its text, and the files that it was made of."""

    text: str
    sources: tuple[Path, ...]


def make_file(game: Game) -> GameFile:
    """Return the file of a game; what it cannot hold is refused by name."""
    game.require_rules("a file for muzero-general")
    config, play = config_class(game), lines_for(GAME, traits_of(game))
    program = Program(game.sources)
    for name, statement in _IMPORTS.items():
        program.import_as(name, statement)
    used = set(loaded_names(config + play)) - _IMPORTS.keys()
    ours = {"Game", "MuZeroConfig", "AbstractGame", "unpack"}
    built_in = {name for name in used if hasattr(builtins, name)}
    program.reserve(sorted(ours | built_in))
    values = {**vars(game.plain), "CHANCE": CHANCE, "OVER": OVER}
    values["OBSERVATION_SHAPE"] = game.observation_shape
    for name in sorted(used - ours - built_in):
        program.add(name, values[name], str(game.path))
    return GameFile(_text(game, program, config, play), _files(game, program))


def _text(game: Game, program: Program, config: str, play: str) -> str:
    name = Path(game.name).name + game.spec.removeprefix(game.name)
    about = fill(f"{printable(name)}: {printable(game.title)}", 86)
    head = f"{MARK}: it is made anew, not edited.\n{indent(about, '# ')}\n"
    constants = f"# fmt: off\n{program.constants}# fmt: on\n"
    parts = [head, program.imports, ABSTRACT_GAME, constants]
    return "\n".join([*parts, "", config, "", f"{play}{program.functions}"])


def _files(game: Game, program: Program) -> tuple[Path, ...]:
    """Return the game's own files, then those of others that it uses."""
    return tuple(dict.fromkeys([*game.sources, *program.files]))
