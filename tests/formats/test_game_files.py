"""Games in the files of other programs: read, written, and refused in a line."""

from pathlib import Path

import pytest

from ludens.errors import UserError
from ludens.formats import renjunet
from ludens.formats.boards import Asked
from ludens.formats.record import Record, Variation
from ludens.formats.registry import (
    FORMATS,
    decode,
    load_played,
    read_games,
    read_text,
    save_played,
)
from ludens.loading.game import Game, load_game

# Black wins from h8 down to h12; the rows of the file are counted from the top.
WON = [112, 113, 127, 128, 142, 143, 157, 158, 172]
BRANCHED = Record(
    game="gomoku",
    players=["ann", "Bob ] \\ Li"],
    history=[112, 113, 127],
    variations=[
        Variation(at=1, history=[96, 97]),
        Variation(of=1, at=2, history=[98]),
        Variation(at=2, history=["set a1 second", "to_play first", 3]),
        Variation(at=2, history=[4]),
    ],
    agreed=-1,
)
PISKVORK = """Piskvorky 15x15, 11:11, 0\r
8,8,0\r
9,8,1530\r
8,9,12\r
pbrain-ann.zip\r
pbrain-bob.zip\r
0\r
"""
CHINESE = (
    "(;GM[1]FF[3]CA[gb2312]SZ[15]\nPB[王小明]PW[李雷]RE[白胜]RU[Renju]"
    "C[开局 (注) \\] ];B[hh];W[ig]\n;B[gi]C[好])\n"
)
RENJUNET = """<?xml version="1.0" encoding="UTF-8"?>
<database><players>
<player id="7" name="Ando" surname="Meritee"/><player id="9" name="Wu" surname="Di"/>
</players><games count="2">
<game id="1" tournament="3" rule="1" black="7" white="9" bresult="0.5" opening="5">
<move>h8 i9 j10</move><info>final</info></game>
<game id="2" rule="1" black="9" white="7" bresult="1"><move>h8 h9</move></game>
</games></database>
"""


@pytest.fixture(scope="module")
def gomoku() -> Game:
    return load_game("gomoku", compiled=False)


def only(text: str, name: str = "", asked: Asked | None = None) -> Record:
    [record] = read_text(text, asked or Asked(), name)
    return record


def replay_all(text: str, name: str = "") -> None:
    for record in read_text(text, name=name):
        record.replay(load_game("gomoku", compiled=False))


def complaint(text: str, name: str = "") -> str:
    """Return what is said of a text when it is read and replayed."""
    with pytest.raises(UserError) as caught:
        replay_all(text, name)
    assert "\n" not in str(caught.value)
    return str(caught.value)


@pytest.mark.parametrize(
    ("name", "spec"),
    [
        ("json", "gomoku"),
        ("psq", "gomoku"),
        ("psq", "gomoku:rule=caro"),
        ("sgf", "gomoku"),
        ("sgf", "gomoku:size=9,rule=standard"),
        ("renjunet", "gomoku:rule=renju"),
        ("moves", "gomoku:size=20"),
        ("top", "gomoku"),
        ("bottom", "gomoku:size=9"),
        ("top", "tic_tac_toe"),
        ("top", "connect_four:columns=6"),
    ],
)
def test_a_game_goes_to_a_file_and_back(tmp_path: Path, name: str, spec: str) -> None:
    game = load_game(spec, compiled=False)
    state = game.new()
    for action in (0, 5, 3, 2):
        state.apply(action)
    keeps_players = name not in ("moves", "top", "bottom")
    before = Record.of(state, ("ann", "bob") if keeps_players else ())
    path = tmp_path / f"game{(*FORMATS[name].suffixes, '.txt')[0]}"
    save_played(before, path, name)
    content = path.read_bytes()
    again = load_played(path).settled(game)
    assert again == before
    save_played(again, path, name)
    assert path.read_bytes() == content


def test_variations_edits_and_a_resignation_go_through_sgf(gomoku: Game) -> None:
    text = FORMATS["sgf"].write(BRANCHED)
    again = only(text).settled(gomoku)
    assert FORMATS["sgf"].write(again) == text
    assert again.history == BRANCHED.history
    assert (again.players, again.agreed) == (BRANCHED.players, -1)
    lines = {(one.at, str(one.history)) for one in again.variations}
    assert lines == {(one.at, str(one.history)) for one in BRANCHED.variations}


def test_variations_go_through_json(gomoku: Game) -> None:
    settled = BRANCHED.settled(gomoku)
    assert only(FORMATS["json"].write(settled)) == settled == BRANCHED


@pytest.mark.parametrize(
    ("variation", "why"),
    [
        ({"at": 3, "history": [1]}, "variation 1 cannot leave line 0 after 3 steps"),
        ({"of": 1, "at": 0, "history": [1]}, "variation 1 cannot leave line 1"),
        ({"at": 1, "history": [112]}, "variation 1: step 2: h8 is not legal here"),
        ({"at": 1, "history": [1, 1]}, "variation 1: step 3: b1 is not legal here"),
    ],
)
def test_a_variation_that_cannot_be_is_one_line(
    gomoku: Game, variation: dict[str, object], why: str
) -> None:
    record = Record(
        game="gomoku", history=[112, 113, 127], variations=[Variation(**variation)]
    )
    with pytest.raises(UserError) as caught:
        record.replay(gomoku)
    assert str(caught.value).startswith(why)


def test_a_file_of_piskvork_is_read(gomoku: Game) -> None:
    record = only(PISKVORK)
    state = record.replay(gomoku)
    assert [state.game.plain.action_name(state.raw, a) for a in state.history] == [
        *("h8", "i8", "h9")
    ]
    assert record.players == ["pbrain-ann.zip", "pbrain-bob.zip"]


def test_the_tournament_of_a_file_says_the_rule() -> None:
    text = "Piskvorky 20x20, 11:11, 0\n1,20,0\na\nb\n-1\n4,Renju_1\n"
    record = only(text)
    assert record.options == {"size": 20, "rule": "renju"}
    assert record.history == [380]


def test_what_a_file_leaves_open_is_as_asked() -> None:
    asked = Asked("gomoku", {"rule": "caro", "history": 2, "size": 9})
    assert only(PISKVORK, "", asked).options == {"rule": "caro", "history": 2}
    with pytest.raises(UserError, match="of gomoku:rule=caro,history=2, not of"):
        asked.check(only(PISKVORK, "", asked))


def test_a_chinese_file_that_says_it_is_go_is_read(gomoku: Game) -> None:
    record = only(decode(CHINESE.encode("gb2312")))
    assert record.players == ["王小明", "李雷"]
    assert record.options == {"rule": "renju"}
    assert record.history == [112, 98, 126]
    assert record.settled(gomoku).agreed is None


def test_a_set_up_of_sgf_becomes_edits(gomoku: Game) -> None:
    state = only("(;GM[4]SZ[15]AB[aa:ba][cc]AW[dd];W[ee])").replay(gomoku)
    assert state.history == [
        *("set a1 first", "set b1 first", "set c3 first", "set d4 second"),
        *("to_play second", 64),
    ]
    assert (int((state.raw.board == 1).sum()), state.to_play) == (3, 0)


def test_rows_are_counted_from_where_the_format_says() -> None:
    assert only("h8i9j10", "top").history == [112, 128, 144]
    assert only("H8 i9, j10", "bottom").history == [112, 98, 84]
    assert only("# gomoku; rows from the bottom\nh8i9j10").history == [112, 98, 84]
    assert "say from where its rows are counted" in complaint("h8i9j10")


def test_digits_are_columns_of_connect_four() -> None:
    games = list(read_text("4453\n\n# a set of games\n12 1\n"))
    assert [one.history for one in games] == [[3, 3, 4, 2], [0, 1, 0]]
    assert {one.game for one in games} == {"connect_four"}


@pytest.mark.parametrize(
    ("suffix", "text"),
    [
        (".xml", "<database><game><move>h8 --</move></game>{}</database>"),
        (".sgf", "(;GM[4];B[hh];W[])\n{}"),
        (".txt", "# gomoku; rows from the bottom\nh8--\n{}"),
    ],
)
def test_a_game_is_read_behind_one_that_is_wrong(
    suffix: str, text: str, tmp_path: Path
) -> None:
    good = {".xml": "<game><move>h8</move></game>", ".sgf": "(;GM[4];B[hh])"}
    path = tmp_path / f"games{suffix}"
    path.write_text(text.format(good.get(suffix, "h8")), encoding="utf-8")
    assert load_played(path, 2).history == [112]
    with pytest.raises(UserError, match=r"games\..*: line \d: "):
        load_played(path, 1)


def test_the_games_of_renjunet_are_read_from_the_bottom(tmp_path: Path) -> None:
    path = tmp_path / "games.xml"
    path.write_text(RENJUNET, encoding="utf-8")
    first, second = read_games(path)
    assert first.history == [112, 98, 84]
    assert first.players == ["Ando Meritee", "Wu Di"]
    assert (first.agreed, second.agreed) == (0, 1)
    assert first.options == {"rule": "renju"}
    assert load_played(path, 2) == second
    with pytest.raises(UserError, match="has several games; name one"):
        load_played(path)
    with pytest.raises(UserError, match="has no game 3"):
        load_played(path, 3)


def test_an_encoding_that_nobody_knows_is_one_line(tmp_path: Path) -> None:
    path = tmp_path / "games.xml"
    path.write_text("<?xml version='1.0' encoding='UT'?><game/>", encoding="utf-8")
    with pytest.raises(UserError, match="line 1: it is not XML: unknown encoding"):
        load_played(path)


def test_what_takes_the_parser_of_xml_long_is_refused_soon() -> None:
    long_tag = complaint('<game black="' + "a" * 2_000_000)
    assert long_tag == "line 1: a tag is too long"
    assert complaint("<game>" + "<a>" * 200) == "line 1: it is too deep"


def test_players_without_end_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(renjunet, "_MOST_PLAYERS", 3)
    why = complaint("<database>" + "".join(f"<player id='{n}'/>" for n in range(9)))
    assert why.startswith("line 1: it has more than")


@pytest.mark.parametrize(
    ("text", "name", "why"),
    [
        ("hello", "", "its format is not known; known: json, jsonl, psq, sgf"),
        ("h8i9", "pgn", "there is no format 'pgn'"),
        ("Piskvorky 15x15, 0:0, 0\n8,16,0", "", "line 2: '8,16,0' is not on a board"),
        (
            "Piskvorky 15x15, 0:0, 0\n8,8,0\n8,8,0",
            "",
            "line 3: step 2: h8 is not legal",
        ),
        ("Piskvorky 15x14, 0:0, 0", "", "line 1: a board of 15x14 is not a square"),
        ("Piskvorky 99x99, 0:0, 0", "", "line 1: boards have 5 to 20 points"),
        ("Piskvorky 15x15, 0:0, 0\n8,8,0\n8,x,0\na\nb\nc", "", "line 5: 'b' is not a"),
        ("(;GM[2]SZ[8])", "", "line 1: GM[2] is not gomoku"),
        ("(;GM[4]\n;B[hh]\n;W[hh])", "", "line 3: step 2: h8 is not legal"),
        ("(;GM[4]\n;B[hh];B[aa])", "", "line 2: B[aa]: it is not black's turn"),
        ("(;GM[4];B[tt])", "", "line 1: B[tt]: there is no pass in gomoku"),
        ("(;GM[4];B[zz])", "", "line 1: B[zz]: 'zz' is not on a board of 15x15"),
        ("(;GM[4];B[hh];AB[bb:aa])", "", "line 1: AB[bb:aa]: the first corner"),
        ("(;GM[4];B[hh];PL[x])", "", "line 1: PL[x]: a player is B or W"),
        ("(;GM[4];B[hh]", "", "line 1: the file ends within a game"),
        ("(;GM[4];B[hh", "", "line 1: a '[' is not closed"),
        ("h8i9x1", "top", "line 1: 'x1' is not a move such as h8"),
        ("h8i16", "top", "line 1: 'i16' is not on a board of 15x15"),
        ("# chess\ne4", "", "line 1: there are no files of moves of 'chess'"),
        ("44x", "top", "line 1: 'x' is not a column"),
        ("<game><move>h8 z9</move></game>", "", "line 1: 'z9' is not a move"),
        ("<game><move>h8</game>", "", "line 1: it is not XML: mismatched tag"),
        (
            "<?xml version='1.0'?><!DOCTYPE a [<!ENTITY b 'c'>]><a/>",
            "",
            "line 1: a file",
        ),
        ("<database></database>", "", "line 1: there is no <game> in it"),
    ],
)
def test_what_is_wrong_is_one_line_with_the_place(
    text: str, name: str, why: str
) -> None:
    assert complaint(text, name).startswith(why)


def test_a_result_that_the_rules_deny_is_refused(gomoku: Game) -> None:
    moves = "".join(
        f";{'BW'[i % 2]}[{chr(97 + move % 15)}{chr(97 + move // 15)}]"
        for i, move in enumerate(WON)
    )
    record = only(f"(;GM[4]SZ[15]RE[B+]{moves})").settled(gomoku)
    assert (record.result, record.agreed) == (1, None)
    with pytest.raises(UserError, match="says result -1, the rules say 1"):
        only(f"(;GM[4]SZ[15]RE[W+]{moves})").replay(gomoku)


BY_CHOICE = Record(game="gomoku", options={"opening": "swap2"}, history=[1, 2, 3, 226])


@pytest.mark.parametrize(
    ("name", "record", "why"),
    [
        ("psq", Record(game="pyrga", history=[]), "has games of gomoku, not of pyrga"),
        ("psq", Record(game="gomoku", history=["set a1 first"]), "edited by hand"),
        ("sgf", Record(game="connect_four", history=[]), "not of connect_four"),
        ("renjunet", Record(game="gomoku", history=[]), "gomoku:rule=renju on 15x15"),
        ("top", Record(game="pyrga", history=[]), "not of pyrga"),
        ("psq", BY_CHOICE, "PSQ has no words for the choices of swap2"),
        ("sgf", BY_CHOICE, "SGF has no words for the choices of swap2"),
        ("bottom", BY_CHOICE, "no words for the choices of swap2; use json"),
    ],
)
def test_what_a_format_has_no_words_for_is_refused(
    name: str, record: Record, why: str
) -> None:
    with pytest.raises(UserError, match=why):
        FORMATS[name].write(record)


def test_a_file_is_known_by_its_look_too(tmp_path: Path) -> None:
    path = tmp_path / "game.txt"
    path.write_text(PISKVORK, encoding="utf-8")
    assert load_played(path).history == [112, 113, 127]


@pytest.mark.parametrize(
    "text",
    [
        "(" * 30_000,
        "(;" * 30_000,
        "(;GM[4]" + "()" * 60_000,
        "(;GM[4]C[" + "\\]" * 30_000,
        "(;GM[4]" + ";B[hh]" * 30_000 + ")",
        "Piskvorky 15x15, 0:0, 0\n" + "8,8,0\n" * 30_000,
        "# gomoku; rows from the top\n" + "h8" * 30_000,
        "<game>" * 30_000,
        '<?xml version="1.0"?><game><move>' + "h8 " * 30_000 + "</move></game>",
    ],
    ids=lambda text: text[:12],
)
def test_a_file_that_goes_on_and_on_is_refused(text: str) -> None:
    with pytest.raises(UserError):
        replay_all(text)


@pytest.mark.parametrize("name", ["sgf", "psq"])
def test_names_of_nothing_visible_are_written_the_same_again(name: str) -> None:
    write = FORMATS[name].write
    text = write(Record(game="gomoku", players=["\x00", "\x1b"], history=[112]))
    assert write(only(text)) == text


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("sgf", "(;GM[4]SZ[15]PB[\x7f];B[hh])"),
        (
            "renjunet",
            '<?xml version="1.0"?><database><player id="7" name="&#x85;"/>'
            '<game black="7"><move>h8</move></game></database>',
        ),
    ],
)
def test_a_name_of_signs_that_nobody_sees_is_no_name(name, text):
    [record] = read_text(text, name=name)
    assert record.players == []
