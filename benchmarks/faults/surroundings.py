"""The same training in other surroundings: hash seed, locale, zone, clock, folder."""

import os
import random
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .outcome import Outcome
from .processes import scratch
from .sessions import arguments_for, contents

NUMBER = 40
ITERATIONS = 2
LOCALES = ("C", "C.UTF-8", "POSIX", "tr_TR.UTF-8", "de_DE.UTF-8", "ja_JP.eucJP")
ZONES = ("UTC", "Asia/Kathmandu", "America/St_Johns", "XYZ+13", "nonsense")
UMASKS = (0o000, 0o022, 0o027, 0o077)
FOLDERS = ("a b", "ä/ö/ü", "-x", "日本", "'quoted\"", "d/e/e/p/e/r", "100%")
THREADS = (1, 2, 3)
SHARES = 2
"""With a fixed number of shares a net plays the same games on any threads."""
_JUMPS = """
import random, time
_true, _jumps, _shift = time.time, random.Random({seed}), 0.0
def _jump():
    global _shift
    if _jumps.random() < 0.2:
        _shift = _jumps.uniform(-1e8, 1e8)
    return _true() + _shift
time.time = _jump
"""


@dataclass(frozen=True)
class Surroundings:
    """Where and how a training runs."""

    hash_seed: str = "0"
    locale: str = "C.UTF-8"
    zone: str = "UTC"
    umask: int = 0o022
    clock: int = 0
    """The seed of jumps of the clock; 0: it does not jump."""
    folder: str = "plain"
    threads: int = 1


def make_surroundings(rng: random.Random) -> Surroundings:
    """Return others, each of them different."""
    return Surroundings(
        str(rng.randrange(2**32)),
        rng.choice(LOCALES),
        rng.choice(ZONES),
        rng.choice(UMASKS),
        rng.randrange(1, 2**32),
        rng.choice(FOLDERS),
        rng.choice(THREADS),
    )


def run(n: int, seed: int) -> Outcome:
    """Train in many surroundings; each ends in the same bytes."""
    rng = random.Random(f"surroundings {seed}")
    with scratch() as folder:
        found = [*_failures(n, rng, Path(folder))]
    return Outcome("surroundings", n, found)


def _failures(n: int, rng: random.Random, folder: Path) -> Iterator[str]:
    usual: dict[int, Any] = {}
    """What is kept by the number of threads."""
    for number in range(n):
        other = make_surroundings(rng)
        try:
            for plain in {1, other.threads} - usual.keys():
                there = Surroundings(threads=plain)
                usual[plain] = train(folder / f"usual {plain}", there)
            found = train(folder / str(number), other)
            for part, kept in usual[other.threads].items():
                assert found[part] == kept, f"{part} differ"
            same = _first_games(found) == _first_games(usual[1])
            assert same, "games of the first net differ with the number of threads"
        except AssertionError as error:
            yield f"{other}: {error}"


def _first_games(kept: Any) -> list[Any]:
    """Return the games of the first iteration: PyTorch rounds learning by threads."""
    return [row for row in kept["games"] if row[1] == 1]


def train(base: Path, there: Surroundings) -> Any:
    """Train in a fresh process; return what is kept."""
    folder = base / there.folder
    folder.mkdir(parents=True)
    (base / "site").mkdir()
    if there.clock:
        code = _JUMPS.format(seed=there.clock)
        (base / "site" / "sitecustomize.py").write_text(code)
    done = subprocess.run(
        [sys.executable, "-m", "ludens", *arguments(Path("here/run"), there)],
        cwd=folder,
        env=_environment(there, base / "site"),
        umask=there.umask,
        capture_output=True,
    )
    assert done.returncode == 0, done.stderr.decode()[-500:]
    return contents(folder / "here" / "run")


def arguments(run: Path, there: Surroundings) -> list[str]:
    """Return the arguments of a training with so many threads."""
    given = (f"selfplay.shares={SHARES}", f"selfplay.threads={there.threads}")
    more = [word for setting in given for word in ("--set", setting)]
    return arguments_for(run, "--iterations", ITERATIONS, *more)


def _environment(there: Surroundings, site: Path) -> dict[str, str]:
    before = [str(Path(p).resolve()) for p in sys.path if p and Path(p).is_dir()]
    return os.environ | {
        "PYTHONHASHSEED": there.hash_seed,
        "LC_ALL": there.locale,
        "TZ": there.zone,
        "PYTHONPATH": os.pathsep.join([str(site), *before]),
    }
