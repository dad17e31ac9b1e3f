"""`ludens check --watch`."""

from pathlib import Path
from types import SimpleNamespace

from ludens.loading import watched
from ludens.loading.game import game_files

RULES = game_files()["tic_tac_toe"].read_text(encoding="utf-8")


def test_rules_are_checked_again_whenever_they_change(ludens, tmp_path, monkeypatch):
    file = Path(tmp_path / "mine.py")
    file.write_text(RULES, encoding="utf-8")
    faulty = RULES.replace("return lead / (8 + abs(lead))", "return 2.0")
    edits = iter([f"{RULES}(", faulty, f"{RULES}\n", None])

    def edit(_: float) -> None:
        text = next(edits)
        if text is None:
            raise KeyboardInterrupt
        file.write_text(text, encoding="utf-8")

    monkeypatch.setattr(watched, "time", SimpleNamespace(sleep=edit))
    ran = ludens("check", file, "--games", 2, "--watch")
    assert (ran.code, ran.err) == (130, "")
    first, broken, wrong, mended = ran.out.split("\nmine.py changed:\n")
    assert ": ok;" in first
    assert "does not load: SyntaxError" in broken
    assert "heuristic-out-of-range" in wrong
    assert ": ok;" in mended
    assert ran.out.count("Watching 1 file; Ctrl-C ends it.") == 4
