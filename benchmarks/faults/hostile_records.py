"""Records that somebody made up: each is refused in a line, soon."""

import json
import random
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from ludens.formats.record import Record, load_record
from ludens.formats.words import turns
from ludens.loading.game import Game, load_game
from ludens.state import State

from .hostile_nets import strange_texts, strange_values
from .outcome import Outcome
from .refusals import why_not_refused

NUMBER = 100_000
MUCH = 30_000
"""Steps or edits of a record that is too long."""


def run(n: int, seed: int) -> Outcome:
    """Read made-up records; say of each that was let in."""
    failures = []
    with TemporaryDirectory() as folder:
        path = Path(folder) / "game.json"
        for number in range(n):
            rng = random.Random(f"{seed} {number}")
            make = rng.choice(RECORDS)
            path.write_bytes(make(rng))
            if why := why_not_refused(lambda: read_record(path), path.stat().st_size):
                failures.append(f"{number}: {make.__name__}: {why}")
    return Outcome("hostile_records", n, failures)


def read_record(path: Path) -> None:
    """Read a record as commands do: load it, replay it, name its steps.

    The game that it should be of is loaded once for all.
    """
    record = load_record(path)
    is_usual = record.game == _game().name and not record.options
    game = _game() if is_usual else record.load_game()
    record.replay(game)
    for _ in turns(game, record.history):
        pass


@cache
def _game() -> Game:
    return load_game("tic_tac_toe")


def honest_record(rng: random.Random) -> dict[str, Any]:
    """Return the record of a game at random."""
    state = State(_game())
    for _ in range(rng.randint(2, 9)):
        if not state.is_over:
            state.apply(rng.choice(state.legal_actions()))
    return Record.of(state).model_dump(exclude_none=True)


def _bytes(record: object) -> bytes:
    return json.dumps(record).encode()


def strange_history(rng: random.Random) -> bytes:
    """Return a record with a step that cannot be."""
    record = honest_record(rng)
    steps = record["history"]
    strange = [9, -1, steps[0], 2**31, 2**63, 10**300, 1.5, True, None, [], {}, "x"]
    strange += ["", "a1 a1 a1", "\x1b[2J", "x" * 100_000, *strange_values()]
    steps.insert(rng.randint(1, len(steps)), rng.choice(strange))
    return _bytes(record)


def strange_field(rng: random.Random) -> bytes:
    """Return a record with a field that makes no sense."""
    record = honest_record(rng)
    fields = ("format", "game", "options", "players", "history", "result", "more")
    field = rng.choice(fields)
    record[field] = rng.choice(strange_values())
    if field in ("players", "result") or record[field] == []:
        record["history"] = [4, 4]  # a name may be anything, and no claim is one
    return _bytes(record)


def strange_name(rng: random.Random) -> bytes:
    """Return a record of a game that is not listed."""
    names = [
        "/etc/passwd",
        "x.py",
        "../games/gomoku",
        "os",
        "\x1b[2J",
        "a:b",
        "",
        "g\0",
    ]
    return _bytes(honest_record(rng) | {"game": rng.choice([*names, "gomoku" * 9999])})


def strange_option(rng: random.Random) -> bytes:
    """Return a record with an option that its game does not have."""
    options = {rng.choice(["size", "\x1b", "z" * 99_999]): rng.choice([1e400, "x", -1])}
    return _bytes(honest_record(rng) | {"options": options})


def too_long(rng: random.Random) -> bytes:
    """Return a record that would take minutes."""
    step = rng.choice([4, "to_play second", "set a1 first", [], {}, "x"])
    record = honest_record(rng)
    record[rng.choice(["history", "players"])] = [step] * (MUCH + rng.randrange(MUCH))
    return _bytes(record)


def torn(rng: random.Random) -> bytes:
    """Return a record that is cut, or has a byte changed so that it is no JSON."""
    content = bytearray(_bytes(honest_record(rng)))
    if rng.random() < 0.5:
        return bytes(content[: rng.randrange(len(content))])
    content[rng.randrange(len(content))] = rng.choice([0, 0xFF, 0x80, 0x1B])
    return bytes(content)


def no_record(rng: random.Random) -> bytes:
    """Return a text that readers of JSON stumble over."""
    return rng.choice(list(strange_texts())).encode("utf-8", "surrogatepass")


RECORDS = (
    *(strange_history, strange_field, strange_name, strange_option) * 20,
    *(too_long, no_record),
    *(torn,) * 80,
)
"""What is made up, the slow ones seldom."""
