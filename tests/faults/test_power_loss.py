"""Loss of power: what was committed is there, and the run goes on."""

import pytest

from faults import power_loss


def test_no_commit_is_lost_with_the_power() -> None:
    assert power_loss.run(25, 1).failures == []


@pytest.mark.parametrize("forgotten", ["os.fsync", "ludens.files.sync_folder"])
def test_what_is_not_synced_is_lost(
    forgotten: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(forgotten, lambda _: None)
    if forgotten == "os.fsync":
        monkeypatch.setattr("faults.power_loss.Recorder.add", without_syncs)
    assert power_loss.run(25, 1).failures != []


def without_syncs(recorder, kind, path, content=b"", *, whole=power_loss.Recorder.add):
    if not kind.startswith("sync"):
        whole(recorder, kind, path, content)
