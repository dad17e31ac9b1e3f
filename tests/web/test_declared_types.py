"""The page's types are those of the protocol: real answers, and the server's models."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, get_args

import pytest

import ludens.web
from faults.made_runs import make_run
from ludens.loading.game import game_files
from ludens.web import messages
from page_tools import run, tools
from served import Page, Reply, sent, serve

TYPES = Path(ludens.web.__file__).parent / "static/types.js"
REQUESTS = {
    kind.model_fields["do"].annotation.__args__[0]: kind
    for kind in get_args(get_args(messages.AnyRequest)[0])
}
Sample = tuple[str, Reply]
"""The name of a type, and something real that must be of it."""


@pytest.fixture(scope="module")
def samples(tmp_path_factory: pytest.TempPathFactory) -> list[Sample]:
    """Answers and events of every kind, of all games."""
    runs = tmp_path_factory.mktemp("runs")
    make_run(runs / "small", 2).close()
    with pytest.MonkeyPatch.context() as patch, serve() as served:
        patch.setenv("LUDENS_RUNS", str(runs))
        with served.page() as page:
            return list(_ask_everything(page))


def _ask_everything(page: Page) -> Iterator[Sample]:
    def ask(do: str, **rest: Any) -> Iterator[Sample]:
        for heard in page.follow(page.send(do, **rest)):
            assert "error" not in heard, heard
            yield ("Events" if "event" in heard else "Answers") + f'["{do}"]', heard

    for spec in game_files():
        at = page.position(spec)
        move = at["legal"][0]
        yield from ask("describe", game=sent(at))
        yield from ask("line", game=sent(at), steps=[move["action"]])
        yield from ask("play", game=sent(at), step=move["action"])
        yield from ask("why", game=sent(at), choices=move["choices"])
        yield from ask("record", game=sent(at), players=["You"])
    game = sent(page.position("tic_tac_toe", "b2", "a1", "c1"))
    over = sent(page.position("tic_tac_toe", "b2", "a1", "c1", "a2", "a3"))
    yield from ask("games")
    for spec in ("pyrga", "triangle"):
        yield from ask("rules", spec=spec)
    yield from ask("runs")
    yield from ask("position", game=over)
    yield from ask("edit", game=game, text="set c3 first")
    yield from ask("read", text="b2 a1", spec="tic_tac_toe")
    for agent in ("random", "mcts", "policy", "solver"):
        yield from ask("move", game=game, agent=agent)
        yield from ask("analyse", game=game, agent=agent)
    yield from ask("review", game=over, agent="mcts", sims=20)
    yield from ask("solve", game=game)
    yield from ask("tree", game=game, agent="mcts", sims=100)
    yield from ask("observe", game=game)
    yield from ask("match", spec="tic_tac_toe", agents=["greedy", "random"], games=2)
    yield from ask("match", spec="triangle", agents=["greedy", "random"], games=2)
    number = page.send("run", name="small")
    yield 'Events["run"]', page.hear()
    yield from ask("stop", of=number)


def test_real_answers_are_of_their_declared_types(samples, tmp_path) -> None:
    """TypeScript refuses a literal with fields too many, too few or of other types."""
    heard = "id: number; ok?: boolean; stopped?: boolean"
    lines = [
        f"export const s{i}: {name} & {{{heard}}} = {json.dumps(value)};"
        for i, (name, value) in enumerate(samples)
    ]
    assert _faults(tmp_path, lines) == ""


def test_a_field_too_many_or_too_few_is_found(tmp_path) -> None:
    frames = ['{added: [], gone: [], name: ""}', "{added: []}"]
    lines = [f"export const s{i}: Frame = {text};" for i, text in enumerate(frames)]
    found = _faults(tmp_path, lines)
    assert "'name' does not exist in type 'Frame'" in found
    assert "Property 'gone' is missing" in found


def test_requests_have_the_fields_that_the_server_reads(tmp_path) -> None:
    """What the page may send is what a model takes, and has a name for all of it."""
    lines = []
    for do, kind in REQUESTS.items():
        schema = kind.model_json_schema()
        model = _typescript(schema, schema.get("$defs", {}), ("id", "do"))
        mine = f'Requests["{do}"]'
        lines += [
            f"export const {do}_fits: {model} = null! as {mine};",
            f"export const {do}_keys: keyof ({model}) = null! as keyof ({mine});",
            f"export const {do}_all: keyof ({mine}) = null! as keyof ({model});",
        ]
    assert _faults(tmp_path, lines) == ""


def test_declared_fields_are_those_of_real_answers(samples) -> None:
    """The same by names alone, which needs no TypeScript."""
    declared = _declared()
    assert declared.keys() >= {"Position", "Analysis", "Branch", "RunFacts", "Verdict"}
    found = {name: set[str]() for name in declared}
    for value in _objects([value for _, value in samples]):
        for name, fields in declared.items():
            if fields <= value.keys():
                found[name] |= value.keys()
    extra = {"id", "ok"}
    told = {name: found[name] - extra for name in declared if name not in MAPS}
    assert told == {name: fields for name, fields in declared.items() if name in told}


MAPS = ("Requests", "Answers", "Events", "Shape")
"""By words of the protocol, and what is sent without its defaults."""


def _declared() -> dict[str, set[str]]:
    """Return the fields of the types that list them one by one."""
    text = TYPES.read_text(encoding="utf-8")
    found = {}
    for part in text.split("@typedef {object} ")[1:]:
        body = part.split("@typedef")[0]
        fields = re.findall(r"@property \{.*?\} (\w+)\s*(?:$|  )", body, re.M | re.S)
        found[part.split()[0]] = set(fields)
    return found


def _objects(value: Any) -> Iterator[Reply]:
    if isinstance(value, dict):
        yield value
    if isinstance(value, dict | list):
        for part in value.values() if isinstance(value, dict) else value:
            yield from _objects(part)


def _typescript(schema: Reply, defs: Reply, without: tuple[str, ...] = ()) -> str:
    """Return a JSON schema of pydantic's as a type of TypeScript."""
    if "$ref" in schema:
        return _typescript(defs[schema["$ref"].rpartition("/")[2]], defs)
    if "anyOf" in schema:
        return " | ".join(_typescript(one, defs) for one in schema["anyOf"])
    if schema["type"] == "array":
        return f"({_typescript(schema['items'], defs)})[]"
    if schema["type"] != "object":
        return {"integer": "number"}.get(schema["type"], schema["type"])
    fields = [
        f"{name}{'' if name in schema.get('required', ()) else '?'}:"
        f" {_typescript(field, defs)}"
        for name, field in schema["properties"].items()
        if name not in without
    ]
    return f"{{{'; '.join(fields)}}}"


def _faults(folder: Path, lines: list[str]) -> str:
    """Return what TypeScript says to lines that use the page's types."""
    names = "Answers, Events, Frame, Requests"
    head = f'import type {{ {names} }} from "{TYPES.as_posix()}";\n'
    file = folder / "protocol.ts"
    file.write_text(head + "\n".join(lines), encoding="utf-8")
    flags = "--noEmit --allowJs --strict --target esnext --module esnext"
    more = "--moduleResolution bundler --ignoreConfig"
    return run(tools() / "tsc", *flags.split(), *more.split(), file).stdout
