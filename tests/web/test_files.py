"""The page's files are kept by browsers until one of them is edited."""

import re
import shutil
from http.client import HTTPConnection
from pathlib import Path

import pytest

from ludens.web import files
from served import Served

NAMED = re.compile(r'(?:href|src)="(v/\w+/\w+\.\w+)"')


def cache_control(served: Served, path: str) -> str:
    """Ask for a file that is there; return how long it may be kept."""
    line = HTTPConnection("127.0.0.1", served.port, timeout=30)
    line.request("GET", path)
    answer = line.getresponse()
    line.close()
    assert answer.status == 200
    return str(answer.headers["Cache-Control"])


def test_files_are_kept_but_the_page_that_names_them_is_asked_for(served: Served):
    assert cache_control(served, "/") == "no-cache"
    for path in NAMED.findall(files.versioned_page())[:3]:
        assert "immutable" in cache_control(served, f"/{path}")


def test_the_page_names_every_file_below_one_version():
    named = NAMED.findall(files.versioned_page())
    assert len({path.split("/")[1] for path in named}) == 1
    names = {Path(path).name for path in named}
    there = {file.name for file in files.STATIC.iterdir()}
    assert there - names == {"index.html", files.FOR_THE_TYPE_CHECKER}


def test_an_edit_gives_the_files_other_paths(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    before = files.versioned_page()
    copy = Path(shutil.copytree(files.STATIC, tmp_path / "static"))
    monkeypatch.setattr(files, "STATIC", copy)
    assert files.versioned_page() == before
    (copy / "board.js").write_text("// edited", encoding="utf-8")
    assert NAMED.findall(files.versioned_page())[0] != NAMED.findall(before)[0]
