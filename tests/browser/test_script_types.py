"""The page's modules keep to the types that they declare."""

import shutil
import subprocess
from pathlib import Path

import pytest

OLDEST = 5
"""Those before do not see a tag that follows a sentence in its line."""


def test_typescript_finds_no_fault() -> None:
    tsc = shutil.which("tsc")
    if tsc is None or _major(tsc) < OLDEST:
        pytest.skip(f"no tsc {OLDEST} or later: npm install --global typescript")
    config = Path(__file__).with_name("jsconfig.json")
    found = subprocess.run([tsc, "-p", config], capture_output=True, text=True)
    assert found.stdout == ""
    assert found.returncode == 0


def _major(tsc: str) -> int:
    said = subprocess.run([tsc, "--version"], capture_output=True, text=True).stdout
    return int(said.split()[1].partition(".")[0])
