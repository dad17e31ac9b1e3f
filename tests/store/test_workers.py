"""What workers of a cluster did is kept with the games, and shown to people."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from faults.made_runs import commit_games, make_game, make_net, make_run
from ludens.cli import run as ludens
from ludens.report.page import make_report
from ludens.store.run import Run
from ludens.store.summary import summarise
from ludens.store.workers import HERE, WorkerFigures, shown, sum_up, words

WORKERS = (
    WorkerFigures("big-1", 2, 12, 40, 300, 9_000, 18.0, 2.0, 17.5, 250_000_000),
    WorkerFigures("small-2", 1, 3, 10, 75, 2_000, 5.0, 5.0, 4.9, 200_000_000),
    WorkerFigures(HERE, shares=1),
)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a run of which a cluster has played the second iteration."""
    with make_run(tmp_path / "run", 1) as run:
        sums = sum_up(WORKERS, num_twice=2)
        run.commit_games(2, [make_game(50)], [], sums, WORKERS)
        run.commit_net(2, make_net(2), None, sums)
        commit_games(run, 3)
    return tmp_path / "run"


def test_what_workers_did_is_read_as_it_was_written(folder: Path) -> None:
    with Run.open(folder) as run:
        assert run.workers() == list(WORKERS)
        assert summarise(run).workers == list(WORKERS)
        assert run.damage == []


def test_people_can_ask_for_workers_in_sql(folder: Path) -> None:
    with closing(sqlite3.connect(folder / "games.sqlite")) as base:
        asked = "SELECT iteration, worker, evals / (busy_s + waited_s) FROM workers"
        rows = base.execute(f"{asked} WHERE threads > 0").fetchall()
    assert rows == [(2, "big-1", 450.0), (2, "small-2", 200.0)]


@pytest.mark.parametrize(
    "change",
    ["evals = 5", "worker = ''", "busy_s = -1.0", "threads = 1.5", "rss_bytes = 'x'"],
)
def test_a_damaged_row_is_left_out_and_named(folder: Path, change: str) -> None:
    with closing(sqlite3.connect(folder / "games.sqlite")) as base, base:
        base.execute(f"UPDATE workers SET {change} WHERE worker = 'big-1'")
    with Run.open(folder) as run:
        assert [one.worker for one in run.workers()] == ["small-2", HERE]
        assert ["worker" in line for line in run.damage] == [True]


def test_a_worker_is_as_fast_as_it_was_with_its_waiting() -> None:
    assert [one.evals_per_s for one in WORKERS] == [900.0, 200.0, 0.0]
    assert [one.share_busy for one in WORKERS] == [0.9, 0.5, 0.0]


def test_a_cluster_is_said_in_few_words() -> None:
    said = words(sum_up(WORKERS, num_twice=2))
    assert said == "2 workers, 77% busy, 2 shares twice, 1 share here"
    assert words({}) == ""


def test_of_a_thousand_workers_the_first_are_shown() -> None:
    many = [WorkerFigures(f"node-{n}") for n in range(1000)]
    assert len(rows := shown(many)) == 18
    assert rows[-1][0] == "and 984 more"
    assert shown([]) == []


def test_a_run_is_shown_with_its_workers(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert ludens(["show", str(folder)]) == 0
    lines = capsys.readouterr().out.splitlines()
    figures = "2 threads, 12 shares, 900 evaluations/s, 90% busy, 250 MB memory"
    assert f"workers     big-1: {figures}" in lines
    assert f"{'':<12}here: 1 share" in lines
    with Run.open(folder) as run:
        report = make_report(run)
    assert "<td>small-2</td>" in report
    assert "<figcaption>Cluster" in report
