import json

import pytest

from ludens.loading.game import game_files

WON = {"history": [0, 3, 1, 4, 2], "result": 1}


@pytest.fixture
def write(tmp_path):
    """Return a function that writes a record and returns its path."""

    def write(**fields):
        path = tmp_path / "game.json"
        record = {"format": "ludens-record-1", "game": "tic_tac_toe", **fields}
        path.write_text(json.dumps(record))
        return path

    return write


def test_a_saved_game_is_shown_with_moves_end_and_result(ludens, write):
    ran = ludens("show", write(**WON, players=["human", "random"]))
    assert ran.out == (
        "tic_tac_toe: player 0 (human) against player 1 (random)\n"
        "  1. a1  2. a2  3. b1  4. b2  5. c1\n\n"
        "  a b c\n1 X X X\n2 O O .\n3 . . .\n\n"
        "Player 0 (human) won after 5 moves.\n"
    )


def test_one_step_is_shown(ludens, write):
    ran = ludens("show", write(**WON), "--step", 2)
    assert ran.out.endswith(
        "\n\n2. player 1: a2\n\n  a b c\n1 X . .\n2 O . .\n3 . . .\n"
    )
    start = ludens("show", write(**WON), "--step", 0)
    assert start.out.endswith("\n\nStart\n\n  a b c\n1 . . .\n2 . . .\n3 . . .\n")


def test_all_positions_are_shown(ludens, write):
    ran = ludens("show", write(**WON), "--all")
    assert ran.out.count("  a b c\n") == 6
    assert "\n5. player 0: c1\n" in ran.out


def test_names_in_a_record_cannot_steer_the_terminal(ludens, write):
    ran = ludens("show", write(**WON, players=["\x1b[2Jme", "you"]))
    assert "\x1b" not in ran.out
    assert "player 0 ([2Jme)" in ran.out


@pytest.mark.parametrize(
    ("fields", "complaint"),
    [
        (
            {"history": [0, 0]},
            "step 2: a1 is not legal here (the cell is taken)",
        ),
        ({"history": [0, 77]}, "step 2: 77 is not an action; they go from 0 to 8"),
        ({"history": [0, "a1 x"]}, "step 2: cannot edit: write set CELL"),
        ({"history": [*WON["history"], 8]}, "step 6: the game is over"),
        (
            {"history": [0], "result": 1},
            "the record says result 1.0, the rules say None",
        ),
        ({"history": [], "game": "chess"}, "there is no game 'chess'; known: "),
        ({"history": [], "options": {"size": 3}}, "tic_tac_toe has no option 'size'"),
        ({"history": "abc"}, "is not a game record: history: "),
        ({"history": [], "colour": 1}, "is not a game record: colour: "),
        ({"history": [1.5]}, "is not a game record: history.0"),
    ],
)
def test_a_wrong_record_is_one_line(ludens, write, fields, complaint):
    path = write(**fields)
    for verb in (("show", path), ("play", path)):
        ran = ludens(*verb)
        assert (ran.code, ran.out) == (2, "")
        assert ran.err.startswith(f"ludens: {path}")
        assert complaint in ran.err
        assert len(ran.err.splitlines()) == 1
    assert complaint in ludens("show", path).err


def test_a_record_never_makes_a_file_run(ludens, write, tmp_path):
    trap = tmp_path / "trap.py"
    trap.write_text(f"open({str(tmp_path / 'sprung')!r}, 'w')", encoding="utf-8")
    ran = ludens("show", write(history=[], game=str(trap)))
    assert ran.code == 2
    assert "is not a game record: game: " in ran.err
    assert not (tmp_path / "sprung").exists()


def test_the_rules_of_a_record_can_be_a_file_the_user_names(ludens, write, tmp_path):
    rules = tmp_path / "my_game.py"
    source = game_files()["tic_tac_toe"].read_text(encoding="utf-8")
    rules.write_text(source, encoding="utf-8")
    path = write(history=[4], game="my_game")
    assert "b2" in ludens("show", path, "--rules", rules).out
    assert ludens("show", path).err.endswith("(or name its file: --rules)\n")
    other = rules.with_name("other.py")
    other.write_text(source, encoding="utf-8")
    assert "of my_game, not of" in ludens("show", path, "--rules", other).err


@pytest.mark.parametrize("content", [b"", b"{", b"\xff\xfe", b"[" * 100_000, b"[]"])
def test_a_malformed_file_is_one_line(ludens, tmp_path, content):
    path = tmp_path / "game.json"
    path.write_bytes(content)
    ran = ludens("show", path)
    assert (ran.code, ran.out) == (2, "")
    assert ran.err.startswith(f"ludens: {path} is not ")
    assert len(ran.err.splitlines()) == 1


def test_a_step_beyond_the_end_is_one_line(ludens, write):
    ran = ludens("show", write(**WON), "--step", 6)
    assert ran.code == 2
    assert ran.err.endswith("game.json has 5 steps, so --step cannot be 6\n")


def test_a_missing_file_is_one_line(ludens, tmp_path):
    ran = ludens("show", tmp_path / "none.json")
    assert (ran.code, ran.out) == (2, "")
    assert ran.err.endswith("none.json: No such file or directory\n")
