"""`ludens selfplay`: games of a net, in a folder or a file."""

from pathlib import Path

import pytest

from ludens.cli import run as ludens
from ludens.store.arrays import FORMAT

QUICK = ["--games", "6", "--set", "search.sims=4", "--threads", "1"]


def test_games_go_to_a_folder_and_are_records(tmp_path, capsys) -> None:
    folder = tmp_path / "games"
    assert ludens(["selfplay", "tic_tac_toe", "--out", str(folder), *QUICK]) == 0
    assert f"Wrote {folder}: 6 games with " in capsys.readouterr().out
    files = sorted(folder.iterdir())
    assert [file.name for file in files] == [f"game-{n}.json" for n in range(6)]
    assert ludens(["show", str(files[0])]) == 0
    assert ludens(["selfplay", "tic_tac_toe", "--out", str(folder), *QUICK]) == 2
    assert "has games already; name another folder" in capsys.readouterr().err


def test_the_same_seed_gives_the_same_file(tmp_path, capsys) -> None:
    contents = []
    for name, seed in (("a", 1), ("b", 1), ("c", 2)):
        file = tmp_path / f"{name}.safetensors"
        how = ["--out", str(file), *QUICK, "--seed", str(seed)]
        assert ludens(["selfplay", "tic_tac_toe", *how]) == 0
        contents.append(file.read_bytes())
    assert contents[0] == contents[1] != contents[2]
    arrays, texts = FORMAT.read(tmp_path / "a.safetensors")
    assert len(arrays["numbers"]) == 6
    assert texts["game"] == "tic_tac_toe"
    assert ludens(["selfplay", "tic_tac_toe", *how]) == 2
    assert "exists; name another file" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (["tic_tac_toe", "--net", "nobody"], "there is no run 'nobody'"),
        (["tic_tac_toe", "--set", "search.simms=3"], "search has no setting 'simms'"),
        (["tic_tac_toe", "--format", "psq"], "PSQ has games of gomoku"),
        (["tic_tac_toe", "--cluster", "nowhere"], "write auto or HOST:PORT"),
    ],
)
def test_a_mistake_is_one_line_and_leaves_nothing(
    tmp_path: Path, words: list[str], why: str, capsys
) -> None:
    assert ludens(["selfplay", *words, "--out", str(tmp_path / "out")]) == 2
    error = capsys.readouterr().err
    assert why in error
    assert error.count("\n") == 1
    assert not (tmp_path / "out").exists()
