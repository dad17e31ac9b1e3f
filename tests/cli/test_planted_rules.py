"""A rules file that a net, a run or a record names is never run."""

import json
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from faults.made_runs import (
    CONFIG,
    FACTS,
    commit_iteration,
    make_game,
    make_net,
    make_state,
)
from ludens import UserError, loading
from ludens.loading.game import game_files, load_named
from ludens.nets import shipped
from ludens.nets.weights import Net, save_net
from ludens.store.run import Run
from ludens.web.library import Library
from ludens.web.runs import list_all

HOW_NAMED = ["trap.py", "./trap.py", "{folder}/trap.py", "trap.py:size=3"]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Return a folder, the current one, with rules that leave a mark when run."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("LUDENS_RUNS", str(tmp_path / "runs"))
    rules = game_files()["tic_tac_toe"].read_text(encoding="utf-8")
    mark = f"open({str(tmp_path / 'sprung')!r}, 'w').close()\n"
    (tmp_path / "trap.py").write_text(rules + mark, encoding="utf-8")
    return tmp_path


def plant_run(name: str) -> None:
    """Make a run with games and a net whose facts, config and card name a game."""
    config = CONFIG.replace("tic_tac_toe", name)
    with Run.create(Path("runs") / "one", config, FACTS | {"game": name}) as run:
        commit_iteration(run, 1, [make_game(1)], (), net_of(name), make_state(1))


def net_of(game: str) -> Net:
    """Return a net whose card names a game."""
    net = make_net(1)
    return replace(net, card=replace(net.card, game=game))


def plant_record(name: str) -> None:
    record = {"format": "ludens-record-1", "game": name, "history": []}
    Path("game.json").write_text(json.dumps(record), encoding="utf-8")


READERS = [
    "nets net.safetensors",
    "nets net.safetensors --json",
    "nets one",
    "nets",
    "export net.safetensors --onnx out.onnx",
    "runs",
    "runs --json",
    "show one",
    "report one",
    "show game.json",
    "play game.json",
    "match net:weights=one random --game tic_tac_toe --games 2",
    "analyse tic_tac_toe --agent policy:weights=net.safetensors",
    "train tic_tac_toe --run one",
    "train tic_tac_toe --run new --config runs/one/config.toml",
    "train tic_tac_toe --run new --records .",
]


@pytest.mark.parametrize("reader", READERS)
def test_no_command_runs_rules_that_a_file_names(ludens, folder, monkeypatch, reader):
    monkeypatch.setattr(shipped, "PRETRAINED", folder)
    for how in HOW_NAMED:
        name = how.format(folder=folder)
        plant_run(name)
        save_net(net_of(name), folder / "net.safetensors")
        plant_record(name)
        ran = ludens(*reader.split(), lines="quit")
        assert ran.code in (0, 2)
        assert not (folder / "sprung").exists()
        shutil.rmtree("runs")


@pytest.mark.parametrize("how", HOW_NAMED)
def test_the_page_runs_no_rules_that_a_run_or_record_names(folder, how):
    plant_run(how.format(folder=folder))
    library = Library()
    [listed] = list_all(library)
    assert not listed["is_known"]
    assert not (folder / "sprung").exists()


def test_rules_that_the_user_names_draw_the_games_of_a_run(ludens, folder):
    plant_run("elsewhere/trap.py")
    ran = ludens("report", "one")
    assert ran.code == 0
    assert "--rules 'elsewhere/trap.py'" in ran.err
    page = Path("runs/one/report.html")
    assert "only if you name it yourself" in page.read_text(encoding="utf-8")
    assert ludens("report", "one", "--rules", "trap.py").err == ""
    assert "The first game" in page.read_text(encoding="utf-8")
    ran = ludens("report", "one", "--rules", "tic_tac_toe")
    assert ran.code == 2
    assert "it is of elsewhere/trap.py, not of tic_tac_toe" in ran.err


def test_a_net_of_own_rules_is_named_in_full(ludens, folder):
    save_net(net_of("trap.py"), folder / "net.safetensors")
    assert "\ngame           trap.py\n" in ludens("nets", "net.safetensors").out


@pytest.mark.parametrize("size", [[], {}, None, [[9]], {"a": 1}, True, 1e300, "x"])
def test_options_that_a_file_names_may_be_anything(size):
    with pytest.raises(UserError, match="size cannot be"):
        load_named("gomoku", options={"size": size}, compiled=False)


@pytest.mark.parametrize("part", ["formats", "report", "store", "track", "training"])
def test_those_who_read_files_load_only_games_that_are_listed(part):
    for file in (Path(loading.__file__).parents[1] / part).rglob("*.py"):
        assert " load_game" not in file.read_text(encoding="utf-8").replace(
            "def load_game(self", ""
        )
