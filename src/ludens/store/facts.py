"""The facts of a run, with a checksum of them all, and which iterations there are."""

import hashlib
from collections.abc import Mapping

from ludens.errors import UserError
from ludens.store.database import FORMAT, Base, format_of

_HEAD, _DIGEST = "head", "digest"
_COUNTS = (
    "(SELECT max(number) FROM iterations), (SELECT count(number) FROM iterations),"
    " (SELECT max(number) FROM pending)"
)


def write_facts(base: Base, new: Mapping[str, str]) -> None:
    """Write facts and what there is beside them, in each transaction of a run."""
    facts = dict(base.rows("SELECT key, value FROM facts"))
    if facts.get(_DIGEST, _digest(facts)) != _digest(facts):
        raise UserError(f"run {base.folder} is damaged: its facts have changed")
    [counts] = base.rows(f"SELECT {_COUNTS}")
    facts |= {**new, _HEAD: repr(counts)}
    facts[_DIGEST] = _digest(facts)
    base.executemany("REPLACE INTO facts VALUES (?, ?)", facts.items())


def read_facts(base: Base) -> dict[str, str]:
    """Return the facts if they, and the iterations, are those that were written."""
    is_checked = format_of(base) == FORMAT
    counts = _COUNTS if is_checked else "0"
    rows = base.rows(f"SELECT key, value, {counts} FROM facts")
    facts = {key: value for key, value, *_ in rows}
    why = ""
    if not all(isinstance(text, str) for text in (*facts, *facts.values())):
        why = "its facts are no texts"
    elif is_checked and facts.get(_DIGEST) != _digest(facts):
        why = "its facts have changed"
    elif is_checked and facts.get(_HEAD) != repr(rows[0][2:]):
        why = "iterations are missing"
    if why:
        raise UserError(f"run {base.folder} is damaged: {why}")
    return {key: text for key, text in facts.items() if key not in (_HEAD, _DIGEST)}


def _digest(facts: Mapping[str, str]) -> str:
    known = sorted((key, text) for key, text in facts.items() if key != _DIGEST)
    return hashlib.blake2b(repr(known).encode(), digest_size=8).hexdigest()
