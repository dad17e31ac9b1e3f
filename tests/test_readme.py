"""What the README says is what is there."""

import ast
import re
import runpy
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from ludens import check_game, load_game
from ludens.loading.game import game_files

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```python\n(.*?)^```$", README, re.DOTALL | re.MULTILINE)


def test_the_complete_game_is_the_code_of_tic_tac_toe() -> None:
    code = game_files()["tic_tac_toe"].read_text(encoding="utf-8")
    assert code.startswith(BLOCKS[0])
    left_out = ast.parse(code.removeprefix(BLOCKS[0])).body
    names = [getattr(n, "name", "") or n.targets[0].id for n in left_out]
    assert names == ["heuristic", "LEVELS", "TRAINING", "RULES"]
    lines = [line for line in BLOCKS[0].splitlines() if line.strip()]
    assert len(lines) < 90


def test_the_complete_game_runs_as_a_file_of_its_own(tmp_path: Path) -> None:
    file = tmp_path / "noughts.py"
    file.write_text(BLOCKS[0], encoding="utf-8")
    game = load_game(str(file), compiled=False)
    assert check_game(game, games=20).ok
    state = game.new()
    state.apply_moves("a1 b2 b1 c3 c1")
    assert state.result == 1


def test_the_other_python_runs_and_prints_what_it_says(capsys) -> None:
    for block in BLOCKS[1:]:
        exec(compile(block, "README.md", "exec"), {})
        printed = capsys.readouterr().out.splitlines()
        promised = re.findall(r"^print\(.*\)  # (.*)$", block, re.MULTILINE)
        assert promised
        assert printed[: len(promised)] == promised


def test_links_lead_to_files() -> None:
    for page in (ROOT / "README.md", *(ROOT / "docs").glob("*.md")):
        for link in re.findall(r"\]\(([^)#:]+)\)", page.read_text(encoding="utf-8")):
            assert (page.parent / link).exists(), f"{page.name}: {link}"


def test_a_package_index_gets_no_links_that_lead_nowhere(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    place = "hatchling.metadata.plugin.interface"
    plugins = SimpleNamespace(MetadataHookInterface=object)
    monkeypatch.setitem(sys.modules, place, plugins)  # only builds have it
    hook = runpy.run_path(str(ROOT / "hatch_build.py"))["ReadmeHook"]()
    hook.root = str(ROOT)
    metadata: dict[str, dict[str, str]] = {}
    hook.update(metadata)
    assert "](" not in metadata["readme"]["text"]
    assert "The triangle puzzle" in metadata["readme"]["text"]


def test_files_that_the_architecture_names_are_there() -> None:
    text = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    package = ROOT / "src" / "ludens"
    named = set(re.findall(r"`([a-z_/]+\.(?:py|js|html))`", text))
    assert len(named) > 30
    for file in named:
        places = (ROOT / file, package / file, package / "web" / "static" / file)
        assert any(place.is_file() for place in places), file
