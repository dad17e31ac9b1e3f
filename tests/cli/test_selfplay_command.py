"""`ludens selfplay`: games of a net, in a folder or a file."""

import shutil
from pathlib import Path

import pytest

from ludens.cli import run as ludens
from ludens.loading.game import load_game
from ludens.nets.config import NetConfig
from ludens.nets.weights import new_net, save_net
from ludens.selfplay.share import SharePlayed
from ludens.store.arrays import FORMAT
from ludens.store.finding import find_net
from ludens.store.games import row_of
from ludens.store.run import Run
from ludens.training.generating import Generating

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


def test_a_net_plays_what_it_has_learned_to_see(tmp_path, capsys, monkeypatch) -> None:
    monkeypatch.setenv("LUDENS_COMPILE", "0")
    net, run = tmp_path / "few.safetensors", tmp_path / "run"
    known = load_game("gomoku:size=5,row=3,threats=false")
    save_net(new_net(known, NetConfig(blocks=1, channels=4, hidden=4), 1), net)
    how = ["--agent", f"net:weights={net}", "--games", "1", "--set", "search.sims=1"]
    assert ludens(["selfplay", "gomoku:size=5,row=3", "--run", str(run), *how]) == 0
    with Run.open(run) as made:
        assert made.facts()["game"] == known.spec
    assert ludens(["selfplay", "gomoku:size=5", "--run", str(run), *how]) == 2
    assert "the net is for row=3, not for row=5" in capsys.readouterr().err


def test_games_go_into_a_run_and_the_same_command_goes_on(
    tmp_path, capsys, monkeypatch
) -> None:
    """A run that was cut off, its source gone, ends in the games of a whole one."""
    monkeypatch.setenv("LUDENS_RUNS", str(tmp_path))
    own = tmp_path / "own.safetensors"
    shutil.copy(find_net("tic_tac_toe"), own)
    word = ["selfplay", "tic_tac_toe", "--agent", f"net:weights={own},sims=4"]
    word += ["--games", "6", "--threads", "1"]
    assert ludens([*word, "--run", "whole"]) == 0
    kept, keep = [], Generating.keep

    def die_after_two(self: Generating, played: SharePlayed) -> None:
        if len(kept) == 2:
            raise KeyboardInterrupt
        kept.append(played)
        keep(self, played)

    with monkeypatch.context() as patch:
        patch.setattr(Generating, "keep", die_after_two)
        assert ludens([*word, "--run", "cut"]) == 130
    own.unlink()
    assert ludens([*word, "--run", "cut"]) == 0
    assert "6 games with " in capsys.readouterr().out
    rows = []
    for name in ("whole", "cut"):
        with Run.open(tmp_path / name) as run:
            rows.append([row_of(game, 0) for game in run.games()])
            assert sorted(run.nets()) == [0]
            assert run.facts()["origin"] == str(own)
    assert rows[0] == rows[1]
    assert len(rows[0]) == 6
    assert ludens([*word[:3], "net:sims=5", "--run", "cut"]) == 2
    assert "keeps its search.sims 4, not 5" in capsys.readouterr().err


def test_a_run_is_for_self_play_or_for_training(tmp_path, capsys, monkeypatch) -> None:
    monkeypatch.setenv("LUDENS_RUNS", str(tmp_path))
    word = ["selfplay", "tic_tac_toe", *QUICK, "--games", "2"]
    assert ludens([*word, "--run", "played"]) == 0
    assert ludens(["train", "tic_tac_toe", "--run", "played"]) == 2
    assert "train tic_tac_toe --records played" in capsys.readouterr().err
    assert ludens([*word, "--run", "played", "--out", "x"]) == 2
    assert "say where the games go" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (["tic_tac_toe", "--agent", "net:weights=nobody"], "there is no run 'nobody'"),
        (["tic_tac_toe", "--agent", "mcts"], "--agent cannot be mcts"),
        (["tic_tac_toe", "--agent", "net:simms=4"], "has no setting 'simms'"),
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
