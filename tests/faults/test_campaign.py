"""The runner of the campaign: it finds parts, counts, and tells failures."""

import sys
from types import ModuleType

import pytest

from faults import __main__ as campaign
from faults.outcome import Outcome

SOME = Outcome("some", 200, [])


def test_parts_are_found_by_their_run() -> None:
    assert "outcome" not in campaign.part_names()
    for name in campaign.part_names():
        assert callable(sys.modules[f"faults.{name}"].run)


def test_the_bound_is_three_in_all_cases_if_none_failed() -> None:
    assert campaign.bound_on_the_rate(SOME) == "1.5e-02"
    assert campaign.bound_on_the_rate(Outcome("some", 200, ["x"])) == "-"


@pytest.mark.parametrize(("failures", "code"), [([], 0), (["case 7 fell"], 1)])
def test_a_table_and_the_failures_are_printed(
    failures: list[str],
    code: int,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    part = ModuleType("faults.planted")
    part.run = lambda n, seed: Outcome("planted", n + seed, failures)  # type: ignore
    monkeypatch.setitem(sys.modules, "faults.planted", part)
    monkeypatch.setattr(campaign, "part_names", lambda: ["planted"])
    assert campaign.main(["planted", "--number", "30", "--seed", "2"]) == code
    _, row, *rest = capsys.readouterr().out.splitlines()
    assert row.split()[:3] == ["planted", "32", f"{32 - len(failures)}"]
    assert rest == [f"planted: {failure}" for failure in failures]


def test_a_part_that_is_not_there_is_a_mistake(
    capsys: pytest.CaptureFixture[str],
) -> None:
    with pytest.raises(SystemExit, match="2"):
        campaign.main(["nothing"])
    assert "there is no part 'nothing'" in capsys.readouterr().err
