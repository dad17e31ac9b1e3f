"""Agents that a client may name, held within the limits of the server."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from ludens.agents import AGENTS, Maker, agent_maker, runs_commands
from ludens.agents.programs import read_command
from ludens.errors import Refusal, UserError, nearest
from ludens.loading.game import Game, format_spec, parse_spec
from ludens.loading.options import OptionValue
from ludens.search.memory import nodes_for
from ludens.web.library import Library
from ludens.web.limits import MAX_MEMORY_MB, MAX_SECONDS, MAX_SIMS

ALLOWED: dict[str, float | None] = {
    "sims": MAX_SIMS,
    "seconds": MAX_SECONDS,
    "rollouts": 64,
    "weights": None,
    "root": None,
    "c_puct": 100,
    "prior_weight": 100,
    "value_weight": 100,
    "max_considered": 1_000,
    "noise_fraction": 1,
    "temperature": 100,
    "temperature_plies": 1_000_000,
}
"""Settings that a client may choose, and the most they may be."""
HOSTED = "another program, which this server runs; plays gomoku"


KINDS = {name: kind for name, kind in AGENTS.items() if not kind.runs_commands}
"""Agents that anybody may name: the text of the others is a command to run."""


def list_agents(engines: Iterable[str]) -> list[dict[str, Any]]:
    """Return the agents with the settings that a client may choose."""
    program = replace(AGENTS["engine"], help=HOSTED, parts=())
    hosted = dict.fromkeys(engines, program)
    return [
        {
            "name": name,
            "help": kind.help,
            "needs_net": "weights" in kind.options,
            "players": kind.num_players,
            "options": [vars(o) for k, o in kind.options.items() if k in ALLOWED],
        }
        for name, kind in (KINDS | hosted).items()
    ]


def name_engines(agents: Iterable[str]) -> dict[str, str]:
    """Return agents by the names that pages have for them, those of their programs."""
    named: dict[str, str] = {}
    for text in agents:
        kind, given = parse_spec(text)
        if not runs_commands(text):
            raise UserError(f"{kind} is on the page already; name an engine:cmd=...")
        program, *_ = read_command(str(given.get("cmd", "")))
        stem = re.sub(r"[^\w-]+", "-", Path(program).stem)
        taken = {*AGENTS, *named, "you", "level", "human"}
        names = (stem, *(f"{stem}-{number}" for number in range(2, 100)))
        named[next(name for name in names if name not in taken)] = text
    return named


def maker_of(
    library: Library,
    game: Game,
    text: str,
    wishes: Mapping[str, float | None],
    at_once: int,
) -> Maker:
    """Return what makes the agent that a client names, or refuse it.

    `wishes`, sims and seconds, come before what the text says. Seconds alone mean as
    many simulations as they allow.
    """
    if text in library.engines:
        return agent_maker(library.engines[text], game, at_once=at_once)
    name, given = parse_spec(text)
    if name not in KINDS:
        raise Refusal(f"there is no agent {name!r}{nearest(name, KINDS)}")
    known = KINDS[name].options
    chosen = given | {k: v for k, v in wishes.items() if v is not None and k in known}
    if "seconds" in chosen and "sims" in known:
        chosen.setdefault("sims", MAX_SIMS)
    for setting, value in chosen.items():
        _check(setting, value)
    if "weights" in known:
        library.check_weights(str(chosen.get("weights", "")), game)
    if "max_nodes" in known:
        sims = known["sims"].read(chosen.get("sims", known["sims"].default))
        room = nodes_for(game, int(sims), MAX_MEMORY_MB)
        chosen |= {"memory_mb": MAX_MEMORY_MB, "max_nodes": room}
    return agent_maker(format_spec(name, chosen), game, at_once=at_once)


def openly(text: str) -> str:
    """Return an agent that, if it searches, looks at all moves, by and by.

    Gumbel's root plans for a number of simulations, and for few moves.
    """
    name, given = parse_spec(text)
    if name not in KINDS or "root" not in KINDS[name].options:
        return text
    return format_spec(name, {"root": "puct"} | given)


def _check(setting: str, value: OptionValue) -> None:
    """Refuse a setting that is not for clients, or too much of it."""
    if setting not in ALLOWED:
        hint = nearest(setting, ALLOWED)
        raise Refusal(f"a page cannot choose {setting!r}{hint}")
    most = ALLOWED[setting]
    try:
        is_too_much = most is not None and not float(value) <= most
    except ValueError:
        return  # said better by who reads it
    if is_too_much:
        raise Refusal(f"{setting} can be at most {most:,.0f} here")
