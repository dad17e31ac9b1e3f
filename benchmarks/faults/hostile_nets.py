"""Nets that somebody made up: each is refused in a line, soon and in little memory.

Most have a right checksum, so that what is behind it is reached, too.
"""

import json
import random
from collections.abc import Iterator, Mapping
from dataclasses import asdict
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from ludens.loading.game import load_game
from ludens.nets.config import NetConfig
from ludens.nets.weights import FORMAT, Net, load_net, new_net

from .outcome import Outcome
from .refusals import why_not_refused

NUMBER = 1000
DTYPES = ("F32", "F16", "F64", "BF16", "F8_E4M3", "F8_E5M2", "I64", "BOOL", "C64", "")
Header = dict[str, Any]


def run(n: int, seed: int) -> Outcome:
    """Load made-up nets, and say of each that was not refused as it should be."""
    makers = (strange_header, strange_tensors, strange_card, strange_text, huge)
    failures = []
    with TemporaryDirectory() as folder:
        path = Path(folder) / "net.safetensors"
        for number in range(n):
            rng = random.Random(f"{seed} {number}")
            make = makers[number % len(makers)]
            path.write_bytes(make(rng))
            if why := why_not_refused(lambda: load_net(path), path.stat().st_size):
                failures.append(f"{number}: {make.__name__}: {why}")
    return Outcome("hostile_nets", n, failures)


@cache
def honest_net(model: str = "rules") -> Net:
    """Return a net as it should be."""
    game = load_game("tic_tac_toe", compiled=False)
    return new_net(game, NetConfig(trunk="mlp", blocks=1, hidden=8, model=model), 1)


def honest_parts() -> tuple[Header, bytes]:
    """Return the header of an honest net, and its data."""
    content = honest_net().to_bytes()
    start = 8 + int.from_bytes(content[:8], "little")
    return json.loads(content[8:start]), content[start:]


def file_of(header: object, content: bytes) -> bytes:
    """Return a file with some header, said in JSON unless it is a text already."""
    text = header if isinstance(header, str) else json.dumps(header)
    said = text.encode("utf-8", "surrogatepass")
    return len(said).to_bytes(8, "little") + said + content


def strange_header(rng: random.Random) -> bytes:
    """Return a file whose header makes no sense as such."""
    header, content = honest_parts()
    names = [name for name in header if name != "__metadata__"]
    victim = header[rng.choice(names)]
    change = rng.randrange(9)
    if change == 0:
        victim["dtype"] = rng.choice([*DTYPES[2:], 7, None, [], {}])
    elif change == 1:
        victim["shape"] = rng.choice(list(_strange_shapes()))
    elif change == 2:
        victim["data_offsets"] = rng.choice(
            [[0, 2**63], [-4, 0], [0], [8, 4], "0", [True, 4], [0.0, 4.0], None]
        )
    elif change == 3:
        del victim[rng.choice(list(victim))]
    elif change == 4:
        header["__metadata__"] = rng.choice([[], 7, "x", {"format": 5}, {"a": {}}])
    elif change == 5:
        header[rng.choice(["x\ud800", "\x1b[2J", "", "\0"])] = victim
    elif change == 6:
        return file_of(rng.choice(list(strange_texts())), content)
    elif change == 7:
        length = rng.choice([0, 2**63, 2**64 - 1, len(content), 10**9])
        return length.to_bytes(8, "little") + content
    else:
        return file_of(header, content[: rng.randrange(len(content))])
    return file_of(header, content)


def _strange_shapes() -> Iterator[object]:
    yield from ([2**62], [2**62, 2**62, 0], [-1], [1.5], [True], "8", None, {})
    yield from ([1] * 100, [0] * 3, [[8]], [10**30], [2**31] * 4)


def strange_texts() -> Iterator[str]:
    """Give texts that readers of JSON stumble over."""
    yield "[" * 100_000
    yield '{"a":' * 100_000
    yield '{"a":' + "1" * 100_000 + "}"
    yield '{"a":1e999999}'
    yield '{"a":NaN}'
    yield '"\\ud800"'
    yield "\0"
    yield "null"
    yield "7"
    yield "{}"
    yield '{"__metadata__":' * 5000
    yield " " * 100_000
    yield "{" + ",".join(f'"{n}":{{}}' for n in range(100_000)) + "}"


def strange_tensors(rng: random.Random) -> bytes:
    """Return a file with a right checksum whose arrays do not fit its card."""
    net = honest_net()
    name = rng.choice(sorted(net.tensors))
    array: Any = net.tensors[name].copy()
    change = rng.randrange(5)
    if change == 0:
        array.flat[rng.randrange(array.size)] = rng.choice([np.nan, np.inf, -np.inf])
    elif change == 1:
        array = array.astype(rng.choice(["f8", "i4", "u1", "?", "i8"]))
    elif change == 2:
        array = array[..., :-1]
    elif change == 3:
        array = array.reshape(1, *array.shape)
    tensors: dict[str, Any] = {**net.tensors, name: array}
    if change == 4:
        del tensors[name]
    return signed(tensors, asdict(net.card))


def signed(tensors: Mapping[str, Any], card: object) -> bytes:
    """Return a net file with a right checksum; a card may be a text."""
    text = card if isinstance(card, str) else json.dumps(card)
    return FORMAT.pack(tensors, {"card": text})


def strange_card(rng: random.Random) -> bytes:
    """Return a file with a right checksum whose card makes no sense."""
    net = honest_net(rng.choice(["rules", "learned"]))
    card = asdict(net.card)
    place = rng.choice([card, card["sizes"], card["config"], card["options"]])
    if place is card["options"]:
        fit = (-1, 1e300)  # an option may be any number
        unfit = [value for value in strange_values() if value not in fit]
        place[rng.choice(["x", "\x1b[2J", "y" * 10**6])] = rng.choice(unfit)
        return signed(net.tensors, card)
    key = rng.choice(sorted(place))
    place[key] = rng.choice([v for v in strange_values() if v != place[key]])
    return signed(net.tensors, card)


def strange_values() -> list[Any]:
    """Return what no field of a card may be."""
    deep: Any = []
    for _ in range(500):
        deep = [deep]
    return [
        *(None, [], deep, {"a": deep}, -1, 10**4000, 1e300, float("nan")),
        *(float("inf"), "\x1b]0;x\x07", "a\nb", "\u202e", "z" * 10**6, [["x"]]),
    ]


def strange_text(rng: random.Random) -> bytes:
    """Return a file with a right checksum whose card is no card at all."""
    texts = [text for text in strange_texts() if "\ud800" not in text]
    return signed(honest_net().tensors, rng.choice(texts))


def huge(rng: random.Random) -> bytes:
    """Return a small file that speaks of large arrays, or has many small ones."""
    net = honest_net()
    card = asdict(net.card)
    if rng.random() < 0.5:
        sizes = card["sizes"]
        sizes[rng.choice(sorted(set(sizes) - {"players"}))] = rng.randint(100, 100_000)
        card["config"]["hidden"] = 4096
        return signed(net.tensors, card)
    many = {f"{n}": np.zeros(1, np.float32) for n in range(rng.randint(100, 20_000))}
    return signed(many, card)
