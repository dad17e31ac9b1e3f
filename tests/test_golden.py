"""Every game owns a playthrough that people have read, and still plays like that."""

import pytest

from ludens.loading.game import game_files, load_game, parse_spec
from playthrough import FOLDER, PLAYTHROUGHS, Playthrough

MAX_BYTES = 45_000
VARIANTS = (
    ("gomoku", {"rule": "standard"}),
    ("gomoku", {"rule": "renju"}),
    ("gomoku", {"rule": "caro"}),
    ("gomoku", {"opening": "swap2"}),
    ("gomoku", {"opening": "rif"}),
    (
        "pyrga",
        {
            "towers_to_win": 3,
            "arrow_must_point_inside": True,
            "no_second_square": True,
            "tiebreak": "stacks",
        },
    ),
    ("triple_triad", {"same": True, "plus": True}),
    ("triple_triad", {"same": True, "same_wall": True}),
    ("triple_triad", {"elemental": True}),
)


@pytest.mark.parametrize("play", PLAYTHROUGHS, ids=lambda play: play.name)
def test_a_game_still_plays_as_written_down(play: Playthrough) -> None:
    assert play.text() == play.path.read_text(encoding="utf-8")


def test_every_game_has_a_playthrough() -> None:
    games = {parse_spec(play.spec)[0] for play in PLAYTHROUGHS}
    assert set(game_files()) - games == set()


@pytest.mark.parametrize(("name", "options"), VARIANTS, ids=str)
def test_an_important_variant_has_a_playthrough(
    name: str, options: dict[str, object]
) -> None:
    played = [load_game(play.spec, compiled=False) for play in PLAYTHROUGHS]
    assert any(
        game.name == name and options.items() <= game.options.items() for game in played
    )


def test_every_file_belongs_to_a_playthrough_and_stays_readable() -> None:
    files = sorted(FOLDER.glob("*.txt"))
    assert files == sorted(play.path for play in PLAYTHROUGHS)
    assert [file.name for file in files if file.stat().st_size > MAX_BYTES] == []
