"""The rules of every game in words: complete, drawn, and as the options have it."""

import pytest

from ludens.errors import UserError
from ludens.formats.rulebook import (
    MOST_ROWS,
    find_in_tables,
    read_rules,
    rules_as_text,
)
from ludens.game import Shape
from ludens.loading.game import Game, game_files, load_game

SECTIONS = ["Aim", "Board", "Moves", "End", "Notation", "Numbers of actions"]
ONLY_OBSERVED = {"history", "line_features", "threats"}
OTHER_VALUES = {
    "playable": "0-15/0-15",
    "rule": "renju",
    "opening": "swap2",
    "tiebreak": "stacks",
    "hands": "random",
}
NEEDED = {"same_wall": {"same": True}, "combo": {"plus": True}}
"""Options that others give a meaning."""


def plain(spec: str, **options: bool | int | float | str) -> Game:
    return load_game(spec, options=options, compiled=False)


def shown(spec: str) -> str:
    return rules_as_text(read_rules(plain(spec)), colourful=False)


@pytest.mark.parametrize("name", game_files())
def test_every_game_tells_all_that_a_player_needs(name: str) -> None:
    blocks = read_rules(plain(name))
    headings = [block.text for block in blocks if block.kind == "heading"]
    assert [title for title in headings if title in SECTIONS] == SECTIONS
    boards = [block for block in blocks if block.kind == "board"]
    assert boards
    assert all(isinstance(s, Shape) for board in boards for s in board.scene)
    assert "\x1b" not in shown(name)


@pytest.mark.parametrize("name", game_files())
def test_every_option_that_changes_the_rules_changes_the_text(name: str) -> None:
    for option in plain(name).declared.values():
        given = NEEDED.get(option.name, {})
        default = option.default
        other = OTHER_VALUES.get(option.name)
        if isinstance(default, bool):
            other = not default
        elif other is None:
            other = default + 1  # type: ignore[operator]
        game = plain(name, **given, **{option.name: other})
        told = game.rules_text != plain(name, **given).rules_text
        assert told == (option.name not in ONLY_OBSERVED), option.name
        assert read_rules(game)


@pytest.mark.parametrize(
    "spec",
    [
        "connect_four:rows=2,columns=9,connect=8",
        "connect_four:rows=4,columns=2,connect=2",
        "gomoku:size=5,rule=caro",
        "gomoku:size=5,rule=renju,opening=centre",
        "pyrga:towers_to_win=1,arrow_must_point_inside=true,no_second_square=true",
        "triple_triad:elemental=true,plus=true,hands=random",
        "triangle:columns=6,playable=0-6/0-6,slots=1,min_line=20",
    ],
)
def test_rules_of_unusual_options_can_be_shown(spec: str) -> None:
    assert "Aim" in shown(spec)


def test_points_that_renju_calls_fouls_are_fouls() -> None:
    """Each board of the fouls marks a point with *, and the rules refuse it."""
    game = plain("gomoku:size=9,rule=renju")
    _, *boards = [b for b in read_rules(game) if b.kind == "board"]
    whys = ["a row of six or more", "a double four", "a double four", "a double three"]
    for board, why in zip(boards, whys, strict=True):
        state = game.new()
        names = [s.choice for s in board.scene if s.role == "point"]
        at = {s.points[0]: s for s in board.scene if s.kind == "disc"}
        middle = {
            (c + 0.5, r + 0.5): names[9 * r + c] for r in range(9) for c in range(9)
        }
        marked = [middle[p] for p, s in at.items() if s.role == "won"]
        for point, stone in at.items():
            if stone.role == "stone":
                state.edit(f"set {middle[point]} first")
        state.edit("to_play first")
        assert state.why_illegal(state.read_action(marked[0])) == f"forbidden: {why}"


def test_rules_name_actions_as_they_are() -> None:
    pyrga, cards = plain("pyrga").new(), plain("triple_triad").new(0)
    assert [pyrga.action_name(k) for k in (0, 16, 33)] == ["Sa1", "Ca1", "Aa1r"]
    assert cards.action_name(9 * 2 + 4) == "3b2"
    triangle = plain("triangle:slots=2").new(0)
    assert triangle.action_name(1 * 120 + 2 * 15 + 4) == "2e3"


def test_a_long_table_is_searched_by_words_and_columns() -> None:
    game = plain("triple_triad")
    (everything,) = find_in_tables(game, "")
    assert len(everything) == 111 > MOST_ROWS
    (fire,) = find_in_tables(game, "level=8 FIRE")
    assert [row[1] for row in fire[1:]] == ["Ifrit"]
    assert find_in_tables(game, "nobody") == []
    assert "Ifrit" not in shown("triple_triad")
    assert "110 rows" in shown("triple_triad")


def test_shapes_of_triangle_have_their_weights() -> None:
    text = shown("triangle")
    assert text.count(": 2 x") * 2 + text.count(": 1 x") == 31
    scene = next(b for b in read_rules(plain("triangle")) if b.kind == "board").scene
    assert len({shape.tone for shape in scene if shape.role == "anchor"}) == 23


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("[board: b2 b2]", "b2 is not legal here"),
        ("[board: size=9]", "has no option 'size'"),
        ("[board: set z9 first]", "'z9' is not a cell"),
        ("[picture: forks]", "PICTURES has no 'forks'"),
    ],
)
def test_a_drawing_that_cannot_be_made_is_named(tmp_path, line: str, why: str) -> None:
    file = tmp_path / "mine.py"
    code = game_files()["tic_tac_toe"].read_text(encoding="utf-8")
    file.write_text(f"{code}\nRULES = '{line}'\n", encoding="utf-8")
    with pytest.raises(UserError, match="|".join([why])):
        read_rules(plain(str(file)))
