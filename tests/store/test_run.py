"""A run keeps what it was given, and says what it does not take."""

import sqlite3
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from faults.made_runs import (
    CONFIG,
    FACTS,
    commit,
    commit_iteration,
    is_same,
    make_game,
    make_net,
    make_older,
    make_run,
    make_state,
)
from ludens.errors import UserError
from ludens.store.checkpoints import Keeps
from ludens.store.run import Run


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "run"


def test_games_come_back_to_the_last_bit(folder: Path) -> None:
    games = [*map(make_game, range(600)), make_game(600, 0)]
    with make_run(folder) as run:
        commit_iteration(run, 1, games, games[:3], None, None, {})
    with Run.open(folder) as run:
        assert all(map(is_same, games, run.games()))
        assert all(map(is_same, games[580:], run.games(580)))
        assert len(list(run.games())) == 601
        assert all(map(is_same, games[:3], run.unfinished()))


def test_checkpoint_and_metrics_come_back(folder: Path) -> None:
    with make_run(folder, 3) as run:
        found = run.last()
        assert found is not None
        assert (found.iteration, found.notes) == (3, ())
        assert found.net is not None
        assert found.net.card == make_net(3).card
        assert found.tensors is not None
        for name, array in make_state(3).items():
            assert found.tensors[name].tobytes() == array.tobytes()
            assert found.tensors[name].shape == array.shape
        assert [m["loss"] for m in run.metrics()] == [1, 1 / 2, 1 / 3]
        assert [m["iteration"] for m in run.metrics()] == [1, 2, 3]
        assert run.newest_iteration == 3
        assert (run.totals().iterations, run.totals().games) == (3, 30)


def test_a_game_delivered_twice_counts_once(folder: Path) -> None:
    with make_run(folder) as run:
        commit_iteration(run, 1, [make_game(1), make_game(1)], [], None, None, {})
        commit_iteration(run, 2, [make_game(1), make_game(2)], [], None, None, {})
        assert [game.number for game in run.games()] == [1, 2]


def test_unfinished_games_are_those_of_the_newest_iteration(folder: Path) -> None:
    with make_run(folder, 2) as run:
        assert [game.number for game in run.unfinished()] == [30]
        commit_iteration(run, 3, [], [], None, None, {})
        assert run.unfinished() == []


def test_games_are_kept_before_the_net_is_there(folder: Path) -> None:
    with make_run(folder, 2) as run:
        run.commit_games(3, [make_game(40), make_game(7)], [make_game(41)], {"a": 1.5})
    with Run.open(folder) as run:
        pending = run.pending()
        assert pending is not None
        assert (pending.number, pending.games, pending.metrics) == (3, 2, {"a": 1.5})
        assert pending.positions == sum(map(num_positions, (40, 7)))
        assert (run.newest_iteration, run.totals().games) == (2, 20)
        assert [m["iteration"] for m in run.metrics()] == [1, 2]
        assert [game.number for game in run.games_after(29)] == [7, 40]
        assert [game.number for game in run.unfinished()] == [41]
    with Run.open(folder, write=True) as run:
        run.commit_net(3, make_net(3), make_state(3), {"a": 1.5, "b": 2})
        assert run.pending() is None
        assert (run.newest_iteration, run.totals().games) == (3, 22)
        assert run.metrics()[-1]["seconds"] >= pending.seconds


def num_positions(number: int) -> int:
    return make_game(number).num_positions


@pytest.mark.parametrize("number", [1, 2, 3, 4])
def test_a_run_of_an_older_format_is_read_and_goes_on(
    folder: Path, number: int
) -> None:
    """The first knew no games without a net, the second no checksums, the third no
    traces, the fourth no workers."""
    with make_run(folder, 2) as run:
        totals, results, tallies = run.totals(), run.results(), run.tallies()
    make_older(folder, number)
    with Run.open(folder) as run:
        assert (run.totals(), run.results()) == (totals, results)
        assert len(list(run.games())) == 20
        assert len(run.unfinished()) == 1
        assert run.workers() == []
        assert run.pending() is None
        assert run.last().iteration == 2
        assert run.damage == []
    with Run.open(folder, write=True) as run:
        assert run.tallies()[-1] == tallies[-1]
        commit(run, 3)
        assert run.newest_iteration == 3
    with Run.open(folder) as run:
        assert run.totals().games == len(list(run.games())) == 30
        assert run.damage == []


def test_games_come_in_the_order_of_their_iterations(folder: Path) -> None:
    with make_run(folder) as run:
        commit_iteration(run, 1, [make_game(5), make_game(2)], [], None, None, {})
        commit_iteration(run, 2, [make_game(3)], [], None, None, {})
        assert [game.number for game in run.games()] == [2, 5, 3]


def test_the_newest_games_with_so_many_positions(folder: Path) -> None:
    with make_run(folder, 3) as run:
        games = list(run.games())
        sizes = [np.count_nonzero(game.kinds) for game in games]
        wanted = int(sum(sizes[-12:]))
        found = [game.number for game in run.last_games(wanted)]
        assert found == [game.number for game in games[-12:]]
        assert len(list(run.last_games(wanted + 1))) == 13
        assert len(list(run.last_games(10**9))) == 30
        assert list(run.last_games(0)) == []


def test_metrics_know_no_nan(folder: Path) -> None:
    with make_run(folder) as run:
        odd = {"a": float("nan"), "b": np.float32(0.5), "c": np.int64(3), "d": True}
        commit_iteration(run, 1, [], [], None, None, odd)
        [found] = run.metrics()
    assert [found[name] for name in "abcd"] == [None, 0.5, 3, True]


def test_people_can_ask_in_sql(folder: Path) -> None:
    make_run(folder, 2).close()
    base = sqlite3.connect(folder / "games.sqlite")
    asked = "SELECT iteration, games, wins, draws, losses, resigned FROM results"
    assert base.execute(asked).fetchall() == [(1, 10, 3, 4, 3, 2), (2, 10, 4, 3, 3, 3)]
    asked = "SELECT ending, result, net FROM games WHERE number = 12"
    assert base.execute(asked).fetchone() == ("resigned", -1.0, 1)
    base.close()


def test_old_nets_and_states_are_pruned(folder: Path) -> None:
    with make_run(folder) as run:
        run.keeps = Keeps(nets=2, nets_every=4, states=3)
        for iteration in range(1, 12):
            commit(run, iteration)
        assert list(run.nets()) == [4, 8, 9, 10, 11]
    kept = sorted(path.name for path in (folder / "nets").iterdir())
    assert kept == [f"{n:06d}.safetensors" for n in (4, 8, 9, 10, 11)]
    kept = sorted(path.name for path in (folder / "state").iterdir())
    assert kept == [f"{n:06d}.safetensors" for n in (9, 10, 11)]


def test_a_net_that_is_not_published_leaves_the_older_one(folder: Path) -> None:
    with make_run(folder, 1) as run:
        for iteration in range(2, 9):
            commit_iteration(run, iteration, [], [], None, make_state(iteration), {})
        found = run.last()
    assert found is not None
    assert found.net is not None
    assert (found.iteration, found.net.card.iteration) == (8, 1)


def test_the_config_is_kept(folder: Path) -> None:
    with make_run(folder) as run:
        assert run.facts()["config"] == CONFIG
        run.save_config("seed = 8\n")
        assert run.facts()["config"] == "seed = 8\n"
    assert (folder / "config.toml").read_text() == "seed = 8\n"


def test_lines_of_the_log_carry_time_and_level(folder: Path) -> None:
    with make_run(folder) as run:
        run.log("one")
        run.log("two", "warning")
    lines = (folder / "log.txt").read_text().splitlines()
    said = [line.split(" ", 2)[2] for line in lines]
    assert said == ["info    one", "warning two"]


def test_start_makes_a_run_or_goes_on_with_it(folder: Path) -> None:
    with Run.start(folder, CONFIG, FACTS) as run:
        commit(run, 1)
    with Run.start(folder, "other", FACTS) as run:
        assert run.newest_iteration == 1
        assert run.facts()["config"] == CONFIG


@pytest.mark.parametrize(
    ("key", "value", "complaint"),
    [
        ("game", "gomoku", "has game tic_tac_toe, not gomoku; start another run"),
        ("seed", "8", "has seed 7, not 8; start another run"),
        ("rules_hash", "x", "was made with other rules of tic_tac_toe; start another"),
    ],
)
def test_a_run_of_something_else_is_refused(
    folder: Path, key: str, value: str, complaint: str
) -> None:
    make_run(folder).close()
    with pytest.raises(UserError, match=complaint):
        Run.start(folder, CONFIG, FACTS | {key: value})
    Run.open(folder, write=True, facts=FACTS).close()


def test_a_run_of_another_format_is_refused(folder: Path) -> None:
    make_run(folder).close()
    base = sqlite3.connect(folder / "games.sqlite")
    base.execute("PRAGMA user_version = 9")
    base.close()
    with pytest.raises(
        UserError, match="has format 9; this version of ludens reads up to 5"
    ):
        Run.start(folder, CONFIG, FACTS)


def test_a_folder_of_something_else_is_left_alone(folder: Path) -> None:
    folder.mkdir()
    (folder / "letter.txt").write_text("dear")
    with pytest.raises(UserError, match="is not empty and not a run"):
        Run.start(folder, CONFIG, FACTS)
    assert [path.name for path in folder.iterdir()] == ["letter.txt"]
    with pytest.raises(UserError, match=r"is not a run: it has no games.sqlite"):
        Run.open(folder)


def test_a_database_of_something_else_is_left_alone(folder: Path) -> None:
    folder.mkdir()
    base = sqlite3.connect(folder / "games.sqlite")
    base.execute("CREATE TABLE chess (x)")
    base.close()
    with pytest.raises(UserError, match=r"has a games.sqlite of another kind"):
        Run.start(folder, CONFIG, FACTS)
    with pytest.raises(UserError, match=r"games.sqlite is not of ludens"):
        Run.open(folder)


def test_a_file_is_no_folder(folder: Path) -> None:
    folder.write_text("")
    with pytest.raises(UserError, match=r"cannot make run .*: "):
        Run.start(folder, CONFIG, FACTS)


def test_a_run_is_not_made_twice(folder: Path) -> None:
    make_run(folder, 1).close()
    with pytest.raises(UserError, match="is a run already"):
        Run.create(folder, CONFIG, FACTS)
    with Run.open(folder) as run:
        assert run.newest_iteration == 1


def test_a_second_writer_is_refused_and_readers_are_not(folder: Path) -> None:
    script = (
        "import sys; from pathlib import Path; from ludens.store.run import Run\n"
        "run = Run.open(Path(sys.argv[1]), write=True); print('open', flush=True)\n"
        "sys.stdin.read()"
    )
    make_run(folder, 1).close()
    with subprocess.Popen(
        [sys.executable, "-c", script, folder],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    ) as other:
        assert other.stdout is not None
        other.stdout.readline()
        with pytest.raises(UserError, match=f"in use by process {other.pid}$"):
            Run.open(folder, write=True)
        with Run.open(folder) as run:
            assert run.newest_iteration == 1
        other.kill()
    Run.open(folder, write=True).close()


def test_a_reader_sees_what_was_committed_meanwhile(folder: Path) -> None:
    with make_run(folder, 1) as writer, Run.open(folder) as reader:
        games = reader.games()
        next(games)
        commit(writer, 2)
        assert reader.newest_iteration == 2
        assert len(list(reader.games())) == 20
