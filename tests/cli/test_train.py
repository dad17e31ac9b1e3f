"""`ludens train`: what it prints, what it refuses, and how it goes on."""

import json
import os
import pty
import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from faults.sessions import Process, arguments_for, contents
from ludens.cli import main
from ludens.store.run import Run
from ludens.training.config import parse_config

UNGRADED = """
import sys
from ludens.cli import main, outcome
outcome.MOST_POSITIONS = 0
main(sys.argv[1:])
"""


@pytest.fixture
def train(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Callable[..., Any]:
    """Return a function that trains in a folder: exit code, output and errors."""

    def run(*more: object, game: str = "tic_tac_toe") -> tuple[int, str, str]:
        with pytest.raises(SystemExit) as left:
            main(arguments_for(tmp_path / "run", *more, game=game))
        printed = capsys.readouterr()
        return int(left.value.code or 0), printed.out, printed.err

    return run


@pytest.fixture
def graded(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let nets be graded in all positions, as they are for users."""
    monkeypatch.setattr("ludens.cli.outcome.MOST_POSITIONS", 10_000)


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """Return a run of two iterations, and what its training printed."""
    folder = tmp_path_factory.mktemp("trained") / "run"
    arguments = arguments_for(folder, "--iterations", 2)
    out = folder.with_name("out")
    with Process(arguments, out, is_graded=True) as process:
        assert process.end() == 0, process.out
        return folder, process.out


def config_of(folder: Path) -> Any:
    with Run.open(folder) as run:
        return parse_config(run.facts()["config"], "the run")


def test_lines_for_people(trained: tuple[Path, str]) -> None:
    folder, out = trained
    wanted = rf"""(?:Compiling .+
)*game      tic_tac_toe
run       {folder} \(new\)
net       [\d,]+ parameters, [\d.]+ M multiply-adds
preset    laptop
budget    2 iterations
device    cpu, 1 thread
solving 8 positions to measure by
(?:Compiling .+
)* iter     time     games  games/s   evals/s    loss     left
    1 +\d+:\d\d +\d+ +[\d.]+ +[\d,]+ +\d\.\d\d\d +\d+:\d\d
    2 +\d+:\d\d +\d+ +[\d.]+ +[\d,]+ +\d\.\d\d\d +0:00  Elo .+  score .+  best moves .+
result    2 iterations, \d+ games, \d+ positions in .+
          [\d,]+ wrong moves? with 64 simulations, [\d,]+ by the net alone, in all .+
          Elo [+-]\d+ \[[+-]\d+, [+-]\d+\] \(0: mcts with 8 simulations\)
          score [\d.]+ % against mcts, [\d.]+ % against random
          best moves [\d.]+ % alone, [\d.]+ % with search
play      ludens play tic_tac_toe --vs net:weights={folder}
go on     ludens train tic_tac_toe --run {folder} --iterations 4
"""
    assert re.fullmatch(wanted, out), out


def test_the_log_has_every_line_with_its_time(trained: tuple[Path, str]) -> None:
    lines = (trained[0] / "log.txt").read_text().splitlines()
    assert all(re.match(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d ", line) for line in lines)
    assert {line[20:27] for line in lines} == {"info   "}
    text = "\n".join(line[28:] for line in lines)
    assert text.startswith("session: game tic_tac_toe; run ")
    assert "\nsolving 8 positions" in text
    assert re.search(r"^    2 .*Elo ", text, re.MULTILINE)
    assert "wrong move" in text


@pytest.mark.usefixtures("graded")
def test_a_spent_budget_shows_the_result_again(
    trained: tuple[Path, str], train: Any, tmp_path: Path
) -> None:
    (tmp_path / "run").symlink_to(trained[0])
    before = contents(trained[0])
    code, out, _ = train("--iterations", 2)
    assert code == 0
    assert "the budget of 2 iterations is spent; to go on, raise it: ludens" in out
    assert "wrong move" in out
    assert "iter " not in out
    assert contents(trained[0]) == before


@pytest.mark.usefixtures("graded")
def test_without_positions_to_solve_nothing_is_said_of_them(train: Any) -> None:
    _, out, _ = train("--iterations", 1, "--set", "evaluate.solved_positions=0")
    assert "solving" not in out
    assert "wrong move" in out


def test_quiet_prints_the_result_alone(train: Any) -> None:
    code, out, err = train("--iterations", 1, "--quiet")
    assert (code, err) == (0, "")
    assert out.startswith("result    1 iteration, ")
    assert out.splitlines()[-1].startswith("go on     ludens train")


@pytest.mark.usefixtures("graded")
def test_json_is_an_object_a_line(train: Any) -> None:
    code, out, _ = train("--iterations", 2, "--json")
    events = [json.loads(line) for line in out.splitlines()]
    within = [event for event in events if event["event"] == "moment"]
    events = [event for event in events if event not in within]
    names = [event["event"] for event in events]
    assert code == 0
    assert names == ["start", "note", "iteration", "iteration", "result"]
    assert within[0]["phase"] == "play"
    assert within[0]["figures"]["evals_per_s"] > 0
    assert events[3]["iteration"] == 2
    assert {"loss", "elo", "truth_search", "evals_per_s"} <= events[3].keys()
    assert events[-1]["reachable_positions"] == 4520


def test_a_terminal_gets_a_display_that_moves(tmp_path: Path) -> None:
    arguments = arguments_for(tmp_path / "run", "--iterations", 1)
    child, terminal = pty.fork()
    if child == 0:
        os.environ |= {"TERM": "xterm", "COLUMNS": "160", "LINES": "40"}
        os.execv(sys.executable, [sys.executable, "-c", UNGRADED, *arguments])
    shown = b""
    while True:
        try:
            shown += os.read(terminal, 65536)
        except OSError:  # the other side has closed it
            break
    os.close(terminal)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    text = shown.decode()
    for words in ("budget", "play", "learn", "evaluations/s", "left", "iteration 1:"):
        assert words in text
    assert text.rindex("\x1b[?25h") > text.rindex("\x1b[?25l")  # the cursor is back


@pytest.mark.parametrize(
    ("given", "complaint"),
    [
        (["--set", "learn.batchsize=1"], "no setting 'batchsize'; did you mean 'batch"),
        (["--set", "lerning.lr=1"], "there is no section 'lerning'"),
        (["--set", "learn.lr=fast"], "learn.lr cannot be 'fast'"),
        (["--set", "learn.lr"], "cannot read --set learn.lr; write section.key=value"),
        (["--set", "search.memory_mb=1", "--set", "search.sims=9999"], "is too little"),
        (["--minutes", "-1"], "budget.minutes cannot be '-1.0'"),
        (["--seed", "-1"], "seed cannot be '-1'"),
        (["--preset", "lapdog"], "there is no preset 'lapdog'; did you mean 'laptop'?"),
        (["--config", "none.toml"], "cannot read none.toml: No such file"),
        (["--device", "tpu"], "there is no device 'tpu'"),
        (["--device", "mps"], "no mps on this machine; use device cpu"),
        (["--precision", "f8"], "there is no precision 'f8'"),
        (["--track", "tensorbord"], "did you mean 'tensorboard'?"),
        (["--from", "nowhere"], "there is no net 'nowhere'"),
        (["--from", "nowhere"], "a net is a file (.safetensors), a run (RUN or RUN@40"),
        (["--records", "nowhere"], "there is no file, folder or run nowhere"),
    ],
)
def test_a_mistake_is_one_line_and_makes_nothing(
    train: Any, tmp_path: Path, given: list[str], complaint: str
) -> None:
    code, out, err = train(*given)
    assert (code, out) == (2, "")
    assert complaint in err
    assert err.count("\n") == 1
    assert not (tmp_path / "run").exists()


def test_a_run_goes_on_with_its_settings(train: Any, tmp_path: Path) -> None:
    assert train("--iterations", 1, "--quiet")[0] == 0
    with pytest.raises(SystemExit):
        main(["train", "tic_tac_toe", "--run", str(tmp_path / "run"), "--quiet"])
    assert config_of(tmp_path / "run").net.channels == 8
    code, out, _ = train("--iterations", 2, "--set", "learn.lr=0.0005")
    assert code == 0
    assert "(it goes on after iteration 1)" in out
    config = config_of(tmp_path / "run")
    assert (config.learn.lr, config.budget.iterations) == (0.0005, 2)
    assert "lr = 0.0005" in (tmp_path / "run" / "config.toml").read_text()


@pytest.mark.parametrize(
    ("given", "complaint"),
    [
        (["--set", "net.channels=16"], "run run keeps its net; start another run"),
        (["--seed", "5"], "run run keeps its seed 0, not 5; start another run"),
        (["--preset", "gpu"], "run run has preset laptop, not gpu"),
        (["--preset", "gpuu"], "there is no preset 'gpuu'; did you mean 'gpu'?"),
        (["--set", "selfplay.shares=4"], "keeps its selfplay.shares; start another"),
        (
            ["--set", "evaluate.solved_positions=9"],
            "keeps its evaluate.solved_positions",
        ),
    ],
)
def test_what_a_run_is_made_with_stays(
    trained: tuple[Path, str],
    train: Any,
    tmp_path: Path,
    given: list[str],
    complaint: str,
) -> None:
    (tmp_path / "run").symlink_to(trained[0])
    before = (trained[0] / "config.toml").read_text()
    code, out, err = train(*given)
    assert (code, out) == (2, "")
    assert complaint in err
    assert (trained[0] / "config.toml").read_text() == before


def test_a_run_of_another_game_is_refused(
    trained: tuple[Path, str], train: Any, tmp_path: Path
) -> None:
    (tmp_path / "run").symlink_to(trained[0])
    code, _, err = train(game="connect_four")
    assert code == 2
    assert "has game tic_tac_toe, not connect_four; start another run" in err


def test_a_config_file_is_read_and_read_again(train: Any, tmp_path: Path) -> None:
    (tmp_path / "my.toml").write_text("seed = 4\n[learn]\nlr = 0.002\n")
    for iterations in (1, 2):
        given = ("--config", tmp_path / "my.toml", "--iterations", iterations)
        assert train(*given, "--quiet")[0] == 0
    config = config_of(tmp_path / "run")
    assert (config.seed, config.learn.lr) == (4, 0.002)


def test_sinks_get_every_iteration(train: Any, tmp_path: Path) -> None:
    assert train("--iterations", 1, "--quiet", "--track", "tensorboard")[0] == 0
    assert list((tmp_path / "run" / "tensorboard").glob("events.out.tfevents.*"))


def test_without_torch_that_is_said(
    train: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "torch", None)
    code, out, err = train()
    assert (code, out) == (2, "")
    wanted = f"{sys.executable} -m pip install 'torch>=2.6'"
    assert err == f"ludens: training needs PyTorch; install it: {wanted}\n"
