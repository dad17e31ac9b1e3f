"""The public face: these names and no others, each with an example that runs."""

import re
from pathlib import Path

import pytest

import ludens

PAGE = Path(__file__).parent.parent / "docs" / "python.md"
TEXT = PAGE.read_text(encoding="utf-8")
EXAMPLES = re.findall(r"^```python\n(.*?)^```$", TEXT, re.DOTALL | re.MULTILINE)
NAMES = (
    *("Agent", "Analysis", "Game", "IllegalAction", "Limit", "Record", "Run"),
    *("Search", "SearchConfig", "Solver", "State", "UserError", "check_game"),
    *("load_game", "make_agent", "play_match", "train"),
)


def test_public_names_are_these() -> None:
    assert tuple(ludens.__all__) == NAMES
    for name in NAMES:
        assert getattr(ludens, name).__name__ == name


def test_every_public_name_has_a_heading_and_an_example() -> None:
    headings = ", ".join(re.findall(r"^## (.*)$", TEXT, re.MULTILINE)).split(", ")
    assert sorted(headings) == sorted(NAMES)
    for name in NAMES:
        assert re.search(rf"\b{name}\b", "".join(EXAMPLES)), name


@pytest.mark.parametrize("example", EXAMPLES, ids=range(len(EXAMPLES)))
def test_examples_run_and_print_what_they_say(
    example: str, capsys: pytest.CaptureFixture[str]
) -> None:
    exec(compile(example, str(PAGE), "exec"), {})
    promised = re.findall(r"^ *print\(.*\)  # (.*)$", example, re.MULTILINE)
    assert promised
    assert capsys.readouterr().out.splitlines() == promised
