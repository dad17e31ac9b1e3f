import json
import subprocess
import sys


def test_games_lists_every_game_with_its_sizes(ludens):
    ran = ludens("games")
    assert (ran.code, ran.err) == (0, "")
    rows = [line.split() for line in ran.out.splitlines()]
    assert ["tic_tac_toe", "2", "9", "2x3x3", "9", "8"] in rows
    assert ["connect_four", "2", "7", "2x6x7", "42", "2"] in rows
    assert "connect_four  rows=6 (" in ran.out


def test_a_pipe_gets_plain_lines(ludens):
    ran = ludens("games")
    assert "\x1b" not in ran.out
    assert not any(line.endswith(" ") for line in ran.out.splitlines())
    assert (
        ran.out.count("Tic-tac-toe: three in a row on a board of three by three") == 1
    )


def test_one_game_is_shown_with_the_sizes_its_options_give(ludens):
    words = [line.split() for line in ludens("games", "gomoku:size=9").out.splitlines()]
    assert ["gomoku:size=9"] in words
    assert ["actions", "81"] in words
    assert any(line[:3] == ["size", "9", "15"] for line in words)
    assert any(line[0] == "planes" and "stones," in line for line in words if line)


def test_json_tells_the_same(ludens):
    listed = json.loads(ludens("games", "--json").out)
    one = json.loads(ludens("games", "connect_four:rows=4", "--json").out)
    assert {game["game"] for game in listed} >= {"connect_four", "tic_tac_toe"}
    assert one["observation"] == [2, 4, 7]
    rows = one["options"][0]
    assert (rows["name"], rows["value"], rows["default"]) == ("rows", 4, 6)
    assert rows["help"]
    assert rows["allowed"]


def test_games_needs_no_compiler():
    script = (
        "import sys; from ludens.cli import main\n"
        "try: main(['games'])\n"
        "except SystemExit: print(*sys.modules)"
    )
    ran = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    assert "numba" not in ran.stdout.splitlines()[-1].split()


def test_a_game_without_options_says_so(ludens):
    assert "It has no options." in ludens("games", "tic_tac_toe").out


def test_one_game_tells_its_rules_with_boards(ludens):
    told = ludens("games", "pyrga:towers_to_win=3").out
    assert "\nAim\n  Own more towers than your opponent." in told
    assert "Whoever first owns 3 towers wins." in told
    assert "\n    2 [....]  S...  [....]  ....\n" in told
    assert "\x1b" not in told


def test_tables_in_the_rules_are_searched(ludens):
    found = ludens("games", "triple_triad", "--find", "level=8 fire").out.splitlines()
    assert [line.split() for line in found[1:]] == [
        ["8", "Ifrit", "9", "6", "2", "8", "fire"]
    ]
    listed = json.loads(ludens("games", "triple_triad", "--find", "", "--json").out)
    assert len(listed) == 110
    assert listed[0]["card"] == "Geezard"
    for words in (["triple_triad", "--find", "nobody"], ["--find", "fire"]):
        ran = ludens("games", *words)
        assert (ran.code, ran.out, ran.err.count("\n")) == (2, "", 1)
