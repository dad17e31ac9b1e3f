"""`ludens engine`: an analysis engine for other programs, JSON in and out."""

from typing import TYPE_CHECKING, Annotated

import typer

from ludens.cli import options

if TYPE_CHECKING:
    from collections.abc import Iterator

MAX_LINE = 2**24
"""Characters of a query."""


def run(
    game: options.Game,
    agent: Annotated[
        str,
        typer.Option(help="The agent; else the net that ships.", metavar="WHO"),
    ] = "",
    threads: Annotated[int, options.count("Positions at a time.", 1)] = 1,
) -> None:
    """Answer queries on standard input, a line of JSON each."""
    from ludens.agents import agent_maker
    from ludens.agents.compiling import prepare_agents
    from ludens.formats.strict import to_json
    from ludens.loading.game import load_game
    from ludens.nets.shipped import usual_agent
    from ludens.protocols.engine import Engine

    rules = load_game(game)
    rules.require_rules("the engine")
    who = agent or usual_agent(rules)
    prepare_agents(rules, [who])
    maker = agent_maker(who, rules, at_once=threads)
    maker(0).compile()  # before the first answer, so that no clock counts it
    rules.new(0)

    def write(reply: dict[str, object]) -> None:
        print(to_json(reply, compact=True), flush=True)

    Engine(rules, who, maker, write, threads).run(_lines())


def _lines() -> "Iterator[str]":
    """Give the lines of standard input; what is no text in them is replaced."""
    import sys

    if hasattr(sys.stdin, "reconfigure"):
        sys.stdin.reconfigure(encoding="utf-8", errors="replace")
    while line := sys.stdin.readline(MAX_LINE):
        yield line
