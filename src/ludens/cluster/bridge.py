"""The one process that knows Ray: it gives jobs to workers and hands back results.

A training starts it and talks to it over pipes. When the head of a cluster dies, Ray
ends the process that has connected to it without a word; this one may be ended.
"""

import os
import sys
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from queue import Empty, SimpleQueue
from typing import Any, BinaryIO

from ludens.cluster.nodes import STORE_BYTES, SYSTEM
from ludens.cluster.schedule import Schedule
from ludens.cluster.wire import Facts, pack, receive, send, unpack
from ludens.cluster.worker import Worker, why_refused
from ludens.store.stage import MOST_GAMES

try:
    import ray
    from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy
except ImportError as error:  # what is installed is not whole, or does not fit
    if __name__ == "__main__":
        why = f"Ray cannot be imported: {error}"
        facts = {"event": "failed", "why": why, "kind": type(error).__name__}
        send(sys.stdout.buffer, pack(facts))
    raise

NAMESPACE = "ludens"
TICK_S = 0.05
"""How long to wait for results before looking for wishes."""
NODES_S, POLL_S = 1.0, 2.0
"""How often nodes are looked for, and workers asked how far they are."""
SILENT_S = 30.0
"""A worker that does not answer for so long is given up."""
REST_S, MOST_REST_S = 1.0, 30.0
"""How long a node rests after its worker has died, twice as long each time."""
ANSWER_S = 20.0
"""How long a worker may take to tell its status."""
MAX_HEARD_BYTES = 2**24
"""Of a greeting, or of what a worker tells while it plays."""
Tell = Callable[..., None]


@dataclass
class Hand:
    """A worker: its process, its node, and what it was asked last."""

    name: str
    actor: Any
    node: str
    threads: int
    is_ready: bool = False
    asked_s: float = 0.0
    """When it was asked how far it is; 0: it has answered."""


@dataclass
class Bridge:
    """Workers on all nodes of a cluster, and the jobs they play."""

    wish: Facts
    net: bytes
    tell: Tell
    schedule: Schedule = field(default_factory=Schedule)
    hands: dict[str, Hand] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._jobs: dict[int, tuple[bytes, list[str], int]] = {}
        self._nets: dict[str, Any] = {}
        self._asked: dict[Any, tuple[str, str, int]] = {}
        """What is under way: kind of question, worker, job."""
        self._refused: set[str] = set()
        self._rests: dict[str, tuple[float, float]] = {}
        """Nodes that rest: until when, and how long the next time."""
        self._num_made = 0
        self._nodes_s = self._poll_s = 0.0
        self._make: Any = ray.remote(Worker)

    def heed(self, message: bytes) -> None:
        """Do what the training wants."""
        facts, contents = unpack(message)
        match facts["do"]:
            case "job":
                number = facts["id"]
                self._jobs[number] = (contents[0], facts["nets"], facts["max_bytes"])
                self.schedule.add(number)
            case "net":
                self._nets[facts["name"]] = ray.put(contents[0])
            case "forget":
                for name in facts["names"]:
                    self._nets.pop(name, None)
            case "drop":
                for number in facts["ids"]:
                    self.schedule.drop(number)
                    self._jobs.pop(number, None)
            case "refuse":
                self._refuse(facts["worker"], facts["why"])

    def turn(self) -> None:
        """Look after nodes and workers, give out jobs, take in what is done."""
        now_s = time.monotonic()
        if now_s - self._nodes_s > NODES_S:
            self._nodes_s = now_s
            self._look_at_nodes(now_s)
        if now_s - self._poll_s > POLL_S:
            self._poll_s = now_s
            self._poll(now_s)
        while given := self.schedule.next(now_s):
            self._give(*given)
        if not self._asked:
            time.sleep(TICK_S)
            return
        under_way = list(self._asked)
        done, _ = ray.wait(under_way, timeout=TICK_S)  # for the first, then all others
        done += ray.wait(under_way, num_returns=len(under_way), timeout=0)[0]
        for ref in done:
            if ref in self._asked:  # else its worker was just given up
                self._take(ref, *self._asked.pop(ref))

    def _look_at_nodes(self, now_s: float) -> None:
        """Make the workers that are missing on nodes that are there."""
        able = [node for node in nodes() if node["Resources"].get("CPU", 0) >= 1]
        for node, quota in zip(able, self._quotas(len(able)), strict=True):
            name = node["NodeID"]
            until_s, _ = self._rests.get(name, (0.0, 0.0))
            there = sum(hand.node == name for hand in self.hands.values())
            if name in self._refused or now_s < until_s:
                continue
            for _ in range(quota - there):
                self._hire(node, quota)

    def _quotas(self, num_nodes: int) -> list[int]:
        """Return how many workers each node has: one, or its part of those wanted."""
        wanted = self.wish["workers"] or num_nodes
        return [
            wanted // num_nodes + (i < wanted % num_nodes) for i in range(num_nodes)
        ]

    def _hire(self, node: Facts, quota: int) -> None:
        cpus, gpus = (int(node["Resources"].get(kind, 0)) for kind in ("CPU", "GPU"))
        threads = min(self.wish["threads"] or max(1, cpus // quota), cpus)
        self._num_made += 1
        name = f"{node['NodeManagerHostname']}-{self._num_made}"
        wants_gpu = gpus > 0 and self.wish["device"] in ("auto", "cuda")
        actor = self._make.options(
            num_cpus=threads,
            num_gpus=gpus / quota if wants_gpu else 0,
            max_restarts=0,
            max_concurrency=threads + 2,
            scheduling_strategy=NodeAffinitySchedulingStrategy(node["NodeID"], False),
            name=f"{name} {os.getpid()}",
        ).remote(self.wish["device"], self.wish["precision"], threads)
        self.hands[name] = Hand(name, actor, node["NodeID"], threads)
        question = {name: self.wish[name] for name in ("game", "behaviour")}
        greeting = actor.greet.remote(pack(question), self.net)
        self._asked[greeting] = ("greet", name, 0)

    def _poll(self, now_s: float) -> None:
        """Ask the workers how far they are; give up those that do not answer.

        All together show a few games, so that it costs the same for any number.
        """
        games = -(-MOST_GAMES // max(1, len(self.hands)))
        for index, hand in enumerate(list(self.hands.values())):
            if hand.asked_s and now_s - hand.asked_s > SILENT_S:
                self._lose(hand.name, f"it has not answered for {SILENT_S:.0f} s")
            elif hand.is_ready and not hand.asked_s:
                hand.asked_s = now_s
                shown = games if index < MOST_GAMES else 0
                asked = hand.actor.progress.remote(shown)
                self._asked[asked] = ("poll", hand.name, 0)

    def _give(self, worker: str, number: int) -> None:
        job, nets, _ = self._jobs[number]
        refs = [self._nets[name] for name in nets]
        ref = self.hands[worker].actor.play.remote(job, *refs)
        self._asked[ref] = ("play", worker, number)
        if self.schedule.is_twice(number):
            self.tell("twice", id=number)

    def _take(self, ref: Any, kind: str, worker: str, number: int) -> None:
        """Take what a worker has answered, or that it is dead."""
        try:
            answer = ray.get(ref)
        except ray.exceptions.RayError as error:
            if worker in self.hands:
                self._lose(worker, _first_line(error))
            return
        if not isinstance(answer, bytes):
            self._refuse(worker, "it does not answer with bytes")
        elif kind == "play":
            self._played(worker, number, answer)
        elif worker in self.hands:
            self._heard(kind, worker, answer)

    def _heard(self, kind: str, worker: str, answer: bytes) -> None:
        """Take a greeting, or how far a worker is."""
        try:
            if len(answer) > MAX_HEARD_BYTES:
                raise ValueError(f"it says {len(answer):,} bytes of itself")
            facts, _ = unpack(answer)
        except ValueError as error:
            self._refuse(worker, str(error))
            return
        self._greeted(worker, facts) if kind == "greet" else self._polled(worker, facts)

    def _greeted(self, worker: str, facts: Facts) -> None:
        """Let a worker begin if it has the same version and rules."""
        hand = self.hands[worker]
        if why := why_refused(facts, self.wish):
            self._refuse(worker, why)
            return
        hand.is_ready = True
        self.schedule.join(worker, hand.threads)
        self.tell("joined", worker=worker, threads=hand.threads, greeting=facts)

    def _polled(self, worker: str, facts: Facts) -> None:
        self.hands[worker].asked_s = 0.0
        self.tell("progress", worker=worker, figures=facts)

    def _played(self, worker: str, number: int, answer: bytes) -> None:
        """Hand over the first result of a job."""
        if not self.schedule.finish(worker, number, time.monotonic()):
            return
        _, _, max_bytes = self._jobs.pop(number)
        if len(answer) > max_bytes:
            why = f"{len(answer):,} bytes, where {max_bytes:,} are possible"
            answer = pack({"error": why})
        if worker in self.hands:
            self._rests.pop(self.hands[worker].node, None)
        self.tell("played", answer, id=number, worker=worker)

    def _lose(self, worker: str, why: str) -> None:
        """Let others play what a worker played; its node rests before the next."""
        hand = self._dismiss(worker)
        if hand is None:
            return
        _, rest_s = self._rests.get(hand.node, (0.0, REST_S))
        until_s = time.monotonic() + rest_s
        self._rests[hand.node] = (until_s, min(2 * rest_s, MOST_REST_S))
        self.tell("left", worker=worker, why=why)

    def _refuse(self, worker: str, why: str) -> None:
        """Have nothing more to do with a worker and its node."""
        hand = self._dismiss(worker)
        if hand is not None:
            self._refused.add(hand.node)
            self.tell("refused", worker=worker, why=why)

    def _dismiss(self, worker: str) -> Hand | None:
        hand = self.hands.pop(worker, None)
        if hand is not None:
            self.schedule.leave(worker)
            self._asked = {r: a for r, a in self._asked.items() if a[1] != worker}
            ray.kill(hand.actor)
        return hand


def connect(wish: Facts) -> None:
    """Join the cluster of an address, or start one on this machine."""
    quiet: dict[str, Any] = {
        "namespace": NAMESPACE,
        "log_to_driver": False,
        "logging_level": "CRITICAL",
        "include_dashboard": None,
    }
    if wish["address"] != "auto":
        knock(wish["address"])
        ray.init(address=wish["address"], **quiet)
        return
    quiet["include_dashboard"] = False
    ray.init(
        num_cpus=wish["num_cpus"],
        object_store_memory=STORE_BYTES,
        _system_config=SYSTEM,
        _temp_dir=wish["folder"],
        **quiet,
    )


def knock(address: str) -> None:
    """Ask a cluster whether it takes our token; joining asks for 20 seconds."""
    raylet: Any = ray._raylet
    raylet.GcsClient(address=address)


def nodes() -> list[Facts]:
    """Return the nodes that are there, always in one order."""
    found: list[Facts] = ray.nodes()  # type: ignore[no-untyped-call]
    alive = (node for node in found if node["Alive"])
    return sorted(alive, key=lambda node: str(node["NodeID"]))


def _node_rows() -> Iterator[list[Any]]:
    """Give name, address, cores and free cores of each node."""
    known: Any = ray._private.state
    free = known.available_resources_per_node()
    for node in nodes():
        cores = node["Resources"].get("CPU", 0)
        left = free.get(node["NodeID"], {}).get("CPU", 0)
        name, address = node["NodeManagerHostname"], node["NodeManagerAddress"]
        yield [name, address, int(cores), int(left)]


def _worker_rows() -> Iterator[list[Any]]:
    """Give the name of each worker, of any training, and what it tells."""
    for known in ray.util.list_named_actors(all_namespaces=True):
        if known["namespace"] != NAMESPACE:
            continue
        try:
            actor: Any = ray.get_actor(known["name"], NAMESPACE)
            answer = ray.get(actor.progress.remote(), timeout=ANSWER_S)
            yield [known["name"], unpack(answer)[0]]
        except (ray.exceptions.RayError, ValueError):
            yield [known["name"], {}]


def _first_line(error: BaseException) -> str:
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return (lines[0] if lines else type(error).__name__)[:200]


def _read(stream: BinaryIO) -> Iterator[bytes]:
    while (message := receive(stream)) is not None:
        yield message


def main() -> None:
    """Serve a training until its pipe ends."""
    source, sink = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # whatever Ray prints is no message
    opening = receive(source)
    if opening is None:
        return
    wish, contents = unpack(opening)
    inbox: SimpleQueue[bytes | None] = SimpleQueue()

    def tell(event: str, *contents: bytes, **facts: Any) -> None:
        send(sink, pack({"event": event, **facts}, contents))

    def listen() -> None:
        for message in _read(source):
            inbox.put(message)
        inbox.put(None)

    threading.Thread(target=listen, daemon=True).start()
    try:
        if wish.get("do") == "knock":
            knock(wish["address"])
            tell("status")
            return
        connect(wish)
    except Exception as error:
        tell("failed", why=_first_line(error), kind=type(error).__name__)
        return
    if wish.get("do") == "status":
        tell("status", nodes=list(_node_rows()), workers=list(_worker_rows()))
        return
    tell("ready", nodes=len(nodes()))
    _serve(Bridge(wish, contents[0], tell), inbox)


def _serve(bridge: Bridge, inbox: "SimpleQueue[bytes | None]") -> None:
    try:
        while True:
            try:
                message = inbox.get_nowait()
            except Empty:
                bridge.turn()
                continue
            if message is None:
                return
            bridge.heed(message)
    except BrokenPipeError:
        return
    except Exception as error:
        kind = type(error).__name__
        bridge.tell("failed", why=f"{kind}: {_first_line(error)}", kind=kind)
    finally:
        for hand in bridge.hands.values():
            ray.kill(hand.actor)
        ray.shutdown()


if __name__ == "__main__":
    try:
        main()
    except BrokenPipeError:  # the training is gone
        ray.shutdown()
    finally:
        os._exit(0)  # Ray's threads may not end by themselves
