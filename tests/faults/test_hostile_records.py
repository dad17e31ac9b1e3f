"""Made-up records are refused in a line, soon."""

import json
from pathlib import Path

import pytest

from faults import hostile_records
from ludens.errors import UserError
from ludens.formats.record import MAX_EDITS, load_record
from ludens.formats.words import turns
from ludens.loading.game import load_game


def test_made_up_records_are_refused_in_a_line(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(hostile_records, "MUCH", 20_001)
    assert hostile_records.run(101, seed=3).failures == []


def test_a_record_that_is_let_in_is_a_failure(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hostile_records, "read_record", load_record)
    assert hostile_records.run(30, seed=3).failures


def test_a_record_with_too_many_edits_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "game.json"
    facts = {"format": "ludens-record-1", "game": "tic_tac_toe"}
    for count in (MAX_EDITS, MAX_EDITS + 1):
        history = ["to_play second"] * count
        path.write_text(json.dumps(facts | {"history": history}))
        record = load_record(path)
        game = load_game("tic_tac_toe")
        if count == MAX_EDITS:
            assert record.replay(game).num_plies == 0
            continue
        with pytest.raises(UserError, match="too long; one has at most 20,000 steps"):
            record.replay(game)


def test_the_turns_of_a_long_game_do_not_hold_its_history_again_and_again() -> None:
    told = list(turns(load_game("tic_tac_toe"), [4, 0, 8, 1]))
    assert [turn.state.history for turn in told] == [[4], [0], [8], [1]]
    assert [turn.state.num_plies for turn in told] == [1, 2, 3, 4]
