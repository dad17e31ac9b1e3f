"""`ludens solve`: what it prints for a position and for a file of them."""

import json
import re

import pytest

SMALL = ("--memory", 16)  # MB, so that many tests fit into a process
SOLVE = ("solve", "tic_tac_toe", *SMALL, "--moves")


@pytest.fixture(autouse=True)
def _compiled(monkeypatch: pytest.MonkeyPatch, ludens) -> None:
    monkeypatch.setenv("LUDENS_COMPILE", "1")


def test_value_best_moves_and_a_perfect_line_are_told(ludens):
    ran = ludens(*SOLVE, "a1 b1 a2 b2")
    board, told = ran.out.split("\n\n")
    assert board == "  a b c\n1 X O .\n2 X O .\n3 . . ."
    value, best, line, effort = told.splitlines()
    assert value == "player 0 to move: win in 1 ply"
    assert (best, line) == ("best: a3", "line: a3")
    assert re.search(r" nodes in [\d.]+ s", effort)


def test_json_tells_the_same(ludens):
    told = json.loads(ludens(*SOLVE, "a1 b1 a2 b2", "--json").out)
    assert (told["outcome"], told["plies"]) == (1, 1)
    assert told["best"] == told["line"] == ["a3"]
    assert told["nodes"] >= 0
    assert told["seconds"] >= 0


@pytest.fixture
def _plain(monkeypatch: pytest.MonkeyPatch, _compiled: None) -> None:
    monkeypatch.setenv("LUDENS_COMPILE", "0")


FORCE = ("solve", "gomoku:size=7", *SMALL, "--force", "--moves")


@pytest.mark.usefixtures("_plain")
def test_a_win_by_force_is_told_with_its_line(ludens):
    moves = "c4 a1 d4 g1 e4 a7"
    told = ludens(*FORCE, moves).out.split("\n\n")[1].splitlines()
    assert told[0] == "player 0 to move: wins by force in 2 moves"
    assert told[1] in ("line: b4 a4 f4", "line: b4 f4 a4", "line: f4 b4 g4")
    facts = json.loads(ludens(*FORCE, moves, "--json").out)
    assert (facts["outcome"], facts["moves"], facts["is_complete"]) == (1, 2, True)
    assert told[1] == f"line: {' '.join(facts['line'])}"


@pytest.mark.usefixtures("_plain")
def test_that_no_win_by_force_is_there_or_was_found_is_told(ludens):
    assert "move: no win by force\n" in ludens(*FORCE, "c4 a1").out
    few = ludens(*FORCE, "c4 a1 d4 g1 e4 a7", "--nodes", 1).out
    assert "move: no win by force was found within the limits\n" in few


@pytest.mark.parametrize(
    ("moves", "score"),
    [
        ("32164625", 11),
        ("2252576253462244111563365343671351441", -1),
        ("7422341735647741166133573473242566", 1),
    ],
)
def test_score_is_printed_alone(ludens, moves, score):
    ran = ludens("solve", "connect_four", *SMALL, "--moves", moves, "--score")
    assert (ran.code, ran.out) == (0, f"{score}\n")


def test_a_file_is_solved_line_by_line(ludens, tmp_path):
    file = tmp_path / "positions"
    file.write_text("32164625\n\n7422341735647741166133573473242566 1\n")
    ran = ludens("solve", "connect_four", *SMALL, "--file", file)
    assert ran.out == "32164625 11\n7422341735647741166133573473242566 1\n"
    assert ran.code == 0


def test_a_score_that_is_not_the_expected_one_is_named(ludens, tmp_path):
    file = tmp_path / "positions"
    file.write_text("32164625 12\n")
    ran = ludens("solve", "connect_four", *SMALL, "--file", file)
    assert (ran.code, ran.out) == (1, "32164625 11 expected 12\n")


def test_lines_may_have_moves_apart(ludens, tmp_path):
    file = tmp_path / "positions"
    file.write_text("a1 b1 a2 b2\na1 b2\n")
    ran = ludens("solve", "tic_tac_toe", *SMALL, "--file", file)
    assert ran.out == "a1 b1 a2 b2 2\na1 b2 0\n"


def test_what_is_not_solved_in_time_is_said_and_the_next_one_tried(ludens, tmp_path):
    file = tmp_path / "positions"
    file.write_text("4\n7422341735647741166133573473242566\n")
    ran = ludens("solve", "connect_four", *SMALL, "--file", file, "--nodes", 1000)
    assert ran.out == "4 unsolved\n7422341735647741166133573473242566 1\n"
    assert ran.code == 1


def test_a_deal_is_decided_by_the_seed_and_by_a_wish(ludens):
    last = ("--moves", "1a1 1b1 2c1 2a2 3b2 3c2 4a3 4b3", "--json")
    deals = [
        ludens("solve", "triple_triad", *SMALL, "--seed", s, *last).out
        for s in (1, 1, 2)
    ]
    assert deals[0].partition('"seconds"')[0] == deals[1].partition('"seconds"')[0]
    hands = "0,22,44,66,88 | 1,23,45,67,89 | 1"
    ran = ludens("solve", "triple_triad", *SMALL, "--setup", hands, "--moves", last[1])
    assert "player 1 to move: " in ran.out
    assert "X player 0: " in ran.out


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        ("triangle", "triangle is for one player; only two-player games are solved"),
        ("chess", "there is no game 'chess'; known: "),
        ("connect_four --moves 38", "'8' is not a move of connect_four; for example"),
        (
            "connect_four --moves 1111111",
            "1 is not legal here (the column is full)",
        ),
        ("tic_tac_toe --moves a1b1a2b2a3", "the game is over in this position"),
        ("tic_tac_toe --moves a1b1a2b2a3 --score", "the game is over in this position"),
        (
            "tic_tac_toe --force",
            "tic_tac_toe does not say which moves force an answer (forcing)",
        ),
        (
            "tic_tac_toe --force --score",
            "--force has no score; leave --score and --file out",
        ),
        ("tic_tac_toe --setup x", "tic_tac_toe has no set-up to choose"),
        ("connect_four --nodes 10", "not solved within 60 s or 10 nodes ("),
        ("connect_four --seconds 0", "--seconds cannot be 0; it is a time above 0"),
        ("connect_four --memory 0", "Invalid value for '--memory': "),
        ("connect_four --file no/such", "cannot read no/such: No such file or direct"),
    ],
)
def test_a_mistake_is_one_line(ludens, arguments, complaint):
    ran = ludens("solve", *SMALL, *arguments.split())
    assert (ran.code, ran.out) == (2, "")
    *announced, line = ran.err.splitlines()
    assert line.startswith(f"ludens: {complaint}")
    assert all(said.startswith("Compiling") for said in announced)


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        (b"32164625\n38\n", ", line 2: '8' is not a move of connect_four"),
        (b"\xff\xfe\x00", ": it is not text"),
    ],
)
def test_a_file_that_cannot_be_read_is_one_line(ludens, tmp_path, content, complaint):
    file = tmp_path / "positions"
    file.write_bytes(content)
    ran = ludens("solve", "connect_four", *SMALL, "--file", file)
    assert ran.code == 2
    assert complaint in ran.err
    assert "Traceback" not in ran.err
