"""The page's modules are formatted and keep to the types that they declare."""

from pathlib import Path

import pytest

import ludens.web
from page_tools import run, tools

STATIC = Path(ludens.web.__file__).parent / "static"
MAX_COLUMNS = 100


@pytest.mark.slow
def test_prettier_and_typescript_find_no_fault() -> None:
    """So does `make page`, without a browser."""
    tools()
    found = run("npm", "run", "--silent", "page")
    assert found.returncode == 0, found.stdout + found.stderr


@pytest.mark.parametrize("file", sorted(STATIC.glob("*.js")), ids=lambda js: js.name)
def test_lines_are_short(file: Path) -> None:
    """Prettier leaves comments and long texts as they are."""
    lines = file.read_text(encoding="utf-8").splitlines()
    assert [line for line in lines if len(line) > MAX_COLUMNS] == []
