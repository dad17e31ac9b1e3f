"""Stale caches: a game is edited in every way, and its new rules must answer."""

import importlib
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from random import Random
from unittest import mock

from ludens.errors import GameFileError
from ludens.loading.game import Game, load_game

from .edits import EDITS, Edit
from .outcome import Outcome

NUMBER = 2 * len(EDITS)
NUMBERS = (3, 5)
"""Of legal actions, before and after an edit."""
_ASK = """
import sys
from ludens.errors import GameFileError
from ludens.loading.game import load_game
try:
    print(len(load_game(sys.argv[1]).new(0).legal_actions()))
except GameFileError as error:
    print("refused:", error)
"""


def run(n: int, seed: int) -> Outcome:
    """Edit games, each version in a process of its own over one cache for all."""
    rng, failures = Random(seed), []
    with tempfile.TemporaryDirectory() as cache:
        for i in range(n):
            if i % len(EDITS) == 0:
                edits = rng.sample(EDITS, len(EDITS))
            edit, numbers = edits[i % len(EDITS)], rng.sample(NUMBERS, 2)
            failures += _check(edit, (*numbers, numbers[0]), Path(cache))
    return Outcome("stale", n, failures)


def _check(edit: Edit, numbers: tuple[int, ...], cache: Path) -> list[str]:
    """Return what is wrong with the answers of a game that is edited, as lines."""
    with tempfile.TemporaryDirectory() as folder:
        answers = [ask(edit, number, Path(folder), cache) for number in numbers]
    if edit.is_refused:
        is_right = all(answer.startswith("refused: ") for answer in answers)
    else:
        is_right = answers == [str(number) for number in numbers]
    return [] if is_right else [f"{edit.name}: {numbers} answered {answers}"]


def ask(edit: Edit, number: int, folder: Path, cache: Path) -> str:
    """Return how many legal actions a new process sees in an edited game."""
    file = edit.write(folder, number)
    for path in folder.rglob("*"):
        os.utime(path, (0, 0))  # no edit may be told by its time
    environment = os.environ | {
        "LUDENS_CACHE": str(cache),
        "PYTHONPATH": os.pathsep.join((str(folder), *sys.path)),
        "PYTHONDONTWRITEBYTECODE": "1",  # Python's own cache goes by times
        "TOY_N": str(number),
    }
    done = subprocess.run(
        [sys.executable, "-c", _ASK, str(file)],
        capture_output=True,
        text=True,
        check=False,
        env=environment,
    )
    return (done.stdout or done.stderr).strip()[-300:]


@contextmanager
def edited(edit: Edit, number: int, folder: Path) -> Iterator[Game | None]:
    """Give an edited game in this process, which then forgets it; None if refused."""
    file = edit.write(folder, number)
    path, known = [str(folder), *sys.path], dict(sys.modules)
    with (
        mock.patch.dict(os.environ, {"TOY_N": str(number)}),
        mock.patch.object(sys, "path", path),
        mock.patch.object(sys, "dont_write_bytecode", True),
    ):
        importlib.invalidate_caches()
        try:
            game = load_game(str(file))
            game.entries  # noqa: B018  # hashed here
            yield game
        except GameFileError:
            yield None
    for name in sys.modules.keys() - known.keys():
        if str(folder) in str(getattr(sys.modules[name], "__file__", "")):
            del sys.modules[name]


def kept_under(edit: Edit, number: int, folder: Path) -> str:
    """Return the name that compiled code of a game is kept under; "" if refused."""
    with edited(edit, number, folder) as game:
        if game is None:
            return ""
        return Path(game.entries.advance.py_func.__code__.co_filename).name
