"""What plays jobs on a node: one process, a thread for each job at a time."""

import hashlib
import os
import shutil
import socket
import sys
import tempfile
import threading
import time
import weakref
from collections.abc import Callable
from contextlib import suppress
from dataclasses import asdict
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np

from ludens.cluster.jobs import SHARE, ShareJob, pack_played, sha256
from ludens.cluster.rounds import RoundsJob, pack_rounds, play_rounds
from ludens.cluster.thoughts import POSITIONS, PositionsJob, pack_thoughts
from ludens.cluster.wire import Facts, pack, unpack
from ludens.errors import UserError
from ludens.files import write_bytes
from ludens.infer.evaluator import NetEvaluator, make_evaluator
from ludens.loading.game import Game, load_game
from ludens.nets.weights import check_net, net_from_bytes
from ludens.rng import numpy_rng
from ludens.selfplay.share import RUNNING, Tally
from ludens.selfplay.worker import Worker as Playing
from ludens.selfplay.worker import play_share
from ludens.store.stage import look_at

NUM_ANSWERS = 8
"""Made-up positions by which the answers of a net are compared."""
MAX_NETS = 4
"""Networks that stay loaded."""
_LOOK_S = 1.0


class Worker:
    """Plays jobs; all that goes in and out is plain bytes."""

    def __init__(self, device: str, precision: str, threads: int) -> None:
        self._device, self._precision, self._threads = device, precision, threads
        self._lock = threading.Lock()
        self._games: dict[str, Game] = {}
        self._evaluators: dict[str, NetEvaluator] = {}
        self._running: dict[int, Tally] = {}
        self._stage: list[Playing] = []
        """Who plays shares, for those who look on."""
        self._cpu_told_s = 0.0
        self._folder: Path | None = None
        threading.Thread(target=_end_with_parent, daemon=True).start()

    def greet(self, message: bytes, net: bytes) -> bytes:
        """Say who this is: version, rules, device, and what the net answers here."""
        return self._guarded(lambda: self._greet(unpack(message)[0], net))

    def play(self, message: bytes, *nets: bytes) -> bytes:
        """Play a job with nets that it names."""
        return self._guarded(lambda: self._play(message, nets))

    def progress(self, num_games: int = 0) -> bytes:
        """Tell what is being played, with some games, and what this process takes."""
        tallies = list(self._running.values())
        total = sum(tallies, Tally())
        return pack(
            {
                "version": version("ludens"),
                "jobs": len(tallies),
                **{name: getattr(total, name) for name in RUNNING},
                "rss_bytes": _rss_bytes(),
                "seen": [asdict(one) for one in look_at(self._stage, num_games)],
            }
        )

    def _guarded(self, do: Callable[[], bytes]) -> bytes:
        """Return a message in any case: an error is one line of it."""
        try:
            return do()
        except Exception as error:
            kind = "" if isinstance(error, UserError) else f"{type(error).__name__}: "
            return pack({"error": f"{kind}{' '.join(str(error).split())}"[:500]})

    def _greet(self, wish: Facts, net: bytes) -> bytes:
        game = self._game(wish["game"])
        facts = {
            "version": version("ludens"),
            "behaviour": game.behaviour,
            "python": sys.version.split()[0],
            "host": socket.gethostname(),
            "pid": os.getpid(),
        }
        if net and facts["behaviour"] == wish.get("behaviour"):  # else it cannot answer
            evaluator = self._evaluator(game, sha256(net), net)
            facts |= {
                "device": evaluator.device,
                "precision": evaluator.precision,
                "answers": answers_of(game, evaluator),
            }
        return pack(facts)

    def _play(self, message: bytes, nets: tuple[bytes, ...]) -> bytes:
        facts, contents = unpack(message)
        if facts["kind"] == SHARE:
            return self._play_share(ShareJob.of(facts, contents), nets[0])
        if facts["kind"] == POSITIONS:
            return self._think(PositionsJob.of(facts, contents), nets[0])
        return self._play_rounds(RoundsJob.of(facts), nets)

    def _think(self, job: PositionsJob, net: bytes) -> bytes:
        game, began_s = self._game(job.game), time.perf_counter()
        thoughts = job.think(game, self._evaluator(game, job.net, net))
        return pack_thoughts(thoughts, self._figures(began_s))

    def _play_share(self, job: ShareJob, net: bytes) -> bytes:
        game = self._game(job.game)
        evaluator = self._evaluator(game, job.net, net)
        tally, began_s = Tally(), time.perf_counter()
        mark = id(tally)
        self._running[mark] = tally
        how = (game, job.search, job.selfplay, evaluator, job.share, tally)
        try:
            played = play_share(*how, stage=self._stage)
        finally:  # trees are large
            del self._running[mark]
            self._stage[:] = [one for one in self._stage if one.tally is not tally]
        return pack_played(played, self._figures(began_s))

    def _play_rounds(self, job: RoundsJob, nets: tuple[bytes, ...]) -> bytes:
        game, began_s = self._game(job.game), time.perf_counter()
        named = zip(job.nets, nets, strict=True)
        files = {name: self._keep(name, net) for name, net in named}
        tally = Tally()
        self._running[id(tally)] = tally
        try:
            games = play_rounds(job, game, files)
        finally:
            del self._running[id(tally)]
        return pack_rounds(games, self._figures(began_s))

    def _keep(self, name: str, content: bytes) -> Path:
        """Return the file of a net that agents name, written if it is new."""
        if sha256(content) != name:
            raise UserError("a net has come damaged")
        with self._lock:
            if self._folder is None:
                self._folder = Path(tempfile.mkdtemp(prefix="ludens-nets-"))
                weakref.finalize(self, shutil.rmtree, self._folder, ignore_errors=True)
            path = self._folder / f"{name}.safetensors"
            if not path.exists():
                write_bytes(path, content)
        return path

    def _figures(self, began_s: float) -> dict[str, Any]:
        """Return what a job took; CPU time is that since the last job ended."""
        with self._lock:
            now_s = time.process_time()
            cpu_s, self._cpu_told_s = now_s - self._cpu_told_s, now_s
        return {
            "seconds": time.perf_counter() - began_s,
            "cpu_seconds": cpu_s,
            "rss_bytes": _rss_bytes(),
        }

    def _game(self, spec: str) -> Game:
        with self._lock:
            if spec not in self._games:
                self._games[spec] = load_game(spec)
            return self._games[spec]

    def _evaluator(self, game: Game, name: str, content: bytes) -> NetEvaluator:
        """Return a net that is ready to be asked; each is loaded once."""
        with self._lock:
            if name not in self._evaluators:
                if sha256(content) != name:
                    raise UserError("the net has come damaged")
                net = net_from_bytes(content, "the net")
                check_net(net, game)
                while len(self._evaluators) >= MAX_NETS:
                    del self._evaluators[next(iter(self._evaluators))]
                self._evaluators[name] = make_evaluator(
                    net, self._device, self._precision, self._threads
                )
            return self._evaluators[name]


def why_refused(greeting: Facts, wish: Facts) -> str:
    """Say why a worker may not play; "" if it may."""
    if "error" in greeting:
        return str(greeting["error"])
    theirs, ours = greeting.get("version"), wish["version"]
    if theirs != ours:
        return f"it has ludens {theirs}, not {ours}"
    if greeting.get("behaviour") != wish["behaviour"]:
        return f"it has other rules of {wish['game']}"
    return ""


def answers_of(game: Game, evaluator: NetEvaluator) -> str:
    """Return a hash of what a net says to made-up positions, to the last bit."""
    rng = numpy_rng(0, "greeting")
    shape = (NUM_ANSWERS, *game.observation_shape)
    found = evaluator(rng.random(shape, np.float32))
    return hashlib.sha256(found.logits.tobytes() + found.values.tobytes()).hexdigest()


def _rss_bytes() -> int:
    """Return the memory that this process has; 0 where nobody says."""
    with suppress(OSError):
        pages = int(Path("/proc/self/statm").read_text().split()[1])
        return pages * os.sysconf("SC_PAGE_SIZE")
    return 0


def _end_with_parent() -> None:
    """End when the raylet that started this process is gone: nobody else tells us."""
    parent = os.getppid()
    while os.getppid() == parent:
        time.sleep(_LOOK_S)
    os._exit(1)
