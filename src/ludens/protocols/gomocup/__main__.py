"""`pbrain-ludens`: the executable that managers of gomoku matches start."""

import argparse
import os
import sys
from collections.abc import Iterator
from contextlib import suppress
from typing import BinaryIO

from ludens import signals

MAX_LINE = 4096
"""Bytes of a line; what is longer is cut."""


def main() -> None:
    """Speak the Gomocup protocol on standard input and output until END."""
    signals.end_at_once()
    agent = _read_arguments()
    out = _take_output()

    from ludens.protocols.gomocup.brain import Brain

    def write(line: str) -> None:
        try:
            out.write(line.encode() + b"\n")
            out.flush()
        except OSError:  # the manager has gone
            os._exit(1)

    Brain(write, agent).run(lines_of(sys.stdin.buffer))
    os._exit(0)  # whatever is being thought or compiled


def _read_arguments() -> str:
    from ludens.agents import AGENTS
    from ludens.errors import nearest

    parser = argparse.ArgumentParser("pbrain-ludens", description=main.__doc__)
    about = "who thinks, such as mcts:sims=1000; else the best net that ships, or mcts"
    parser.add_argument("--agent", metavar="WHO", default="", help=about)
    who: str = parser.parse_args().agent
    name = who.partition(":")[0]
    if who and name not in AGENTS:
        parser.error(f"there is no agent {name!r}{nearest(name, AGENTS)}")
    return who


def _take_output() -> BinaryIO:
    """Return standard output; all that anybody else prints goes to standard error."""
    out = os.fdopen(os.dup(1), "wb")
    with suppress(OSError):
        os.dup2(2, 1)
    return out


def lines_of(stream: BinaryIO) -> Iterator[str]:
    """Give the lines of a stream; one that is too long is cut, the last may be half."""
    while line := stream.readline(MAX_LINE):
        rest = line
        while not rest.endswith(b"\n") and (rest := stream.readline(MAX_LINE)):
            pass
        yield line.decode("utf-8", "replace")


if __name__ == "__main__":
    main()
