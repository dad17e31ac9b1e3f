"""A bridge without Ray that answers as its script says, a word for each job.

`none` leaves a job unanswered, `die` ends the bridge, `lie` answers nonsense, `play`
what an honest worker would, which is in a folder, `again` so a hundred times, and
`twice` says that a second worker was given the job, too, and `show` tells of a game
that is being played, among nonsense. The last word goes for all
jobs that follow. `alone`: no worker comes; `dying`: all die before they can begin.
"""

import os
import sys
import time
from collections.abc import Callable
from itertools import chain, repeat
from pathlib import Path
from threading import Thread

from ludens.cluster.wire import pack, receive, send, unpack


def die_again(tell: Callable[..., None]) -> None:
    """Tell of a worker that has died, again and again."""
    while True:
        tell("left", worker="w", why="it could not begin")
        time.sleep(0.05)


def main(folder: str, *words: str) -> None:
    script = chain(words, repeat(words[-1]))
    source, sink = sys.stdin.buffer, sys.stdout.buffer

    def tell(event: str, *contents: bytes, **facts: object) -> None:
        send(sink, pack({"event": event, **facts}, contents))

    left: set[int] = set()
    receive(source)
    tell("ready", nodes=1)
    if "dying" in words:
        Thread(target=lambda: die_again(tell), daemon=True).start()
    elif "alone" not in words:
        tell("joined", worker="w", threads=1, greeting={"answers": "none"})
    while (message := receive(source)) is not None:
        facts, contents = unpack(message)
        if facts["do"] == "refuse":
            tell("refused", worker=facts["worker"], why=facts["why"])
        if facts["do"] == "drop":
            left -= set(facts["ids"])
        if facts["do"] == "forget" and left:
            os._exit(1)  # a job that nobody can play would be given to a worker
        if facts["do"] != "job":
            continue
        left.add(facts["id"])
        word = next(script)
        if word == "die":
            os._exit(1)
        share = unpack(contents[0])[0]["share"]["number"]
        content = Path(folder, str(share)).read_bytes()
        if word == "lie":
            content = pack({"rows": [[1, 2, 3]]})
        if word == "twice":
            tell("twice", id=facts["id"])
        if word == "show":
            seen = {
                "number": 7,
                "net": 0,
                "history": [4],
                "values": [0.5],
                "kinds": [2],
            }
            figures = {"positions": 3, "evals": "many", "seen": [seen]}
            tell("progress", worker="w", figures=figures)
            tell("progress", worker="x", figures={"positions": -1, "seen": [1]})
            huge = [{**seen, "values": [10**400]}]
            tell("progress", worker="y", figures={"seen": huge})
        for _ in range({"again": 100, "none": 0, "alone": 0, "dying": 0}.get(word, 1)):
            tell("played", content, id=facts["id"], worker="w")


main(*sys.argv[1:])
