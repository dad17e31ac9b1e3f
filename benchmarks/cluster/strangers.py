"""Nodes with another version or other rules, and a learner slower than its workers."""

import os
import shutil
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import ludens
from faults.soak import sample
from ludens.cluster.hands import Cluster
from ludens.learn.learner import Learner
from ludens.loading.game import load_game

from .disturbed import tiny_net, train, wait_for_workers, wish_for
from .places import Head, descendants, head

OTHER_VERSION = "0.0.1"
RULE, OTHER_RULE = "state.ply == 9", "state.ply == 8"
"""In the file of tic-tac-toe: games would end a move earlier."""
REFUSED_S = 25.0
SLOW_S, SLOW_ITERATIONS = 10.0, 10
WARM = 3
"""Iterations after which memory has to be flat ..."""
MOST_MB = 5.0
"""... but for so much: that of a training goes up and down by 3 MB."""


def strangers() -> Iterator[str]:
    """Let nodes join that have another version, or other rules: one line each."""
    with tempfile.TemporaryDirectory() as folder:
        cases = {
            _other_version(Path(folder)): f"it has ludens {OTHER_VERSION}, not",
            _other_rules(Path(folder)): "it has other rules of tic_tac_toe",
        }
        for path, why in cases.items():
            with head(0) as one:
                yield from _refused(one, path, why)


def _refused(one: Head, path: Path, why: str) -> Iterator[str]:
    """Let a node join whose Python looks into a folder first."""
    game, said, heard = load_game("tic_tac_toe"), list[str](), threading.Event()

    def hear(line: str) -> None:
        said.append(line)
        heard.set()

    with Cluster(wish_for(one, 0), game, tiny_net(game)) as cluster:
        cluster.tell(hear)
        with _looking_into(path):
            one.join(1)
        began_s = time.monotonic()
        heard.wait(2 * REFUSED_S)
        seconds = time.monotonic() - began_s
    print(f"  {'; '.join(said)} ({seconds:.1f} s)")
    if len(said) != 1 or why not in said[0] or seconds > REFUSED_S:
        yield f"{why}: {said} after {seconds:.0f} s"


def _other_version(folder: Path) -> Path:
    """Return a folder in which another version is said to be installed."""
    path = folder / "version"
    (about := path / f"ludens-{OTHER_VERSION}.dist-info").mkdir(parents=True)
    text = f"Metadata-Version: 2.1\nName: ludens\nVersion: {OTHER_VERSION}\n"
    (about / "METADATA").write_text(text)
    return path


def _other_rules(folder: Path) -> Path:
    """Return a folder with a copy of all that is ours, but for a rule."""
    path = folder / "rules"
    shutil.copytree(Path(ludens.__file__).parent, path / "ludens")
    rules = path / "ludens" / "games" / "tic_tac_toe.py"
    text = rules.read_text()
    assert RULE in text
    rules.write_text(text.replace(RULE, OTHER_RULE))
    return path


@contextmanager
def _looking_into(path: Path) -> Iterator[None]:
    before = os.environ.get("PYTHONPATH", "")
    os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, (str(path), before)))
    try:
        yield
    finally:
        os.environ["PYTHONPATH"] = before


def slow_learner(number: int, seed: int) -> Iterator[str]:
    """Train with workers that are ahead of the learner; memory must not grow."""
    game, found = load_game("tic_tac_toe"), list[tuple[float, float]]()
    learn = Learner.learn

    def learn_slowly(self: Learner, *given: Any, **named: Any) -> Any:
        time.sleep(SLOW_S)
        own = (os.getpid(), *descendants(os.getpid()))
        bridges = [pid for pid in own if _is_bridge(pid)]
        found.append((_megabytes(os.getpid()), sum(map(_megabytes, bridges))))
        return learn(self, *given, **named)

    sets = ("cluster.lag=1", f"seed={seed}")
    with head(2) as one, Cluster(wish_for(one, 2), game, tiny_net(game)) as cluster:
        wait_for_workers(cluster, 2)
        Learner.learn = learn_slowly  # type: ignore[method-assign]
        try:
            train(game, number, cluster, sets)
        finally:
            Learner.learn = learn  # type: ignore[method-assign]
    for who, sizes in zip(
        ("training", "bridge"), zip(*found, strict=True), strict=True
    ):
        words = ", ".join(f"{size:.1f}" for size in sizes)
        print(f"  slow_learner: MB of the {who}: {words}")
        grown = max(sizes[WARM:]) - sizes[WARM - 1]
        if grown > MOST_MB:
            yield f"slow_learner: the {who} grew by {grown:.1f} MB"


def _is_bridge(pid: int) -> bool:
    try:
        return b"ludens.cluster.bridge" in Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return False


def _megabytes(pid: int) -> float:
    return sample(pid, 0.0).megabytes
