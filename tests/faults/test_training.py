"""A training that is killed, stopped or in trouble goes on as if nothing had been."""

import re
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from faults import trainings
from faults.sessions import Process, arguments_for, contents

NUM_ITERATIONS = 6
STOPPED = r"stopped; (\d+) iterations? (is|are) kept; the same command goes on\n$"


@pytest.fixture(scope="module")
def unhurt(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a run that was never interrupted."""
    folder = tmp_path_factory.mktemp("unhurt") / "run"
    arguments = arguments_for(folder, "--iterations", NUM_ITERATIONS)
    with Process(arguments, folder.with_name("out")) as process:
        assert process.end() == 0, process.out
    return folder


def test_kills_in_any_phase_change_nothing() -> None:
    assert trainings.run(2, seed=5).failures == []


def leave_at_once(arguments: list[str], output: Path, _: trainings.Moment) -> None:
    """Say something, and do nothing."""
    output.write_text(" ".join(arguments))


def test_a_training_that_ends_in_other_bytes_is_a_failure(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def finish(_: object, variant: str, folder: Path) -> None:
        (folder / variant).mkdir(parents=True)

    ends = iter(({"games": 1}, {"games": 2}))
    monkeypatch.setattr(trainings.Trainer, "_finish", finish)
    monkeypatch.setattr(trainings, "contents", lambda _: next(ends))
    [failure] = trainings.run(1, seed=1, train=leave_at_once).failures
    assert "games differ from those without a kill" in failure


@pytest.mark.parametrize(
    ("moment", "number", "code"),
    [
        ("device", signal.SIGTERM, 143),
        ("solving", signal.SIGINT, 130),
        ("iter ", signal.SIGTERM, 143),
        pytest.param("device", signal.SIGINT, 130, marks=pytest.mark.slow),
        pytest.param("solving", signal.SIGTERM, 143, marks=pytest.mark.slow),
        pytest.param("iter ", signal.SIGINT, 130, marks=pytest.mark.slow),
    ],
)
def test_a_signal_stops_a_training_soon_and_it_goes_on(
    tmp_path: Path, moment: str, number: int, code: int
) -> None:
    folder = tmp_path / "run"
    with Process(arguments_for(folder, "--minutes", 9), tmp_path / "out") as process:
        assert process.wait_for(moment)
        process.send(number)
        assert process.end() == code  # long before the minutes are over
        found = re.search(STOPPED, process.out)
        assert found, process.out
        assert "Traceback" not in process.out
    num_kept = int(found[1])
    assert num_kept > 0 or moment != "iter "
    arguments = arguments_for(folder, "--iterations", num_kept + 1)
    with Process(arguments, tmp_path / "out") as process:
        assert process.end() == 0, process.out
        assert f"{num_kept + 1} iteration" in process.out


def test_the_second_ctrl_c_ends_it_at_once(tmp_path: Path) -> None:
    slow = ("--set", "selfplay.positions=100000", "--set", "search.sims=200")
    arguments = arguments_for(tmp_path / "run", "--minutes", 9, *slow)
    with Process(arguments, tmp_path / "out") as process:
        assert process.wait_for("solving")
        time.sleep(1)
        process.send(signal.SIGINT)
        process.send(signal.SIGINT)
        assert process.end() == 130
        assert re.search(STOPPED, process.out)


def test_two_processes_cannot_train_one_run(tmp_path: Path) -> None:
    arguments = arguments_for(tmp_path / "run", "--minutes", 9)
    with Process(arguments, tmp_path / "out") as first:
        assert first.wait_for("device")
        with Process(arguments, tmp_path / "other") as second:
            assert second.end() == 2
            said = rf"ludens: run {tmp_path}/run is in use by process \d+\n"
            assert re.fullmatch(said, second.out)


def copy_of(run: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(run, tmp_path / "run"))


@pytest.mark.parametrize("part", ["nets", "state"])
def test_a_corrupt_checkpoint_is_said_and_the_one_before_is_used(
    tmp_path: Path, unhurt: Path, part: str
) -> None:
    folder = copy_of(unhurt, tmp_path)
    newest = folder / part / f"{NUM_ITERATIONS:06d}.safetensors"
    newest.write_bytes(newest.read_bytes()[:-10])
    arguments = arguments_for(folder, "--iterations", NUM_ITERATIONS + 1)
    with Process(arguments, tmp_path / "out") as process:
        assert process.end() == 0, process.out
        assert f"checkpoint {NUM_ITERATIONS} is not used: {part}/" in process.out
        assert f"checkpoint {NUM_ITERATIONS - 1} is used instead" in process.out
        assert f"{NUM_ITERATIONS + 1} iterations" in process.out
    log = (folder / "log.txt").read_text()
    assert "is not used" in log


def test_a_full_disk_is_one_line_and_nothing_is_torn(
    tmp_path: Path, unhurt: Path
) -> None:
    folder = copy_of(unhurt, tmp_path)
    arguments = arguments_for(folder, "--iterations", NUM_ITERATIONS + 1)
    size = (folder / "state" / f"{NUM_ITERATIONS:06d}.safetensors").stat().st_size
    with Process(arguments, tmp_path / "out", file_size=size // 2) as process:
        assert process.end() == 2
        last = process.out.splitlines()[-1]
        assert last.startswith("ludens: cannot write "), process.out
        assert "Traceback" not in process.out
    found, before = contents(folder), contents(unhurt)
    assert found["files"] == before["files"]
    assert found["nets"] == before["nets"]
    assert set(found["games"]) >= set(before["games"])
    with Process(arguments, tmp_path / "out") as process:
        assert process.end() == 0, process.out


def test_the_command_itself_stops_by_ctrl_c(tmp_path: Path) -> None:
    ludens = Path(sys.executable).with_name("ludens")
    arguments = arguments_for(tmp_path / "run", "--minutes", 9)
    started = subprocess.Popen(
        [str(ludens), *arguments], stdout=subprocess.PIPE, text=True
    )
    with started as process:
        assert process.stdout is not None
        for line in process.stdout:
            if line.startswith("    1 "):
                process.send_signal(signal.SIGINT)
                break
        assert process.stdout.read().endswith("the same command goes on\n")
        assert process.wait() == 130
