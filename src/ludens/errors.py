"""Mistakes a user can make: one line each, with a hint that works when it is pasted."""

import re
import shlex
import shutil
import sys
from collections.abc import Iterable
from difflib import get_close_matches
from importlib.util import find_spec
from pathlib import Path

EXTRAS = {
    "train": ("torch", "PyTorch"),
    "tensorboard": ("tensorboard", "TensorBoard"),
    "mlflow": ("mlflow", "MLflow"),
    "export": ("onnx", "ONNX"),
    "env": ("gymnasium", "Gymnasium"),
    "cluster": ("ray", "Ray"),
}
"""The module that each of our extras brings, and its name for people."""
MAX_WORD = 100
"""Characters of a word that may be a slip of one that is known."""


class UserError(ValueError):
    """A mistake in what the user gave; the command line prints it and exits with 2."""


class IllegalAction(UserError):
    """An action that the rules do not allow in this state."""


class BadStep(UserError):
    """A step of a history that cannot be taken; its number counts from 1."""

    def __init__(self, number: int, why: object) -> None:
        super().__init__(f"step {number}: {why}")
        self.number = number


class GameFileError(UserError):
    """A game file that does not load or lacks something of the contract."""


class Forfeit(UserError):
    """What a player did in place of a legal move: it loses the game."""


class NoRoom(UserError):
    """A disk that is full, or a quota that is spent: room may come back."""


class Refusal(UserError):
    """A wish of a stranger beyond what is allowed; servers write it to their log."""


def nearest(word: str, known: Iterable[str]) -> str:
    """Return a hint such as "; did you mean 'gomoku'?", or what is known."""
    names = sorted(known)
    like = did_you_mean(word, names)
    return like or (f"; known: {', '.join(names)}" if names else "")


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """Return a hint such as "; did you mean 'gomoku'?", "" if nothing is like it."""
    if len(word) > MAX_WORD:  # comparing would take long, and it is like nothing
        return ""
    close = get_close_matches(word.lower(), sorted(known), n=1)
    return f"; did you mean {close[0]!r}?" if close else ""


def require_extra(extra: str, what: str) -> None:
    """Say how to install an extra that `what` needs, if it is missing."""
    module, name = EXTRAS[extra]
    if find_spec(module) is None:
        raise missing(name, what, _needs(extra))


def missing(name: str, what: str, packages: Iterable[str]) -> UserError:
    """Return the error that says how to install packages that `what` needs."""
    install = shlex.join([sys.executable, "-m", "pip", "install", *packages])
    return UserError(f"{what} needs {name}; install it: {install}")


def _needs(extra: str) -> list[str]:
    """Return what an extra installs, without the name of our own package."""
    from importlib.metadata import requires

    mark = re.compile(rf"""([^;\s]+)\s*;.*\bextra == ['"]{extra}['"]""")
    found = map(mark.match, requires("ludens") or ())
    return [requirement[1] for requirement in found if requirement]


def command(*words: str) -> str:
    """Return a command of ours as a line for the shell in which we were started."""
    return shlex.join([*_program(), *words])


def tool(name: str, module: str, *words: str) -> str:
    """Return a command of a package that is installed beside us, for the shell."""
    beside = Path(sys.executable).with_name(name)
    found = shutil.which(name)
    if found and beside.exists() and beside.samefile(found):
        return shlex.join([name, *words])
    return shlex.join([sys.executable, "-m", module, *words])


def _program() -> list[str]:
    """Return how we were called, if the path of the shell does not lead to us."""
    called = Path(sys.argv[0])
    if called.parts[-2:] == ("ludens", "__main__.py"):
        return [sys.executable, "-m", "ludens"]
    found = shutil.which("ludens")
    if called.stem != "ludens" or (found and called.samefile(found)):
        return ["ludens"]
    return [str(called)]
