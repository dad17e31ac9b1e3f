"""`ludens match` and `ludens rate`."""

import json
import os
import pty
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from faults.sessions import PATIENCE_S
from ludens.formats.record import load_record

COMMAND = [str(Path(sys.executable).with_name("ludens"))]
PERFECT = ("match", "solver", "random", "--game", "tic_tac_toe", "--threads", 1)
DUEL = ("match", "random", "random", "--game", "tic_tac_toe")


@pytest.fixture
def fast_ludens(ludens, monkeypatch):
    """Run the command with compiled rules: the solver is slow without."""
    monkeypatch.setenv("LUDENS_COMPILE", "1")
    return ludens


def test_report_tells_games_score_and_elo(fast_ludens):
    ran = fast_ludens(*PERFECT, "--games", 8)
    assert ran.code == 0
    heading, played, score, elo = ran.out.splitlines()
    assert heading == "tic_tac_toe: solver against random"
    assert played.startswith("8 games in pairs with sides swapped, ")
    assert played.endswith(" distinct; openings of 1 random move, seed 0")
    assert " won, " in score
    assert " 0 lost: score " in score
    assert elo.startswith("Elo +")
    assert elo.endswith("], with a confidence of 95 %")


def test_json_has_the_same_numbers(ludens):
    facts = json.loads(ludens(*DUEL, "--games", 40, "--seed", 5, "--json").out)
    wins, draws, losses = facts["wins"], facts["draws"], facts["losses"]
    assert wins + draws + losses == facts["games"] == 40
    assert facts["score"]["value"] == pytest.approx((wins + draws / 2) / 40)
    assert facts["elo"]["low"] < facts["elo"]["value"] < facts["elo"]["high"]
    assert sum(facts["pairs"]) == 20
    assert facts["agents"] == ["random", "random"]
    assert 5 <= facts["mean_plies"] <= 9
    assert facts["distinct"] <= 40


def test_infinite_elo_is_null_in_json(fast_ludens):
    command = [*PERFECT, "--games", 2, "--openings", 0, "--seed", 2, "--json"]
    facts = json.loads(fast_ludens(*command).out)
    assert facts["wins"] == 2
    assert facts["elo"]["value"] is None
    assert facts["elo"]["high"] is None
    assert facts["elo"]["low"] < 0


def test_the_same_seed_gives_the_same_report(ludens):
    command = [*DUEL, "--games", 30, "--json"]
    report = ludens(*command, "--threads", 1)
    assert ludens(*command, "--threads", 3) == report
    assert ludens(*command, "--seed", 1) != report


def test_repeated_games_are_pointed_out(fast_ludens):
    ran = fast_ludens(*DUEL, "--games", 20, "--openings", 0)
    assert "distinct; seed 0\n" in ran.out
    assert "Repeated games" not in ran.out
    command = ["match", "solver", "solver", "--game", "tic_tac_toe", "--games", "6"]
    ran = fast_ludens(*command, "--openings", 0, "--threads", 1)
    assert "6 games in pairs with sides swapped, 1 distinct;" in ran.out
    assert "Repeated games tell nothing new: the interval is too narrow." in ran.out


@pytest.mark.parametrize(
    ("hypotheses", "accepted"),
    [
        ("-200,-100", "-100 or more"),
        ("100,200", "+100 or less"),
        ("0,300", "+0 or less"),
    ],
)
def test_a_sequential_test_stops_early(ludens, hypotheses, accepted):
    command = [*DUEL, "--games", 1000, "--sprt", hypotheses]
    lines = ludens(*command).out.splitlines()
    assert lines[-1].startswith("SPRT ")
    assert f": {accepted} accepted (log-likelihood ratio " in lines[-1]
    facts = json.loads(ludens(*command, "--json").out)
    assert facts["games"] < 500
    assert facts["sprt"]["accepted"] == float(accepted.split()[0])
    assert abs(facts["sprt"]["llr"]) >= facts["sprt"]["bound"]


def test_a_sequential_test_may_stay_open(ludens):
    assert ": open (" in ludens(*DUEL, "--games", 4, "--sprt", "0,5").out


def test_games_are_saved_as_records(ludens, tmp_path):
    folder = tmp_path / "new" / "folder"
    assert ludens(*DUEL, "--games", 12, "--save", folder).code == 0
    files = sorted(folder.iterdir())
    assert [file.name for file in files] == [f"game-{n:02}.json" for n in range(1, 13)]
    for file in files:
        record = load_record(file)
        assert record.replay(record.load_game()).is_over
        assert record.players == ["random", "random"]


def test_saved_games_name_the_players_in_their_seats(fast_ludens, tmp_path):
    fast_ludens(*PERFECT, "--games", 2, "--save", tmp_path)
    first, second = (load_record(file) for file in sorted(tmp_path.iterdir()))
    assert first.players == ["solver", "random"]
    assert second.players == ["random", "solver"]
    assert first.history[0] == second.history[0]
    shown = fast_ludens("show", tmp_path / "game-1.json").out
    assert shown.startswith("tic_tac_toe: player 0 (solver) against player 1 (random)")


def test_saved_games_are_not_written_over(ludens, tmp_path):
    ludens(*DUEL, "--games", 2, "--save", tmp_path)
    before = {file: file.read_bytes() for file in tmp_path.iterdir()}
    ran = ludens(*DUEL, "--games", 2, "--seed", 1, "--save", tmp_path)
    assert (ran.code, ran.out) == (2, "")
    assert ran.err == f"ludens: {tmp_path} has games already; name another folder\n"
    assert {file: file.read_bytes() for file in tmp_path.iterdir()} == before


def test_a_mistake_leaves_no_folder(ludens, tmp_path):
    ran = ludens("match", "random", "rndom", *DUEL[3:], "--save", tmp_path / "new")
    assert ran.code == 2
    assert not (tmp_path / "new").exists()


def test_a_folder_that_cannot_be_is_one_line(ludens, tmp_path):
    (tmp_path / "file").write_text("")
    ran = ludens(*DUEL, "--save", tmp_path / "file")
    assert (ran.code, ran.out) == (2, "")
    assert ran.err == f"ludens: cannot make {tmp_path / 'file'}: File exists\n"


def test_a_puzzle_is_scored_with_equal_dice(ludens):
    command = ["match", "random", "random", "--game", "triangle", "--games", "8"]
    heading, header, first, second, gain = ludens(*command).out.splitlines()
    assert heading == "triangle: 4 games an agent, all with the same dice; seed 0"
    words = ["agent", "mean", "95", "%", "10th", "median", "90th", "moves", "cut"]
    assert header.split() == words
    assert first.startswith("random ")
    assert second.startswith("random ")
    assert gain.startswith("random less random: ")
    facts = json.loads(ludens(*command, "--json").out)
    a, b = facts["scores"]
    assert facts["games"] == 8
    assert a["percentile_10"] <= a["percentile_50"] <= a["percentile_90"]
    assert a["mean"]["low"] < a["mean"]["value"] < a["mean"]["high"]
    gained = facts["gains"][0]["mean"]["value"]
    assert gained == pytest.approx(a["mean"]["value"] - b["mean"]["value"])


def test_long_games_are_cut_and_counted(ludens):
    command = ["match", "random", "greedy", "--game", "triangle", "--games", "8"]
    facts = json.loads(ludens(*command, "--max-plies", "6", "--json").out)
    assert [agent["share_cut"] for agent in facts["scores"]] == [1.0, 1.0]
    assert [agent["mean_plies"] for agent in facts["scores"]] == [6.0, 6.0]
    table = ludens(*command, "--max-plies", "6").out.splitlines()[2:4]
    assert all(line.endswith("6.0  100.0 %") for line in table)


def test_ratings_are_sorted_and_average_zero(fast_ludens):
    agents = ("random", "solver", "random")
    command = ["rate", *agents, "--game", "tic_tac_toe", "--games", "6"]
    command += ["--threads", "1"]  # of solvers each has a table
    ran = fast_ludens(*command, "--matrix")
    assert ran.code == 0
    table, _, matrix = ran.out.partition("\n\n")
    heading, header, best, *others = table.splitlines()
    assert heading == "tic_tac_toe: Bradley-Terry ratings, 0 on the average"
    assert header.split()[:3] == ["agent", "Elo", "95"]
    assert best.startswith("solver  +")
    assert len(others) == 2
    caption, names, row, *_ = matrix.splitlines()
    assert caption == "won-drawn-lost against"
    assert names.split() == ["solver", "random", "random"]
    assert row.split()[0] == "solver"
    assert all(cell.endswith("-0") for cell in row.split()[1:])
    facts = json.loads(fast_ludens(*command, "--json").out)
    elo = [line["elo"] for line in facts["ratings"]]
    assert elo == sorted(elo, reverse=True)
    assert sum(elo) == pytest.approx(0, abs=1e-6)
    assert len(facts["matches"]) == 3
    wins = sum(line["wins"] for line in facts["ratings"])
    assert wins == sum(line["losses"] for line in facts["ratings"])


def test_several_agents_of_a_puzzle_are_compared(ludens):
    command = ["rate", *["random"] * 3, "--game", "triangle", "--games", "4"]
    lines = ludens(*command).out.splitlines()
    assert lines[0].startswith("triangle: 2 games an agent")
    assert len(lines) == 2 + 3 + 2


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        ("match random", "Missing argument 'B'."),
        ("match random random", "Missing option '--game'."),
        ("match random rndom --game gomoku", "there is no agent 'rndom'; did you mean"),
        ("match random random --game chess", "there is no game 'chess'; known: "),
        (
            "match random random --game gomoku --games 3",
            "--games cannot be 3; games come in pairs, so it is even",
        ),
        (
            "match random random --game gomoku --seconds 0",
            "--seconds cannot be 0; it is a time above 0",
        ),
        (
            "match random random --game gomoku --sprt 20,0",
            "--sprt cannot be '20,0'; write two Elo differences, such as 0,20",
        ),
        ("match random random --game gomoku --sprt 3", "--sprt cannot be '3'; write"),
        ("match random random --game gomoku --sprt nan,1", "--sprt cannot be 'nan,1'"),
        (
            "match random random --game triangle --sprt 0,20",
            "triangle is for one player: leave --sprt out",
        ),
        (
            "match random solver --game triangle",
            "triangle is for one player; only two-player games are solved",
        ),
        (
            "match random random --game tic_tac_toe --openings 9",
            "tic_tac_toe is over after 9 random plies; use fewer",
        ),
        (
            "match solver random --game connect_four --seconds 0.1",
            "solver, game 1: not solved within 0.1 s (",
        ),
        ("rate random --game gomoku", "name two agents or more to compare"),
        ("rate random random --game gomoku --games 1", "Invalid value for '--games': "),
    ],
)
def test_a_mistake_is_one_line(ludens, arguments, complaint):
    ran = ludens(*arguments.split())
    assert (ran.code, ran.out) == (2, "")
    assert ran.err.startswith(f"ludens: {complaint}")
    assert len(ran.err.splitlines()) == 1


def test_a_pipe_gets_the_last_lines_alone():
    ran = subprocess.run(
        [*COMMAND, *DUEL, "--games", "20"],
        capture_output=True,
        env={**os.environ, "LUDENS_COMPILE": "0"},
        check=True,
    )
    assert len(ran.stdout.splitlines()) == 4
    assert b"\x1b" not in ran.stdout + ran.stderr


def test_a_terminal_sees_how_far_it_is():
    screen, end = pty.openpty()
    ran = subprocess.run(
        [*COMMAND, *DUEL, "--games", "20"],
        stdout=subprocess.PIPE,
        stderr=end,
        env={**os.environ, "LUDENS_COMPILE": "0", "TERM": "xterm"},
        check=True,
    )
    os.close(end)
    seen = b""
    while b"20/20" not in seen:
        seen += os.read(screen, 4096)
    os.close(screen)
    assert len(ran.stdout.splitlines()) == 4


def test_an_interrupted_match_tells_what_was_played(tmp_path):
    command = [*COMMAND, *DUEL, "--games", "1000000", "--save", str(tmp_path)]
    long = subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**os.environ, "LUDENS_COMPILE": "0"},
    )
    limit = time.monotonic() + PATIENCE_S
    while len(list(tmp_path.iterdir())) < 4 and time.monotonic() < limit:
        time.sleep(0.01)
    long.send_signal(signal.SIGINT)
    try:
        out, err = long.communicate(timeout=PATIENCE_S)
    finally:
        long.kill()
    assert (long.returncode, err) == (130, b"")
    assert b" games in pairs with sides swapped, " in out


def toy(fault):
    script = Path(__file__).parents[1] / "agents" / "toy_brain.py"
    return f"engine:cmd={sys.executable} -S {script} {fault}"


def test_a_program_that_fails_loses_with_a_line_and_the_games_are_kept(
    ludens, tmp_path
):
    match = ("match", "random", toy("exit"), "--game", "gomoku:size=5", "--games", 2)
    ran = ludens(*match, "--save", tmp_path / "games")
    assert ran.code == 0
    assert "2 won, 0 drawn, 0 lost" in ran.out
    line = f"ludens: {toy('exit')}, game 1: it has ended with exit code 1: out of ideas"
    assert f"{line}; it has lost this game" in ran.err.splitlines()
    saved = [json.loads(path.read_text()) for path in (tmp_path / "games").iterdir()]
    assert sorted(one["agreed"] for one in saved) == [-1, 1]


def test_a_program_that_does_not_start_is_one_line(ludens):
    ran = ludens("match", "random", "engine:cmd=./no", "--game", "gomoku:size=5")
    assert (ran.code, ran.out) == (2, "")
    assert ran.err == "ludens: there is no program './no' that can be run\n"


def test_watched_games_are_drawn_and_no_others_are_played(ludens):
    command = ["match", "random", "greedy", "--game", "tic_tac_toe", "--games", 4]
    plain, watched = ludens(*command), ludens(*command, "--watch")
    assert (watched.code, watched.err) == (0, "")
    assert watched.out.endswith(plain.out)
    drawn = watched.out.removesuffix(plain.out)
    assert drawn.count("a b c") == 4
    lines = drawn.splitlines()
    assert lines[0].split() == ["game", "1", "game", "2"]
    assert "4 of 4 games" in drawn


def test_the_tree_of_every_move_of_a_search_is_written(ludens, tmp_path):
    trees, games = tmp_path / "trees", tmp_path / "games"
    command = ["match", "random", "mcts:sims=20", "--game", "tic_tac_toe"]
    more = ["--games", 2, "--openings", 0, "--trees", trees, "--save", games]
    assert ludens(*command, *more).code == 0
    for number in (1, 2):
        record = json.loads((games / f"game-{number}.json").read_text("utf-8"))
        plies = range(1 + number % 2, len(record["history"]) + 1, 2)
        folder = trees / f"game-{number:04}"
        names = sorted(file.name for file in folder.iterdir())
        assert names == [f"ply-{ply:03}.svg" for ply in plies]
        tree = (folder / names[0]).read_text("utf-8")
        assert tree.startswith("<svg")
        assert "n 21 " in tree
    again = ludens(*command, *more)
    assert (again.code, again.err.count("\n")) == (2, 1)
    assert "has trees already" in again.err


def test_agents_without_trees_write_none(ludens, tmp_path):
    command = ["match", "random", "greedy", "--game", "tic_tac_toe", "--games", 2]
    ran = ludens(*command, "--trees", tmp_path / "trees")
    assert ran.code == 2
    assert ran.err == "ludens: neither agent grows a tree; use mcts or net\n"
    assert not (tmp_path / "trees").exists()
