"""Whether a cluster lets us in, and what it does: nodes, workers and their jobs."""

from collections.abc import Sequence
from dataclasses import dataclass
from queue import Empty, SimpleQueue

from ludens.cluster.address import AUTO, check_address, why_failed
from ludens.cluster.link import Link
from ludens.cluster.wire import Facts
from ludens.errors import UserError

ANSWER_S = 120.0


@dataclass(frozen=True)
class Status:
    """What was found, a row for each."""

    nodes: Sequence[Sequence[object]]
    """Name, address, cores, cores that nobody has."""
    workers: Sequence[Sequence[object]]
    """Name, version of ludens, jobs, positions of these, memory."""


def ask_status(address: str) -> Status:
    """Look at the cluster of an address."""
    facts = _ask(address, "status")
    return Status(facts["nodes"], [_row(*worker) for worker in facts["workers"]])


def knock(address: str) -> None:
    """Refuse an address without a cluster that takes our token, before all else."""
    check_address(address)
    if address != AUTO:
        _ask(address, "knock")


def _ask(address: str, what: str) -> Facts:
    """Return what a bridge finds at an address."""
    check_address(address)
    told: SimpleQueue[Facts] = SimpleQueue()

    def hear(facts: Facts, contents: Sequence[bytes]) -> None:
        if facts["event"] in ("failed", "status"):
            told.put(facts)

    wish = {"address": address, "do": what}
    link = Link(wish, b"", hear, lambda: told.put({"event": "failed"}))
    try:
        facts = told.get(timeout=ANSWER_S)
    except Empty:
        raise UserError(f"the cluster {address} does not answer") from None
    finally:
        link.close()
    if facts["event"] == "failed":
        raise UserError(why_failed(address, facts))
    return facts


def _row(name: str, facts: Facts) -> list[object]:
    memory = f"{facts.get('rss_bytes', 0) / 1e6:.0f} MB"
    jobs, positions = facts.get("jobs", "?"), facts.get("positions", 0)
    return [name, facts.get("version", "no answer"), jobs, positions, memory]
