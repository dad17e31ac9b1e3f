"""`ludens export RUN` writes what a run has played for other programs."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from faults.made_runs import commit_iteration
from ludens.formats.record import Record
from ludens.loading.game import load_game
from ludens.selfplay.share import FULL, NOT_SEARCHED, GameRecord
from ludens.state import State
from ludens.store.exporting import arrays_of
from ludens.store.run import Run

WON = (0, 3, 1, 4, 2)
FACTS = {"game": "tic_tac_toe", "seed": "0"}


def played(number: int, result: float = 1.0, ending: str = "played") -> GameRecord:
    """Return a game whose second move was not searched."""
    policies = np.zeros((len(WON), 9), np.float16)
    policies[range(len(WON)), WON] = 1
    kinds = np.full(len(WON), FULL, np.uint8)
    kinds[1], policies[1] = NOT_SEARCHED, 0
    values = np.linspace(0.1, 0.5, len(WON)).astype(np.float32)
    parts = (np.array(WON, np.int32), kinds, policies, values)
    return GameRecord(number, 7, 1, *parts, result, ending == "played", ending)


@pytest.fixture
def run(tmp_path: Path) -> Path:
    with Run.create(tmp_path / "run", "", FACTS) as run:
        commit_iteration(run, 1, [played(0), played(1)], [], None, None, {})
    return tmp_path / "run"


def test_positions_are_written_for_numpy(ludens, run, tmp_path):
    file = tmp_path / "positions.npz"
    ran = ludens("export", run, "--npz", file)
    assert ran.out == f"Wrote {file}: 8 positions of tic_tac_toe.\n"
    with np.load(file) as found:
        assert found["planes"].shape == (8, 2, 3, 3)
        assert found["plies"].tolist() == [0, 2, 3, 4] * 2
        assert found["players"].tolist() == [0, 0, 1, 0] * 2
        assert found["results"].tolist() == [1, 1, -1, 1] * 2
        assert found["actions"].tolist() == [0, 1, 4, 2] * 2
        assert found["values"].tolist() == pytest.approx([0.1, 0.3, 0.4, 0.5] * 2)
        assert (found["policies"].argmax(1) == found["actions"]).all()
        state = State.replay(load_game("tic_tac_toe", compiled=False), WON[:3])
        assert (found["planes"][2] == state.observe()).all()
        assert (found["legal"][2] == state.legal_mask()).all()


def test_positions_are_written_for_parquet(ludens, run, tmp_path):
    parquet = pytest.importorskip("pyarrow.parquet")
    file = tmp_path / "positions.parquet"
    assert ludens("export", run, "--parquet", file, "--games", 1).code == 0
    table = parquet.read_table(file)
    assert table["games"].to_pylist() == [1] * 4
    planes = np.array(table["planes"].to_pylist()).reshape(-1, 2, 3, 3)
    assert planes[1].sum() == 2
    assert table.schema.metadata[b"planes_shape"] == b"(2, 3, 3)"


def test_without_pyarrow_it_is_said_how_to_get_it(ludens, run, monkeypatch):
    monkeypatch.setattr("ludens.cli.export.find_spec", lambda name: None)
    ran = ludens("export", run, "--parquet", "x.parquet")
    assert (ran.code, ran.err.count("\n")) == (2, 1)
    assert "--parquet needs PyArrow; install it:" in ran.err


def test_games_are_written_with_what_was_thought(ludens, run, tmp_path):
    file = tmp_path / "games.jsonl"
    assert ludens("export", run, "--jsonl", file).out.endswith(
        "2 games of tic_tac_toe.\n"
    )
    first, _ = map(json.loads, file.read_text().splitlines())
    record = Record.model_validate(first["record"])
    assert (record.history, first["result"], first["ending"]) == ([*WON], 1, "played")
    assert [search["move"] for search in first["search"]] == ["a1", "b1", "b2", "c1"]
    assert first["search"][0]["policy"] == {"a1": 1.0}


def test_the_newest_games_are_counted_and_not_their_numbers(ludens, tmp_path):
    with Run.create(tmp_path / "run", "", FACTS) as run:
        commit_iteration(run, 1, [played(n) for n in (0, 5, 9)], [], None, None, {})
    file = tmp_path / "games.jsonl"
    ran = ludens("export", tmp_path / "run", "--jsonl", file, "--games", 2)
    assert ran.out.endswith("2 games of tic_tac_toe.\n")
    numbers = [json.loads(line)["number"] for line in file.read_text().splitlines()]
    assert numbers == [5, 9]
    missing = ludens("show", tmp_path / "run", "--game", 7)
    assert "has no finished game 7; the last is 9" in missing.err


def test_a_resigned_game_keeps_its_result(ludens, tmp_path):
    resigned = replace(played(0, -1.0, "resigned"), is_over=False)
    with Run.create(tmp_path / "run", "", FACTS) as run:
        commit_iteration(run, 1, [resigned], [], None, None, {})
    file = tmp_path / "games.jsonl"
    assert ludens("export", tmp_path / "run", "--jsonl", file).code == 0
    assert json.loads(file.read_text())["record"]["agreed"] == -1


def test_what_chance_did_is_replayed():
    game = load_game("triangle:line_features=false", compiled=False)
    state, boards = game.new(seed=2), []
    for _ in range(3):
        boards.append(state.observe())
        state.apply(state.legal_actions()[0])
    policies = np.zeros((3, game.num_actions), np.float16)
    history = np.array(state.history, np.int32)
    parts = (np.full(3, FULL, np.uint8), policies, np.zeros(3, np.float32))
    one = GameRecord(0, 2, 1, history, *parts, state.score, False, "cut")
    found = arrays_of(game, [one])
    assert (found["planes"] == np.array(boards)).all()
    assert found["results"] == pytest.approx([state.score] * 3)


def test_a_run_without_games_is_said_to_have_none(ludens, tmp_path):
    Run.create(tmp_path / "run", "", FACTS).close()
    ran = ludens("export", tmp_path / "run", "--npz", tmp_path / "x.npz")
    assert (ran.code, ran.err) == (2, "ludens: there are no games yet\n")
    assert not (tmp_path / "x.npz").exists()
