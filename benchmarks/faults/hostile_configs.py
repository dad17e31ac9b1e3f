"""Settings that somebody made up: each is refused in a line, soon, or makes sense."""

import random
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

from ludens.loading.game import Game, load_game
from ludens.nets.weights import new_net
from ludens.settings import options_of
from ludens.training.config import SECTIONS, read_config, to_toml

from .outcome import Outcome
from .refusals import why_not_refused

NUMBER = 10_000


def run(n: int, seed: int) -> Outcome:
    """Read made-up settings; say of each that was let in, or took too much."""
    failures = []
    with TemporaryDirectory() as folder:
        path = Path(folder) / "my.toml"
        for number in range(n):
            rng = random.Random(f"{seed} {number}")
            make = rng.choice(MAKERS)
            path.write_bytes(make(rng))
            may_pass, size = make in MAY_PASS, path.stat().st_size
            if why := why_not_refused(lambda: read_settings(path), size, may_pass):
                failures.append(f"{number}: {make.__name__}: {why}")
            if [*Path(folder).iterdir()] != [path]:
                failures.append(f"{number}: {make.__name__}: other files were written")
    return Outcome("hostile_configs", n, failures)


def read_settings(path: Path) -> None:
    """Read settings and make a net, as a training does."""
    new_net(_game(), read_config(_game(), toml=path).net, 1)


@cache
def _game() -> Game:
    return load_game("tic_tac_toe", compiled=False)


def strange_text(rng: random.Random) -> bytes:
    """Return a text that readers of TOML stumble over."""
    texts = [
        "a = " + "[" * 20_000,
        "a = " + "{b=" * 10_000,
        ".".join("a" * 20_000) + " = 1",
        "[" + ".".join("a" * 20_000) + "]",
        "seed = " + "1" * 40_000,
        "seed = 0x" + "f" * 40_000,
        "[learn]\nlr = [0x" + "f" * 9_999 + "]",
        "[learn]\n" + "x" * 40_000 + " = 1",
        "game = '\\u001b[2J'",
        'preset = "\\u001b[2J"',
        "[[net]]\nblocks = 3",
        "x" * 60_000,
        "\0",
        "\ufeffseed = 1",
        "[net]\nblocks = 0b" + "1" * 40_000,
        "".join(f"[a{n}]\n" for n in range(5_000)),
    ]
    return rng.choice(texts).encode()


def strange_value(rng: random.Random) -> bytes:
    """Return a setting that is nothing which any setting may be."""
    value = rng.choice(
        [
            *("nan", "-inf", "1e999", "1979-05-27", "07:32:00", "[]", "[[1], {}]"),
            *("{}", "{a = 1}", '"\\u001b]0;x\\u0007"', '"a\\nb"', '"\\u202e"', '""'),
            *("1" + "0" * 4000, "0x" + "f" * 4000, f"'{'z' * 40_000}'", "-1e300"),
        ]
    )
    return _setting(rng, value)


def odd_value(rng: random.Random) -> bytes:
    """Return a setting that some setting may be."""
    numbers = ("-1", "0", "1", "0.5", "-0.0", "1e-320", "2147483648", "1e18", "7e300")
    return _setting(rng, rng.choice([*numbers, "true", "'puct'", "'1'", "'True'"]))


def _setting(rng: random.Random, value: str) -> bytes:
    section = rng.choice(sorted(SECTIONS))
    name = rng.choice(sorted(options_of(SECTIONS[section])))
    return f"[{section}]\n{name} = {value}\n".encode()


def strange_name(rng: random.Random) -> bytes:
    """Return a setting that does not exist."""
    names = ["x", '"\\u001b[2J"', '""', "__class__", "__init__", '"' + "n" * 9999 + '"']
    section = rng.choice([*sorted(SECTIONS), *names])
    return f"[{section}]\n{rng.choice(names)} = 1\n".encode()


def too_large(rng: random.Random) -> bytes:
    """Return settings of a net for which no memory is enough."""
    sizes = [
        *(
            "blocks = 100\nchannels = 4096",
            "trunk = 'mlp'\nblocks = 100\nhidden = 4096",
        ),
        *("layers = 100\nchannels = 4096", "model = 'learned'\nchannels = 4096"),
    ]
    blocks = rng.choice(["", "dynamics = 100\n"])
    return f"[net]\n{blocks}{rng.choice(sizes)}\n".encode()


def torn(rng: random.Random) -> bytes:
    """Return honest settings that are cut, or have a byte changed."""
    content = bytearray(_honest())
    if rng.random() < 0.5:
        return bytes(content[: rng.randrange(len(content))])
    content[rng.randrange(len(content))] = rng.choice([0, 0xFF, 0x80, 0x1B, 0x22, 0x5B])
    return bytes(content)


@cache
def _honest() -> bytes:
    return to_toml(read_config(_game())).encode()


MAKERS = (strange_text, strange_value, odd_value, strange_name, too_large, torn)
MAY_PASS = (odd_value, torn)
"""What may make sense, as it happens."""
