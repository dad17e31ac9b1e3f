"""The page's modules keep to the types that they declare."""

import shutil
import subprocess
from pathlib import Path

import pytest


def test_typescript_finds_no_fault() -> None:
    tsc = shutil.which("tsc")
    if tsc is None:
        pytest.skip("there is no tsc: npm install --global typescript")
    config = Path(__file__).with_name("jsconfig.json")
    found = subprocess.run([tsc, "-p", config], capture_output=True, text=True)
    assert found.stdout == ""
    assert found.returncode == 0
