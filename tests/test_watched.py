"""Rules files that are watched: an edit of anything they read is noticed."""

import os
import sys
from pathlib import Path

import pytest

from ludens import UserError, load_game
from ludens.loading.game import game_files
from ludens.loading.watched import Watched
from ludens.web.library import Library
from ludens.web.rereading import Rereading

EXTRA = """
from pathlib import Path
from sizes_beside import NUMBER
from _part_of_mine import WORD
TABLE = (Path(__file__).parent / "table.csv").read_text()
"""


@pytest.fixture
def mine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Tic-tac-toe that reads a module, a part and a table."""
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "sizes_beside", raising=False)
    (tmp_path / "sizes_beside.py").write_text("NUMBER = 1\n", "utf-8")
    (tmp_path / "_part_of_mine.py").write_text("WORD = 'one'\n", "utf-8")
    (tmp_path / "table.csv").write_text("a,b\n", "utf-8")
    file = tmp_path / "mine.py"
    source = game_files()["tic_tac_toe"].read_text(encoding="utf-8")
    file.write_text(source + EXTRA, encoding="utf-8")
    return file


def edit(file: Path, text: str) -> None:
    """Write a file so that its time tells, however coarse the clock is."""
    before = file.stat().st_mtime_ns
    file.write_text(text, encoding="utf-8")
    os.utime(file, ns=(before + 10**9, before + 10**9))


def test_all_that_a_game_reads_is_watched(mine: Path) -> None:
    watched = Watched(mine)
    with watched.reading():
        load_game(str(mine), compiled=False)
    names = ["_part_of_mine.py", "mine.py", "sizes_beside.py", "table.csv"]
    assert [file.name for file in watched.files] == names
    assert watched.changed() == []
    for name in names:
        file = mine.with_name(name)
        edit(file, file.read_text("utf-8") + "\n")
        assert watched.changed() == [file]
        with watched.reading():
            load_game(str(mine), compiled=False)
        assert watched.changed() == []


def test_an_edited_module_is_imported_anew(mine: Path) -> None:
    watched = Watched(mine)
    for number in (1, 27):
        edit(mine.with_name("sizes_beside.py"), f"NUMBER = {number}\n")
        with watched.reading():
            game = load_game(str(mine), compiled=False)
        assert number == game.plain.NUMBER


def test_a_broken_file_is_watched_until_it_is_mended(mine: Path) -> None:
    watched, healthy = Watched(mine), mine.read_text("utf-8")
    with watched.reading():
        load_game(str(mine), compiled=False)
    edit(mine, "def (")
    with pytest.raises(UserError, match="does not load"), watched.reading():
        load_game(str(mine), compiled=False)
    assert mine.with_name("table.csv") in watched.files
    assert watched.changed() == []
    edit(mine, healthy + "# mended\n")
    assert watched.changed() == [mine]


def test_a_server_reads_rules_again_and_keeps_those_that_load(mine: Path) -> None:
    said: list[str] = []
    library = Library([mine])
    rereading = Rereading(library, ["mine.py"], said.append)
    first = library.shelve("mine.py").game
    rereading.look()
    assert (said, rereading.versions) == ([], {"mine.py": 1})
    edit(mine.with_name("table.csv"), "c,d\n")
    rereading.look()
    second = library.shelve("mine.py").game
    assert said == ["mine.py: table.csv changed"]
    assert (first.plain.TABLE, second.plain.TABLE) == ("a,b\n", "c,d\n")
    edit(mine, "NUM_ACTIONS = 1\n")
    rereading.look()
    assert library.shelve("mine.py").game is second
    assert "does not define" in rereading.troubles["mine.py"]
    assert said[1:] == [rereading.troubles["mine.py"]]
