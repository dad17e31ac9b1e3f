"""Made-up runs are read in lines, and lead to no other file."""

from pathlib import Path

import pytest

from faults import hostile_runs


def test_made_up_runs_are_read_in_lines_and_change_nothing() -> None:
    assert hostile_runs.run(10, seed=3).failures == []


@pytest.mark.parametrize(
    ("said", "code", "complaint"),
    [
        ("\x1b[2J", 0, "exit 0: '\\x1b[2J'"),
        ("Traceback", 1, "exit 1: 'Traceback'"),
        ("one line\nand another", 2, "2 lines: 'and another'"),
    ],
)
def test_a_command_that_loses_its_calm_is_a_failure(
    monkeypatch: pytest.MonkeyPatch, said: str, code: int, complaint: str
) -> None:
    def command(words: list[str]) -> int:
        print(said)
        return code

    monkeypatch.setattr(hostile_runs, "run_command", command)
    monkeypatch.setattr(hostile_runs, "COMMANDS", ("show {run}",))
    (failure,) = hostile_runs.run(1, seed=3).failures
    assert complaint in failure


def test_a_file_that_is_removed_elsewhere_is_a_failure(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def command(words: list[str]) -> int:
        home = Path(words[1]).parents[1]
        (home / "victim" / "kept").unlink()
        return 0

    monkeypatch.setattr(hostile_runs, "run_command", command)
    monkeypatch.setattr(hostile_runs, "COMMANDS", ("show {run}",))
    (failure,) = hostile_runs.run(1, seed=3).failures
    assert failure.endswith("other files were changed")
