"""The scripts of benchmarks/: tables are printed; people judge their numbers."""

import os
import re
import runpy
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from xml.etree import ElementTree

import pytest

import environments
import imagination
import replay
import rules
import selfplay
import solver
import spiel_strength
from ludens.loading.game import game_files, load_game
from ludens.nets.config import NetConfig
from ludens.nets.weights import new_net, save_net

FOLDER = Path(__file__).parents[2] / "benchmarks"
SCRIPTS = [f for f in sorted(FOLDER.glob("*.py")) if "__main__" in f.read_text()]


@pytest.fixture
def _cores() -> Iterator[None]:
    """Give back the cores that a measurement leaves."""
    cores = os.sched_getaffinity(0)
    yield
    os.sched_setaffinity(0, cores)


@pytest.mark.usefixtures("_cores")
def test_rules_are_measured_next_to_peers(capsys: pytest.CaptureFixture[str]) -> None:
    rules.main(["tic_tac_toe"], seconds=0.01, rounds=1)
    head, ours, *others = capsys.readouterr().out.splitlines()
    columns = "game engine games/s steps/s copy ours is"
    assert head.split() == columns.split()
    assert ours.split()[:2] == ["tic_tac_toe", "ludens"]
    assert others[0].split()[:2] == ["tic_tac_toe", "open_spiel"]
    assert others[0].endswith("x")


def test_the_solver_is_measured_by_stage(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(solver, "CASES", (("tic_tac_toe", (3, 0)),))
    monkeypatch.setattr(solver, "MEMORY_MB", 16)
    solver.main(positions=2)
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[:3] for line in lines[2:]] == [
        ["tic_tac_toe", "3", "2/2"],
        ["tic_tac_toe", "0", "2/2"],
    ]


def test_replay_is_measured_by_game(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(replay, "CASES", ("tic_tac_toe",))
    replay.main(positions=500, batch_size=8)
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines[2:]] == ["tic_tac_toe"]


def test_selfplay_is_measured_with_the_net_of_a_preset(
    capsys: pytest.CaptureFixture[str],
) -> None:
    selfplay.main(["tic_tac_toe"], seconds=0.01, rounds=1, preset="gpu")
    head, what, bare, *_ = capsys.readouterr().out.splitlines()
    assert head.startswith("Gumbel, 256 games")
    assert what.startswith("tic_tac_toe, 4 blocks x 64 channels, 32 simulations")
    assert bare.split()[:2] == ["bare", "network"]


@pytest.mark.slow  # on a busy machine nothing is quick
@pytest.mark.parametrize("name", sorted(game_files()))
def test_a_copy_of_a_state_takes_less_than_100_ns(name: str) -> None:
    assert min(rules.copy_ns(load_game(name)) for _ in range(3)) < 100


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Return a function that runs a script with arguments, in this process."""

    def run_here(script: Path, *arguments: str) -> None:
        monkeypatch.setattr(sys, "argv", [str(script), *arguments])
        runpy.run_path(str(script), run_name="__main__")

    return run_here


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda script: script.stem)
def test_each_script_has_help(
    script: Path, run: Callable[..., None], capsys: pytest.CaptureFixture[str]
) -> None:
    run(script, "--help")
    printed = capsys.readouterr().out
    assert printed.startswith(f"Usage: {script.name}")
    assert printed.splitlines()[2].split()[0] in ("Measure", "Print", "Train")


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["tictac_toe"], "did you mean 'tic_tac_toe'"),
        (["--preset", "smal"], "there is no preset 'smal'; did you mean"),
    ],
)
def test_a_mistake_is_one_line_and_exit_code_2(
    arguments: list[str],
    complaint: str,
    run: Callable[..., None],
    capsys: pytest.CaptureFixture[str],
) -> None:
    with pytest.raises(SystemExit, match="2"):
        run(FOLDER / "selfplay.py", *arguments)
    said = capsys.readouterr().err
    assert len(said.splitlines()) == 1
    assert complaint in said


def test_docs_name_scripts_that_are_there() -> None:
    pages = [FOLDER.parent / "README.md", *(FOLDER.parent / "docs").glob("*.md")]
    text = "\n".join(page.read_text(encoding="utf-8") for page in pages)
    named = set(re.findall(r"benchmarks/(\w+)\.py", text))
    assert named
    assert named <= {script.stem for script in SCRIPTS}


def test_what_a_model_imagines_is_drawn_beneath_what_is_true(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    config = NetConfig(blocks=1, channels=4, hidden=8, model="learned")
    save_net(new_net(load_game("tic_tac_toe"), config, 1), tmp_path / "a.safetensors")
    imagination.main(tmp_path / "a.safetensors", "a1 c3", "b2")
    picture = ElementTree.fromstring(capsys.readouterr().out)
    texts = [node.text for node in picture if node.tag.endswith("text")]
    assert texts[::2] == ["seen", "after a1", "after c3"]
    assert all(text.startswith("value ") for text in texts[1::2])
    cells = [node for node in picture if node.tag.endswith("rect")]
    solid = [n for n in picture if n.get("opacity") == "1.00" and n.get("r")]
    assert len(cells) == 2 * 3 * 9
    assert [float(n.get("cy")) < 100 for n in solid[:6]] == [True] * 6


@pytest.mark.usefixtures("_cores")
def test_environments_are_measured_next_to_others(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LUDENS_COMPILE", "0")
    environments.main("tic_tac_toe", games=2, rounds=1, seconds=0.01)
    *missing, head, ours, in_turns, spiel, _ = capsys.readouterr().out.splitlines()
    assert all("was not measured" in line for line in missing)
    assert head == "tic_tac_toe, 2 games at once"
    assert [line.split()[0] for line in (ours, spiel)] == ["ludens", "OpenSpiel"]
    assert in_turns.endswith("x")


def test_a_net_of_a_game_of_openspiel_meets_openspiel_s_own_search(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    spec, path = "pyspiel:tic_tac_toe", tmp_path / "a.safetensors"
    config = NetConfig(blocks=1, channels=4, hidden=8, model="learned")
    save_net(new_net(load_game(spec), config, 1), path)
    spiel_strength.main(str(path), spec, sims=2, others=[200], num_games=20)
    printed = capsys.readouterr().out
    won, drawn, lost = map(int, re.findall(r"(\d+) (?:won|drawn|lost)", printed))
    assert won + drawn + lost == 20
    assert lost > won  # one who has learned nothing loses to one who searches
