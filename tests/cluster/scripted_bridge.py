"""A bridge without Ray that answers as its script says, a word for each job.

`none` leaves a job unanswered, `die` ends the bridge, `lie` answers nonsense, `play`
what an honest worker would, which is in a folder, `again` so a hundred times, and
`twice` says that a second worker was given the job, too. The last word goes for all
jobs that follow. `alone`: no worker comes.
"""

import os
import sys
from itertools import chain, repeat
from pathlib import Path

from ludens.cluster.wire import pack, receive, send, unpack


def main(folder: str, *words: str) -> None:
    script = chain(words, repeat(words[-1]))
    source, sink = sys.stdin.buffer, sys.stdout.buffer

    def tell(event: str, *contents: bytes, **facts: object) -> None:
        send(sink, pack({"event": event, **facts}, contents))

    left: set[int] = set()
    receive(source)
    tell("ready", nodes=1)
    if "alone" not in words:
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
        for _ in range({"again": 100, "none": 0, "alone": 0}.get(word, 1)):
            tell("played", content, id=facts["id"], worker="w")


main(*sys.argv[1:])
