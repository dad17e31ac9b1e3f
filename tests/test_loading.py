"""Finding games: by name with options, in files, in other people's packages."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from ludens import Record, UserError, load_game
from ludens.loading.game import game_files, parse_spec

TIC_TAC_TOE = game_files()["tic_tac_toe"].read_text(encoding="utf-8")


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Install a package that offers two games, one of them without its file."""
    (tmp_path / "boxes").mkdir()
    (tmp_path / "boxes" / "__init__.py").write_text("")
    (tmp_path / "boxes" / "noughts.py").write_text(TIC_TAC_TOE, encoding="utf-8")
    facts = tmp_path / "boxes-1.0.dist-info"
    facts.mkdir()
    (facts / "METADATA").write_text(
        "Metadata-Version: 2.1\nName: boxes\nVersion: 1.0\n"
    )
    (facts / "entry_points.txt").write_text(
        "[ludens.games]\n"
        "noughts_1 = boxes.noughts\n"
        "lost = no_such_package.lost\n"
        "tic_tac_toe = boxes.noughts\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    return tmp_path


def test_a_package_offers_games_by_entry_point(package: Path) -> None:
    game = load_game("noughts_1", compiled=False)
    assert game.path == package / "boxes" / "noughts.py"
    state = game.new()
    state.apply_moves("a1 b2 b1 c3 c1")
    assert state.result == 1
    assert repr(game) == "<Game noughts_1>"
    assert Record.of(state).load_game().path == game.path


def test_a_package_cannot_take_the_name_of_our_games(package: Path) -> None:
    assert "boxes" not in str(game_files()["tic_tac_toe"])


def test_a_package_that_is_broken_is_named_and_hides_no_other(package: Path) -> None:
    assert {"noughts_1", "gomoku"} <= set(game_files())
    with pytest.raises(
        UserError, match=r"cannot read no_such_package/lost\.py: No such"
    ):
        load_game("lost")


def test_the_command_knows_the_games_of_a_package(package: Path) -> None:
    def ludens(*arguments: str) -> subprocess.CompletedProcess[str]:
        command = [str(Path(sys.executable).with_name("ludens")), *arguments]
        path = f"{package}{os.pathsep}{os.environ.get('PYTHONPATH', '')}"
        paths = {"PYTHONPATH": path, "LUDENS_COMPILE": "0"}
        return subprocess.run(
            command, capture_output=True, text=True, env=os.environ | paths
        )

    listed = ludens("games")
    assert "\nnoughts_1     Tic-tac-toe: three in a row" in listed.stdout
    assert listed.stderr.startswith("ludens: cannot read no_such_package/lost.py")
    checked = ludens("check", "noughts_1", "--games", "5")
    assert checked.returncode == 0, checked.stdout + checked.stderr


@pytest.mark.parametrize(
    ("spec", "name", "chosen"),
    [
        ("gomoku", "gomoku", {}),
        (" gomoku ", "gomoku", {}),
        ("gomoku:size=9, rule=renju", "gomoku", {"size": "9", "rule": "renju"}),
        ("a:b/my.py:size=9", "a:b/my.py", {"size": "9"}),
        ("triangle:playable=0-6/0-6", "triangle", {"playable": "0-6/0-6"}),
    ],
)
def test_a_spec_is_a_name_and_options(spec: str, name: str, chosen: object) -> None:
    assert parse_spec(spec) == (name, chosen)


def test_a_game_is_named_with_the_options_that_differ() -> None:
    options = {"size": 9, "rule": "freestyle"}
    assert load_game("gomoku:row=4", options=options).spec == "gomoku:size=9,row=4"
    assert load_game("triple_triad:same=on").spec == "triple_triad:same=true"


@pytest.mark.parametrize(
    ("spec", "complaint"),
    [
        ("gomoku:size=4", "size cannot be '4'; allowed: 5 to 20"),
        ("gomoku:size=nine", "size cannot be 'nine'; allowed: a whole number, 5 to 20"),
        ("gomoku:size=9.5", "size cannot be '9.5'; allowed: a whole number, 5 to 20"),
        ("gomoku:rule=renjus", "rule cannot be 'renjus'; did you mean 'renju'"),
        (
            "triple_triad:same=yep",
            "same cannot be 'yep'; allowed: true or false",
        ),
        (
            "triangle:place_reward=nan",
            "place_reward cannot be 'nan'; allowed: a",
        ),
        ("tic_tac_toe:size=4", "tic_tac_toe has no option 'size'; it has none"),
        ("gomoku:sise=9", "gomoku has no option 'sise'; did you mean 'size'"),
    ],
)
def test_a_wrong_option_is_named_with_what_is_right(spec: str, complaint: str) -> None:
    with pytest.raises(UserError) as error:
        load_game(spec)
    assert str(error.value).startswith(complaint)
    assert "\n" not in str(error.value)


def test_options_are_constants_of_their_own_type() -> None:
    game = load_game("triangle:columns=6,playable=0-6/0-6,over_reward=-1")
    assert game.options["columns"] == 6
    assert game.options["over_reward"] == -1.0
    assert isinstance(game.options["over_reward"], float)
