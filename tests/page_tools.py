"""What checks the page's code: prettier and TypeScript, through npm."""

import shutil
import subprocess
from pathlib import Path

import pytest
from filelock import FileLock

ROOT = Path(__file__).parents[1]


def run(*command: str | Path) -> subprocess.CompletedProcess[str]:
    """Run a command at the root of the repository."""
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True)


def tools() -> Path:
    """Return the folder of the tools, installed if need be; skip where none can be."""
    if shutil.which("npm") is None:
        pytest.skip("there is no npm")
    with FileLock(ROOT / ".npm.lock"):
        made = run("make", "node_modules/installed")
    if made.returncode:
        pytest.skip(f"npm has no registry: {made.stderr.strip()}")
    return ROOT / "node_modules/.bin"
