import json

import pytest

from faults.made_runs import (
    CONFIG,
    FACTS,
    Run,
    commit,
    commit_iteration,
    make_game,
    make_run,
)


@pytest.fixture
def runs(tmp_path, monkeypatch):
    """Return the folder where runs are."""
    folder = tmp_path / "runs"
    monkeypatch.setenv("LUDENS_RUNS", str(folder))
    return folder


def test_runs_are_listed_the_newest_first(ludens, runs):
    make_run(runs / "older", 12).close()
    make_run(runs / "newer").close()
    ran = ludens("runs")
    assert ran.code == 0
    head, *rows = [line.split() for line in ran.out.splitlines()]
    assert head == ["run", "game", "iteration", "Elo", "games", "positions", "age"]
    assert [row[0] for row in rows] == ["newer", "older"]
    assert rows[0][1:6] == ["tic_tac_toe", "-", "-", "0", "0"]
    assert rows[1][1:5] == ["tic_tac_toe", "12", "+120", "120"]


def test_runs_are_listed_as_json(ludens, runs):
    make_run(runs / "one", 2).close()
    [found] = json.loads(ludens("runs", "--json").out)
    assert found.pop("age_s") >= 0
    assert found.pop("positions") > 0
    assert found == {
        "name": "one",
        "path": str(runs / "one"),
        "game": "tic_tac_toe",
        "iteration": 2,
        "games": 20,
        "elo": 20.0,
        "trouble": "",
    }


def test_without_runs_that_is_said(ludens, runs):
    assert ludens("runs").out.startswith(f"No runs in {runs}; ")
    assert ludens("runs", "--json").out == "[]\n"


def test_an_unreadable_run_hides_no_other(ludens, runs):
    make_run(runs / "good").close()
    for name in ("empty", "junk"):
        (runs / name).mkdir()
    (runs / "junk" / "games.sqlite").write_bytes(b"junk" * 1000)
    ran = ludens("runs")
    assert ran.code == 0
    assert "\ngood  tic_tac_toe" in ran.out
    assert "\nempty  unreadable: " in ran.out
    assert ran.out.rstrip().count("file is not a database") == 1


def test_a_run_is_summed_up(ludens, runs):
    with make_run(runs / "one", 2) as run:
        metrics = {"loss": 1.5, "loss_policy": 1.2, "loss_value": 0.3, "elo": 80.4}
        metrics |= {"elo_low": 60, "elo_high": 100, "score_random": 0.987}
        commit_iteration(run, 3, [make_game(77)], [], None, None, metrics)
        ran = ludens("show", "one")
    newest = runs / "one" / "nets" / "000002.safetensors"
    assert ran.code == 0
    told = dict(line.split(maxsplit=1) for line in ran.out.splitlines())
    assert told["run"] == f"one ({runs / 'one'})"
    assert told["game"] == "tic_tac_toe"
    assert told["progress"].startswith("iteration 3, ")
    assert told["games"].startswith("21 with ")
    assert told["results"] == "player 0 won 8, drew 7, lost 6"
    assert told["loss"] == "1.500 (policy 1.200, value 0.300)"
    assert told["Elo"] == "+80 [+60, +100]"
    assert told["score"] == "98.7 % against random"
    assert told["nets"] == f"{newest} (the newest of 2 kept)"
    assert told["play"].endswith(f"tic_tac_toe --vs net:weights={newest}")
    assert "\ngame        tic_tac_toe\n" in ludens("show", runs / "one").out


def test_a_run_of_a_game_for_one_has_scores(ludens, runs):
    facts = FACTS | {"game": "triangle:size=3", "players": "1"}
    with Run.create(runs / "one", "", facts) as run:
        commit(run, 1)
    out = ludens("show", "one").out
    assert "\noptions     size=3\n" in out
    assert "\nresults     mean score 0 of the newest games\n" in out


def test_a_run_that_is_not_there_is_one_line(ludens, runs):
    make_run(runs / "first").close()
    ran = ludens("show", "fist")
    assert (ran.code, ran.out) == (2, "")
    assert ran.err == "ludens: there is no run 'fist'; did you mean 'first'?\n"


def test_a_run_has_no_steps(ludens, runs):
    make_run(runs / "first").close()
    ran = ludens("show", "first", "--all")
    assert ran.code == 2
    assert ran.err.startswith("ludens: first is a run: ")


def test_verify_says_that_all_is_right_or_what_is_not(ludens, runs):
    make_run(runs / "one", 2).close()
    ran = ludens("show", "one", "--verify")
    said = "20 games and 2 iterations: all is as it was written\n"
    assert (ran.code, ran.out) == (0, said)
    net = runs / "one" / "nets" / "000001.safetensors"
    net.write_bytes(net.read_bytes()[:-1])
    ran = ludens("show", "one", "--verify")
    assert ran.code == 2
    assert ran.out.startswith("nets/000001.safetensors is not as it was written")


def test_what_a_run_says_does_not_steer_the_terminal(ludens, runs):
    facts = FACTS | {"game": "\x1b[31mtic_tac_toe\x07"}
    Run.create(runs / "red", CONFIG, facts).close()
    for command in (("runs",), ("show", "red")):
        ran = ludens(*command)
        assert ran.code == 0
        assert "?[31mtic_tac_toe?" in ran.out
