"""Messages as plain bytes: facts as JSON, contents beside them."""

import json
from collections.abc import Mapping, Sequence
from typing import IO, Any

from ludens.formats.strict import to_json

Facts = dict[str, Any]
_LENGTH = 8
_MAX_FACTS_BYTES = 2**28


def pack(facts: Mapping[str, Any], contents: Sequence[bytes] = ()) -> bytes:
    """Return facts and contents as one message."""
    sizes = [len(content) for content in contents]
    header = to_json({"facts": facts, "sizes": sizes}, compact=True).encode()
    return b"".join((len(header).to_bytes(_LENGTH, "little"), header, *contents))


def unpack(message: bytes) -> tuple[Facts, list[bytes]]:
    """Return facts and contents; ValueError if this is no message."""
    length = int.from_bytes(message[:_LENGTH], "little")
    if length > min(len(message) - _LENGTH, _MAX_FACTS_BYTES):
        raise ValueError("it is no message")
    try:
        header = json.loads(message[_LENGTH : _LENGTH + length])
        facts, sizes = header["facts"], header["sizes"]
    except (KeyError, TypeError, RecursionError):
        raise ValueError("its header is none") from None
    if not isinstance(facts, dict) or not isinstance(sizes, list):
        raise ValueError("its header is none")
    if not all(type(size) is int and size >= 0 for size in sizes):
        raise ValueError("it has contents of no possible size")
    if sum(sizes) != len(message) - _LENGTH - length:
        raise ValueError("its contents are not of the sizes it says")
    contents, at = [], _LENGTH + length
    for size in sizes:
        contents.append(message[at : at + size])
        at += size
    return facts, contents


def send(stream: IO[bytes], message: bytes) -> None:
    """Write a message to a pipe."""
    stream.write(len(message).to_bytes(_LENGTH, "little") + message)
    stream.flush()


def receive(stream: IO[bytes]) -> bytes | None:
    """Read a message from a pipe; None if there is no more."""
    head = stream.read(_LENGTH)
    if len(head) < _LENGTH:
        return None
    length = int.from_bytes(head, "little")
    message = stream.read(length)
    return message if len(message) == length else None
