"""Links that somebody made up: the page reads each, and the server bears what it asks.

The page's own code reads them, run by `node`.
"""

import json
import random
import shutil
import subprocess
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from websockets.sync.client import ClientConnection

import ludens.web

from .hostile_messages import logged, why_not_borne
from .outcome import Outcome
from .serving import connected, serving

NUMBER = 5_000
EACH_SOCKET = 100
READER = Path(ludens.web.__file__).parent / "static" / "story.js"
_READ = """
const { fromFragment } = await import(process.argv[1]);
let text = "";
for await (const part of process.stdin) text += part;
for (const fragment of JSON.parse(text)) {
  try { console.log(JSON.stringify(fromFragment(fragment))); }
  catch (error) { console.log(JSON.stringify(String(error))); }
}
"""


def run(n: int, seed: int) -> Outcome:
    """Follow made-up links; say of each that the page or the server did not bear."""
    if not shutil.which("node"):
        return Outcome("hostile_links", 0, ["node is not installed: nothing was tried"])
    links = [link(random.Random(f"{seed} {number}")) for number in range(n)]
    with serving() as address, logged() as log:
        failures = [*_failures(address, links)]
    return Outcome("hostile_links", n, failures + log)


def _failures(address: str, links: list[str]) -> Iterator[str]:
    read = [*follow(links)]
    for first in range(0, len(links), EACH_SOCKET):
        with connected(address) as line:
            for number in range(first, min(len(links), first + EACH_SOCKET)):
                if why := _why_not_followed(line, read[number]):
                    yield f"{number}: {links[number][:200]!r}: {why}"


def _why_not_followed(line: ClientConnection, asked: Any) -> str:
    if asked is None:  # it names no game
        return ""
    if isinstance(asked, str):
        return asked
    sent = {"id": 7, "do": "position", "game": asked["game"]}
    return why_not_borne(line, json.dumps(sent))


def follow(links: Iterable[str]) -> Iterator[Any]:
    """Give what the page asks for at each link, or the text of an error."""
    words = ["node", "--input-type=module", "-e", _READ, READER.as_uri()]
    given = json.dumps([*links])
    done = subprocess.run(
        words, input=given, capture_output=True, text=True, check=True
    )
    yield from map(json.loads, done.stdout.rstrip("\n").split("\n"))


def link(rng: random.Random) -> str:
    """Return the part of a link after #, honest but for something strange."""
    fields = {"game": "tic_tac_toe", "history": "4.0", "seed": "1", "at": "1"}
    strange = rng.choice([*sorted(fields), "setup"])
    fields[strange] = rng.choice(
        [
            *(
                "",
                "x",
                "-1",
                "1e400",
                "NaN",
                "4.4",
                "4..0",
                "9",
                "1.5",
                "0x4",
                "__proto__",
            ),
            *(
                "~",
                "~%",
                "~%zz",
                "~%ff",
                "~%ED%A0%80",
                "~set a1 first",
                "~\x1b[2J",
                "%00",
            ),
            *("~" * 99, "4." * 9_999, "~" + "x" * 9_999, "../../etc/passwd", "x.py"),
            *("tic_tac_toe:size=1e9", "gomoku:size=-1", "\u202e", "<img src=x>", "%%%"),
        ]
    )
    text = "&".join(f"{name}={value}" for name, value in fields.items())
    if rng.random() < 0.2:
        at = rng.randrange(len(text))
        text = text[:at] + rng.choice(["&", "=", "%", "#", "+", "\0", "~"]) + text[at:]
    return f"#{text}"
