"""The page on bridges runs, and records are as their schema says."""

import json
import re
from pathlib import Path

import pytest
from pydantic import ValidationError

from ludens.formats.record import Record, Variation

DOCS = Path(__file__).parents[2] / "docs"
TEXT = (DOCS / "bridges.md").read_text(encoding="utf-8")
EXAMPLES = re.findall(r"^```python\n(.*?)^```$", TEXT, re.DOTALL | re.MULTILINE)
SCHEMA = json.loads((DOCS / "record.schema.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("example", EXAMPLES, ids=range(len(EXAMPLES)))
def test_examples_run_and_print_what_they_say(
    example: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LUDENS_COMPILE", "0")
    exec(compile(example, "bridges.md", "exec"), {})
    promised = re.findall(r"\)  # (.*)$", example, re.MULTILINE)
    assert promised
    assert capsys.readouterr().out.splitlines() == promised


@pytest.mark.parametrize("model", [Record, Variation])
def test_the_schema_has_the_fields_of_a_record(model: type[Record]) -> None:
    part = SCHEMA if model is Record else SCHEMA["properties"]["variations"]["items"]
    assert set(part["properties"]) == set(model.model_fields)
    needed = {n for n, field in model.model_fields.items() if field.is_required()}
    assert needed <= set(part["required"])


def test_what_is_written_is_as_the_schema_says() -> None:
    line = {"of": 0, "at": 1, "history": [1, "to_play first"]}
    record = Record(
        game="gomoku",
        options={"size": 9},
        players=["ann", "bob"],
        history=[40, "set a1 first"],
        variations=[Variation(**line)],
        agreed=-1,
    )
    written = record.written()
    assert set(SCHEMA["required"]) <= set(written) <= set(SCHEMA["properties"])
    assert written["agreed"] in SCHEMA["properties"]["agreed"]["enum"]
    assert written["format"] in SCHEMA["properties"]["format"]["enum"]
    assert written["variations"] == [line]
    shape = SCHEMA["properties"]["variations"]["items"]
    assert set(shape["required"]) == set(line) == set(shape["properties"])


@pytest.mark.parametrize(
    "wrong", [{"agreed": 2}, {"variations": [{"at": 0, "history": []}]}, {"more": 1}]
)
def test_what_the_schema_refuses_is_refused(wrong: dict[str, object]) -> None:
    with pytest.raises(ValidationError):
        Record.model_validate({"game": "gomoku", "history": [1], **wrong})
