import json
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest

from ludens.formats.strict import to_json

WIN = ("--moves", "112233")


def test_the_best_move_comes_first_with_its_proof(ludens):
    ran = ludens("analyse", "connect_four", *WIN, "--agent", "mcts:sims=50")
    rows = ran.out.split("  proof\n")[1].splitlines()
    assert (rows[0].split()[0], rows[0].split()[-1]) == ("4", "win")
    assert "player 0 to move: winrate 1.000, proven win" in ran.out
    assert ran.out.endswith("main line: 4\n")


def test_json_is_one_object(ludens):
    ran = ludens("analyse", "tic_tac_toe", "--agent", "mcts:sims=30", "--json")
    found = json.loads(ran.out)
    assert found["rootInfo"]["visits"] == 30
    assert len(found["moveInfos"]) == 9


SCHEMA = Path(__file__).parents[2] / "docs" / "analysis.schema.json"
KINDS = {
    "object": dict,
    "array": list,
    "string": str,
    "boolean": bool,
    "integer": int,
    "number": (int, float),
    "null": type(None),
}


def validate(value, schema, at="it"):
    """See that a value is what a schema says, as far as ours go."""
    kinds = schema["type"] if isinstance(schema["type"], list) else [schema["type"]]
    fits = [isinstance(value, KINDS[kind]) for kind in kinds]
    assert any(fits), at
    assert type(value) is not bool or kinds == ["boolean"], at
    assert value in schema.get("enum", [value]), at
    if isinstance(value, dict):
        assert set(schema["required"]) <= set(value) <= set(schema["properties"]), at
        for name, part in value.items():
            validate(part, schema["properties"][name], f"{at}.{name}")
    for part in value if isinstance(value, list) else ():
        validate(part, schema["items"], f"{at}[]")


def refuse(constant):
    raise ValueError(f"{constant} is not JSON")


@pytest.mark.parametrize(
    ("game", "agent", "measure"),
    [
        ("tic_tac_toe", "mcts:sims=30", "winrate"),
        ("tic_tac_toe", "solver", "winrate"),
        ("triangle", "mcts:sims=30,rollout_plies=5", "score"),
        ("triangle", "policy", "outlook"),
    ],
)
def test_json_is_as_its_schema_says(ludens, monkeypatch, game, agent, measure):
    monkeypatch.setenv("LUDENS_COMPILE", "1")
    ran = ludens("analyse", game, "--agent", agent, "--top", 3, "--json")
    found = json.loads(ran.out, parse_constant=refuse)
    validate(found, json.loads(SCHEMA.read_text(encoding="utf-8")))
    assert len(found["moveInfos"]) == 3
    for told in (found["rootInfo"], *found["moveInfos"]):
        assert {"winrate", "score", "outlook"} & set(told) == {measure}


def test_what_is_not_finite_is_null():
    value = {"a": [1.0, float("inf")], "b": np.float64("nan"), "c": np.int64(3)}
    assert json.loads(to_json(value)) == {"a": [1.0, None], "b": None, "c": 3}


@pytest.mark.parametrize("agent", ["random", "greedy", "solver"])
def test_any_agent_can_be_asked(ludens, agent):
    ran = ludens("analyse", "tic_tac_toe", "--moves", "b2", "--agent", agent)
    assert ran.code == 0
    assert "main line: " in ran.out


def test_thoughts_are_written_as_a_picture(ludens, tmp_path):
    command = ("analyse", "tic_tac_toe", "--agent", "mcts:sims=30", "--svg")
    assert ludens(*command, tmp_path / "board.svg").code == 0
    picture = (tmp_path / "board.svg").read_text()
    assert ElementTree.fromstring(picture).tag.endswith("svg")
    assert 'class="heat9"' in picture
    ran = ludens(*command, tmp_path / "none" / "board.svg")
    assert (ran.code, ran.err.count("\n")) == (2, 1)
    assert "cannot write" in ran.err


def test_the_tree_is_written_as_svg_and_as_dot(ludens, tmp_path):
    svg, dot = tmp_path / "tree.svg", tmp_path / "tree.dot"
    for file in (svg, dot):
        args = ("--agent", "mcts:sims=80", "--depth", 2, "--min-visits", 3)
        ran = ludens("tree", "tic_tac_toe", "--out", file, *args)
        assert ran.out == f"Wrote {file}: 81 visits, drawn to depth 2.\n"
    root = ElementTree.parse(svg).getroot()
    texts = [t.text for t in root.iter("{http://www.w3.org/2000/svg}text")]
    assert any(text.startswith("n 81 ") for text in texts)
    assert "b2" in texts
    lines = dot.read_text().splitlines()
    assert lines[0] == "digraph tree {"
    assert lines[-1] == "}"
    assert sum("->" in line for line in lines) == sum("label" in x for x in lines) - 1


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (("tree", "tic_tac_toe", "--out", "x.png"), "ends in .svg or .dot"),
        (("tree", "tic_tac_toe", "--agent", "solver"), "grows no tree; use mcts"),
        (("tree", "tic_tac_toe", "--out", "no/such/x.svg"), "cannot write"),
        (("analyse", "tic_tac_toe", "--moves", "a1 a2 b1 b2 c1"), "the game is over"),
        (("analyse", "tic_tac_toe", "--agent", "mcts:sim=3"), "did you mean 'sims'?"),
        (("analyse", "tic_tac_toe", "--moves", "z9"), "'z9' is not a move"),
    ],
)
def test_mistakes_are_one_line(ludens, tmp_path, monkeypatch, words, complaint):
    monkeypatch.chdir(tmp_path)
    ran = ludens(*words)
    assert (ran.code, ran.out) == (2, "")
    assert complaint in ran.err
    assert len(ran.err.splitlines()) == 1
    assert list(tmp_path.iterdir()) == []
