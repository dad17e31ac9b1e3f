"""A training's side of a cluster: it gives out tasks and takes back what was played.

Whatever becomes of workers or of the whole cluster, the tasks are done: by other
workers, or here.
"""

import threading
import time
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import asdict, dataclass, field
from importlib.metadata import version
from queue import Empty, SimpleQueue
from threading import Event
from typing import Any, Generic, Protocol, TypeVar

from ludens.cluster.address import MOST_WORDS, ClusterWish, check_address, why_failed
from ludens.cluster.jobs import portable_spec
from ludens.cluster.ledger import Ledger
from ludens.cluster.link import BRIDGE, Link
from ludens.cluster.wire import Facts, unpack
from ludens.cluster.worker import answers_of
from ludens.cores import num_cores
from ludens.errors import UserError
from ludens.formats.words import plural, printable
from ludens.infer.evaluator import make_evaluator
from ludens.loading.game import Game
from ludens.nets.weights import Net
from ludens.selfplay.share import RUNNING
from ludens.store.stage import GameSeen, games_of
from ludens.store.workers import HERE

T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)
START_S = 180.0
"""How long a cluster may take to answer."""
PATIENCE_S = 60.0
"""How long to wait for the first worker before playing here."""
RETRY_S = 10.0
"""How long to wait before a cluster that is gone is called again."""
TICK_S = 0.1


class Task(Protocol[T_co]):
    """Something to play, there or here, with the same outcome."""

    @property
    def nets(self) -> Mapping[str, bytes]:
        """The nets that it needs, by name."""

    @property
    def max_bytes(self) -> int:
        """The most that an honest worker can answer."""

    def to_bytes(self) -> bytes:
        """Return it as a job."""

    def read(self, content: bytes) -> tuple[T_co, Facts]:
        """Return what a worker brought, and figures; ValueError if it cannot be."""

    def play(self, stop: Event) -> T_co:
        """Play it here."""


@dataclass
class _Spread(Generic[T]):
    """Tasks that are being played, known by their places."""

    tasks: Sequence[Task[T]]
    left: set[int]
    ledger: Ledger
    places: dict[int, int] = field(default_factory=dict)
    """By the numbers of jobs."""
    failed: set[int] = field(default_factory=set)
    """Those with which a worker has failed: they are played here."""
    answers: "SimpleQueue[tuple[int, str, bytes]]" = field(default_factory=SimpleQueue)
    """Job, worker and what it brought."""
    link: Link | None = None
    """To which the jobs were given."""


class Cluster:
    """Workers to play with, from the start until it is closed."""

    def __init__(
        self,
        wish: ClusterWish,
        game: Game,
        net: Net | None,
        threads: int = 1,
        bridge: Sequence[str] = BRIDGE,
    ) -> None:
        check_address(wish.address)
        self.wish, self.game = wish, game
        self.workers: dict[str, Facts] = {}
        """Those that play, with their greetings."""
        self._threads, self._bridge = threads, bridge
        self._net = b"" if net is None else net.to_bytes()
        self._answers = "" if net is None else self._own_answers(net)
        self._lock = threading.RLock()
        self._say: Callable[[str], None] | None = None
        self._unsaid: list[str] = []
        self._running: dict[str, Facts] = {}
        self._seen: dict[str, list[GameSeen]] = {}
        """Games of workers as they stood a moment ago."""
        self._spreads: dict[int, _Spread[Any]] = {}
        self._ledgers: list[Ledger] = []
        self._nets: set[str] = set()
        self.num_asked = 0
        """Jobs that were given to the bridge so far."""
        self._is_ready = self._had_workers = self._is_other = False
        self._why_alone = ""
        """Why everything is played here, as it was said; "": it is not."""
        self._changed_s = time.monotonic()
        self._failure, self._answered = "", Event()
        self._link: Link | None = None
        self._open()

    def __enter__(self) -> "Cluster":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Let the cluster go, and end one that was started here."""
        if self._link is not None:
            self._link.close()

    @property
    def is_playing(self) -> bool:
        """Whether tasks are under way."""
        return bool(self._ledgers)

    def games_seen(self) -> list[GameSeen]:
        """Return some games of workers as they stood a moment ago."""
        with self._lock:
            return [game for games in self._seen.values() for game in games]

    def tell(self, say: Callable[[str], None]) -> None:
        """Say what there is to say of workers from now on, and what was so far."""
        with self._lock:
            self._say = say
            while self._unsaid:
                say(self._unsaid.pop(0))

    def spread(
        self,
        tasks: Sequence[Task[T]],
        should_stop: Callable[[], bool] = lambda: False,
        on_progress: Callable[[Facts], None] = lambda facts: None,
        ledger: Ledger | None = None,
    ) -> Generator[tuple[int, T], None, None]:
        """Play tasks wherever there is somebody; give places and outcomes.

        The ledger says then who has done what.
        """
        spread = _Spread(tasks, set(range(len(tasks))), ledger or Ledger())
        self._begin(spread.ledger)
        stop, here = Event(), dict[Future[T], int]()
        with ThreadPoolExecutor(self._threads) as pool:
            try:
                while spread.left and not should_stop():
                    self._give(spread)
                    for place in self._for_here(spread, set(here.values())):
                        here[pool.submit(tasks[place].play, stop)] = place
                    on_progress(self._progress())
                    yield from self._done_here(spread, here)
                    yield from self._arrived(spread)
            finally:
                stop.set()
                self._forget(spread)

    def _begin(self, ledger: Ledger) -> None:
        with self._lock:
            self._ledgers.append(ledger)
            for worker, about in self.workers.items():
                ledger.enter(worker, about["threads"])

    def _give(self, spread: _Spread[T]) -> None:
        """Give the bridge all that is left, again if it is another one."""
        with self._lock:
            link = self._link
            if link is None:
                if time.monotonic() - self._changed_s > RETRY_S:
                    self._start()
            elif self._is_ready and spread.link is not link:
                spread.link = link
                for place in sorted(spread.left):
                    self._ask(link, spread, place)

    def _ask(self, link: Link, spread: _Spread[T], place: int) -> None:
        """Give a bridge one task, and the nets that it needs."""
        task = spread.tasks[place]
        for name, content in task.nets.items():
            if name not in self._nets:
                self._nets.add(name)
                link.send({"do": "net", "name": name}, [content])
        number = self.num_asked
        self.num_asked += 1
        spread.places[number] = place
        self._spreads[number] = spread
        facts = {"do": "job", "id": number, "nets": list(task.nets)}
        link.send({**facts, "max_bytes": task.max_bytes}, [task.to_bytes()])

    def _forget(self, spread: _Spread[T]) -> None:
        """Forget tasks, and nets that nobody needs any more."""
        with self._lock:
            self._ledgers.remove(spread.ledger)
            spread.ledger.close()
            for number in spread.places:
                self._spreads.pop(number, None)
            if self._link is None:
                return
            # Some may wait there though they are done: they were played here.
            self._link.send({"do": "drop", "ids": list(spread.places)})
            if not self._spreads:
                self._link.send({"do": "forget", "names": list(self._nets)})
                self._nets.clear()

    def _for_here(self, spread: _Spread[T], under_way: set[int]) -> list[int]:
        """Return tasks to begin with here: any if there are no workers."""
        wanted = spread.left if self._plays_alone() else spread.left & spread.failed
        free = self._threads - len(under_way)
        return sorted(wanted - under_way, reverse=True)[: max(0, free)]

    def _plays_alone(self) -> bool:
        """Tell whether nobody else plays; say so when that changes."""
        with self._lock:
            waited_s = time.monotonic() - self._changed_s
            why = ""
            if self.workers:
                pass
            elif not self._is_ready:
                why = "the cluster is gone"
            elif self._had_workers:
                why = "all workers are gone"
            elif waited_s > PATIENCE_S:
                why = f"no worker has come for {PATIENCE_S:.0f} s"
            if why and why != self._why_alone:
                self._tell(f"{why}: playing here until one comes")
            self._why_alone = why
            return why != ""

    def _done_here(
        self, spread: _Spread[T], here: dict[Future[T], int]
    ) -> Generator[tuple[int, T], None, None]:
        for future in [future for future in here if future.done()]:
            place, outcome = here.pop(future), future.result()
            if place in spread.left:
                spread.left.discard(place)
                spread.ledger.count(HERE, {})
                yield place, outcome

    def _arrived(self, spread: _Spread[T]) -> Generator[tuple[int, T], None, None]:
        """Give what a worker has brought, the first time; what cannot be is refused."""
        try:
            number, worker, content = spread.answers.get(timeout=TICK_S)
        except Empty:
            return
        place = spread.places.get(number, -1)
        if place not in spread.left:
            return
        try:
            if error := unpack(content)[0].get("error"):
                raise ValueError(printable(str(error))[:MOST_WORDS])
            outcome, brought = spread.tasks[place].read(content)
        except ValueError as error:
            spread.failed.add(place)
            with self._lock:
                if self._link is not None:
                    facts = {"do": "refuse", "worker": worker, "why": str(error)}
                    self._link.send(facts)
            return
        spread.left.discard(place)
        with self._lock:
            spread.ledger.count(worker, brought)
        yield place, outcome

    def _progress(self) -> Facts:
        """Return what is being played now, in sums."""
        with self._lock:
            running = list(self._running.values())
        return {name: sum(one.get(name, 0) for one in running) for name in RUNNING}

    def _own_answers(self, net: Net) -> str:
        wish = self.wish
        return answers_of(self.game, make_evaluator(net, wish.device, wish.precision))

    def _open(self) -> None:
        """Start the bridge; what is wrong with the cluster is the user's to know."""
        self._start()
        try:
            if not self._answered.wait(START_S):
                self._failure = f"the cluster {self.wish.address} does not answer"
            if self._failure:
                raise UserError(self._failure)
        except BaseException:  # Ctrl-C, too
            self.close()
            raise

    def _start(self) -> None:
        wish = {
            **asdict(self.wish),
            "num_cpus": max(num_cores(), self.wish.workers),
            "game": portable_spec(self.game),
            "behaviour": self.game.behaviour,
            "version": version("ludens"),
        }
        self._nets.clear()
        self._link = Link(wish, self._net, self._hear, self._hear_end, self._bridge)

    def _hear_end(self) -> None:
        """Take note that the bridge has ended, and the cluster with it."""
        with self._lock:
            self._link, self._is_ready = None, False
            self._changed_s = time.monotonic()
            for ledger in self._ledgers:
                ledger.close()
            self.workers.clear()
            self._running.clear()
            self._seen.clear()
            if not self._answered.is_set():
                self._failure = self._failure or "the bridge to Ray has ended"
                self._answered.set()

    def _hear(self, facts: Facts, contents: Sequence[bytes]) -> None:
        """Take note of what the bridge tells."""
        with self._lock:
            event, worker = facts["event"], str(facts.get("worker", ""))
            if event == "ready":
                self._is_ready, self._had_workers = True, False
                self._changed_s = time.monotonic()
                self._answered.set()
            elif event == "failed":
                self._fail(why_failed(self.wish.address, facts))
            elif event == "joined":
                self._welcome(worker, facts["threads"], facts["greeting"])
            elif event in ("left", "refused"):
                self._part(worker, event, facts["why"])
            elif event == "progress":
                self._note_progress(worker, facts["figures"])
            elif event == "twice" and facts["id"] in self._spreads:
                self._spreads[facts["id"]].ledger.num_twice += 1
            elif event == "played" and facts["id"] in self._spreads:
                answer = (facts["id"], worker, contents[0])
                self._spreads[facts["id"]].answers.put(answer)

    def _note_progress(self, worker: str, told: Facts) -> None:
        """Keep what a worker tells of itself, as far as it makes sense."""
        counts = {name: told.get(name) for name in RUNNING}
        self._running[worker] = {
            name: n for name, n in counts.items() if type(n) is int and 0 <= n < 2**53
        }
        try:
            self._seen[worker] = games_of(told.get("seen", []))
        except ValueError:
            self._seen.pop(worker, None)

    def _tell(self, line: str) -> None:
        self._unsaid.append(line) if self._say is None else self._say(line)

    def _fail(self, why: str) -> None:
        if self._answered.is_set() and why != self._failure:
            self._tell(why)
        self._failure = why

    def _welcome(self, worker: str, threads: int, greeting: Facts) -> None:
        self.workers[worker] = {"threads": threads, **greeting}
        for ledger in self._ledgers:
            ledger.enter(worker, threads)
        self._had_workers, self._why_alone = True, ""
        device = printable(str(greeting.get("device", "cpu")))
        where = f"{plural(threads, 'thread')}, {device}"
        self._tell(f"worker {worker} has come ({where})")
        is_other = self._answers and greeting.get("answers") != self._answers
        if is_other and not self._is_other:
            self._is_other = True
            self._tell(
                f"the net answers otherwise on {worker} (another CPU, device or"
                " precision): what it plays is not the same to the byte"
            )

    def _part(self, worker: str, event: str, why: str) -> None:
        self.workers.pop(worker, None)
        self._running.pop(worker, None)
        self._seen.pop(worker, None)
        for ledger in self._ledgers:
            ledger.leave(worker)
        how = "is gone" if event == "left" else "is refused"
        self._tell(f"worker {worker} {how}: {printable(why)}")


def in_order(found: Iterable[tuple[int, T]]) -> Iterator[T]:
    """Give outcomes in the order of their places, each as soon as it can be."""
    early: dict[int, T] = {}
    due = 0
    for place, outcome in found:
        early[place] = outcome
        while due in early:
            yield early.pop(due)
            due += 1
