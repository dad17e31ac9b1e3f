"""The commands that we print: whoever pastes one finds that it works."""

import re
import shlex
import shutil
import sys
from pathlib import Path


def command(*words: str) -> str:
    """Return a line for the shell in which we were started."""
    return shlex.join([*_program(), *words])


def play_command(game: str, num_players: int, net: str) -> str:
    """Return the command to meet a net: to play against it, or to watch it alone."""
    watch = ["--watch"] if num_players == 1 else []
    return command("play", game, *watch, "--vs", f"net:weights={net}")


def install_command(extra: str) -> str:
    """Return the command that brings what an extra of ours needs."""
    from importlib.metadata import requires

    mark = re.compile(rf"""([^;\s]+)\s*;.*\bextra == ['"]{extra}['"]""")
    found = map(mark.match, requires("ludens") or ())
    wanted = [requirement[1] for requirement in found if requirement]
    return shlex.join([sys.executable, "-m", "pip", "install", *wanted])


def _program() -> list[str]:
    """Return how we were called, if the path of the shell does not lead to us."""
    called = Path(sys.argv[0])
    if called.parts[-2:] == ("ludens", "__main__.py"):
        return [sys.executable, "-m", "ludens"]
    found = shutil.which("ludens")
    if called.stem != "ludens" or (found and called.samefile(found)):
        return ["ludens"]
    return [str(called)]
