"""Flipped bits and cut files: right bytes, a named damage or a line, never silence."""

import random
import shutil
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from ludens.errors import UserError
from ludens.files import TensorFormat
from ludens.nets.weights import load_net
from ludens.store.run import Run
from ludens.store.verifying import TRUTH_FILE, verify

from .made_runs import commit_games, make_run
from .outcome import Outcome

NUMBER = 40_000
"""Half of them flips, half cuts."""
ITERATIONS = 3
NOT_CHECKED = ("lock", "log.txt")
"""What says nothing to the program."""
TRUTH = TensorFormat("made-up positions 1", "positions")


def run(n: int, seed: int) -> Outcome:
    """Damage one file of a run, again and again; say when nobody noticed."""
    failures = []
    with TemporaryDirectory() as home:
        folder = make_victim(Path(home) / "run")
        whole = Path(shutil.copytree(folder, Path(home) / "whole"))
        honest, said = read_all(folder)
        assert not said, said
        files = [path for path in whole.rglob("*") if path.is_file()]
        checked = sorted(path for path in files if path.name not in NOT_CHECKED)
        for number in range(n):
            rng = random.Random(f"{seed} {number}")
            path = rng.choice([whole / "games.sqlite", rng.choice(checked)])
            victim = folder / path.relative_to(whole)
            how = (flip, cut)[number % 2]
            victim.write_bytes(how(path.read_bytes(), rng))
            if why := why_silent(folder, honest):
                failures.append(f"{number}: {how.__name__} of {path.name}: {why}")
            shutil.copy(path, victim)
    return Outcome("flips", n, failures)


def flip(content: bytes, rng: random.Random) -> bytes:
    """Turn one bit."""
    at = rng.randrange(8 * len(content))
    flipped = content[at // 8] ^ 1 << at % 8
    return content[: at // 8] + bytes([flipped]) + content[at // 8 + 1 :]


def cut(content: bytes, rng: random.Random) -> bytes:
    """Lose the end: a byte of it, or any number."""
    return content[: rng.choice((len(content) - 1, rng.randrange(len(content))))]


def make_victim(folder: Path) -> Path:
    """Make a run with all that one may have."""
    with make_run(folder, ITERATIONS) as run:
        commit_games(run, ITERATIONS + 1)
        run.log("a line")
    content = TRUTH.pack({"values": np.arange(9.0)}, {"note": "made up"})
    (folder / TRUTH_FILE).write_bytes(content)
    return folder


def why_silent(folder: Path, honest: dict[str, Any]) -> str:
    """Return what is wrong with how a damaged run is read, "" if nothing is."""
    try:
        found, said = read_all(folder)
    except UserError as error:
        said = [str(error)]
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    else:
        if not said:
            differing = [name for name in honest if honest[name] != found[name]]
            return f"other {', '.join(differing)}, and not a word" if differing else ""
    return "" if all(map(str.isprintable, said)) else f"not one line: {said}"


def read_all(folder: Path) -> tuple[dict[str, Any], list[str]]:
    """Return all that a run holds, and what it says is damaged."""
    with Run.open(folder) as run:
        last = run.last()
        assert last is not None
        found: dict[str, Any] = {
            "facts": run.facts(),
            "metrics": run.metrics(),
            "tallies": run.tallies(),
            "totals": (run.totals(), run.newest_iteration, run.next_number),
            "pending": run.pending(),
            "games": [_plain(vars(game)) for game in run.games()],
            "newest": [game.number for game in run.last_games(40)],
            "unfinished": [_plain(vars(game)) for game in run.unfinished()],
            "checkpoint": (last.iteration, _plain(last.tensors or {})),
            "nets": {number: _net(path) for number, path in run.nets().items()},
        }
        said = [*run.damage, *last.notes]
        if not said:
            said = [line for line in _beside(run) if line]
    return found, said


def _beside(run: Run) -> list[str]:
    """Return what is wrong with files that are not read in each training."""
    names = ("config.toml", TRUTH_FILE)
    found = verify(run, {TRUTH_FILE: TRUTH})
    return [line for line in found if any(name in line for name in names)]


def _net(path: Path) -> Any:
    net = load_net(path)
    return (net.card, _plain(net.tensors))


def _plain(fields: Any) -> Any:
    """Return arrays as bytes, with their types and shapes, to compare."""
    return {
        name: (value.dtype.str, value.shape, value.tobytes())
        if isinstance(value, np.ndarray)
        else value
        for name, value in fields.items()
    }
