"""The page's modules are formatted and keep to the types that they declare."""

import shutil
import subprocess
from pathlib import Path

import pytest

import ludens.web

ROOT = Path(__file__).parents[2]
STATIC = Path(ludens.web.__file__).parent / "static"
MAX_COLUMNS = 100


def test_prettier_and_typescript_find_no_fault() -> None:
    if shutil.which("npm") is None:
        pytest.skip("there is no npm")
    made = subprocess.run(["make", "page"], cwd=ROOT, capture_output=True, text=True)
    if "is not checked" in made.stdout:
        pytest.skip(made.stdout.strip())
    assert made.returncode == 0, made.stdout + made.stderr


@pytest.mark.parametrize("file", sorted(STATIC.glob("*.js")), ids=lambda js: js.name)
def test_lines_are_short(file: Path) -> None:
    """Prettier leaves comments and long texts as they are."""
    lines = file.read_text(encoding="utf-8").splitlines()
    assert [line for line in lines if len(line) > MAX_COLUMNS] == []
