import sqlite3

import pytest

from faults.made_runs import make_run
from ludens.store.database import FORMAT


@pytest.fixture
def runs(tmp_path, monkeypatch):
    """Return the folder where runs are."""
    folder = tmp_path / "runs"
    monkeypatch.setenv("LUDENS_RUNS", str(folder))
    return folder


def test_a_report_is_written_into_the_run_or_elsewhere(ludens, runs, tmp_path):
    make_run(runs / "one", 3).close()
    ran = ludens("report", "one")
    page = runs / "one" / "report.html"
    assert (ran.code, ran.out) == (0, f"Wrote {page}.\n")
    assert page.read_text(encoding="utf-8").startswith("<!DOCTYPE html>")
    elsewhere = tmp_path / "page.html"
    assert ludens("report", runs / "one", "--out", elsewhere).code == 0
    assert elsewhere.read_bytes() == page.read_bytes()


def test_what_cannot_be_reported_is_one_line(ludens, runs, tmp_path):
    make_run(runs / "one", 1).close()
    ran = ludens("report", "won")
    assert ran.code == 2
    assert ran.err == "ludens: there is no run 'won'; did you mean 'one'?\n"
    ran = ludens("report", "one", "--out", tmp_path / "no" / "page.html")
    assert ran.code == 2
    assert ran.err.startswith("ludens: cannot write ")
    with sqlite3.connect(runs / "one" / "games.sqlite") as base:
        base.execute("PRAGMA user_version = 99")
    base.close()
    ran = ludens("report", "one")
    assert ran.code == 2
    assert f"has format 99; this version of ludens reads up to {FORMAT}" in ran.err
    assert ran.err.count("\n") == 1
    assert not (runs / "one" / "report.html").exists()
