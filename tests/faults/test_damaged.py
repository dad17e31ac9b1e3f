"""A damaged run says what is wrong, and goes on from what is whole."""

import shutil
import sqlite3
import zlib
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from faults.made_runs import CONFIG, FACTS, commit, make_older, make_run, make_state
from ludens.errors import UserError
from ludens.files import TensorFormat
from ludens.store.run import Run
from ludens.store.verifying import verify


def flip(path: Path) -> None:
    content = bytearray(path.read_bytes())
    content[-1] ^= 1
    path.write_bytes(content)


def cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-100])


def swap(path: Path) -> None:
    """Put the file of another iteration there, whole."""
    shutil.copy(path.with_name("000002.safetensors"), path)


DAMAGE = {
    "flip": (flip, "is not as it was written (SHA-256 differs)"),
    "cut": (cut, "is not as it was written (SHA-256 differs)"),
    "swap": (swap, "is not as it was written (SHA-256 differs)"),
    "remove": (Path.unlink, "is missing"),
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    make_run(tmp_path / "run", 3).close()
    return tmp_path / "run"


@pytest.mark.parametrize("part", ["nets", "state"])
@pytest.mark.parametrize("name", DAMAGE)
def test_the_checkpoint_before_a_damaged_one_is_used(
    folder: Path, part: str, name: str
) -> None:
    damage, complaint = DAMAGE[name]
    damage(folder / part / "000003.safetensors")
    with Run.open(folder, write=True) as run:
        found = run.last()
        assert found is not None
        assert found.notes == (
            f"checkpoint 3 is not used: {part}/000003.safetensors {complaint}",
        )
        assert found.iteration == 2
        assert found.net is not None
        assert found.net.card.iteration == 2
        assert found.tensors is not None
        assert found.tensors["num_steps"] == make_state(2)["num_steps"]
        assert len(list(run.games())) == 30
        commit(run, 4)
        last = run.last()
        assert last is not None
        assert (last.iteration, last.notes) == (4, ())
        assert len(list(run.games())) == 40


def test_without_a_state_the_newest_net_is_used(folder: Path) -> None:
    shutil.rmtree(folder / "state")
    with Run.open(folder, write=True) as run:
        found = run.last()
        assert found is not None
        assert (found.iteration, found.tensors, len(found.notes)) == (3, None, 2)
        assert found.net is not None
        commit(run, 4)
        assert run.last().notes == ()


def test_without_any_checkpoint_that_is_said(folder: Path) -> None:
    shutil.rmtree(folder / "state")
    for path in (folder / "nets").iterdir():
        flip(path)
    with Run.open(folder, write=True) as run:
        found = run.last()
        assert found is not None
        assert (found.net, found.tensors) == (None, None)
        assert found.notes[-1] == "no checkpoint is left whole"
        assert run.newest_iteration == 3


def test_files_of_the_user_are_left_alone(folder: Path) -> None:
    theirs = [folder / "nets" / "best.safetensors", folder / "000003.safetensors"]
    strays = [
        folder / "nets" / "000009.safetensors",
        folder / "state/.000009.safetensors.1",
    ]
    for path in (*theirs, *strays):
        path.write_text("")
    Run.open(folder).close()
    assert all(path.exists() for path in strays)
    Run.open(folder, write=True).close()
    assert all(path.exists() for path in theirs)
    assert not any(path.exists() for path in strays)


def damage_base(folder: Path, sql: str, *values: object) -> None:
    base = sqlite3.connect(folder / "games.sqlite")
    with base:
        base.execute(sql, values)
    base.close()


def floats(count: int, value: float) -> bytes:
    return np.full(count, value, "<f4").tobytes()


DAMAGED_GAMES = {
    "no zlib": ("policies", b"\0"),
    "a bomb": ("policies", zlib.compress(bytes(10**7))),
    "too short": ("policies", zlib.compress(b"12")),
    "policies that are no numbers": ("policies", zlib.compress(b"\0\x7e" * 6000)),
    "values cut": ("vals", floats(1, 0)),
    "values not finite": ("vals", "nan"),
    "moves missing": ("history", b""),
    "an unknown kind": ("kinds", "kinds"),
    "an unknown ending": ("ending", "so what"),
    "a result in words": ("result", "won"),
    "no such number of actions": ("num_actions", -3),
}


@pytest.mark.parametrize("what", DAMAGED_GAMES)
def test_a_damaged_game_is_named(folder: Path, what: str) -> None:
    column, value = DAMAGED_GAMES[what]
    with Run.open(folder) as run:
        [plies] = [len(game.kinds) for game in run.games() if game.number == 15]
    made = {"nan": floats(plies, np.nan), "kinds": bytes([3] * plies)}
    value = made.get(str(value), value)
    make_older(folder, 2)  # which has no checksums
    damage_base(folder, f"UPDATE games SET {column} = ? WHERE number = 15", value)
    for write in (False, True):
        with Run.open(folder, write=write) as run:
            numbers = [game.number for game in run.games()]
            assert numbers == [n for n in range(10, 40) if n != 15]
            [sentence] = run.damage
            assert sentence.startswith("game 15 is damaged and left out: ")


@pytest.mark.parametrize("file", ["../nets/000003.safetensors", "/dev/zero"])
def test_a_database_names_no_file_of_others(folder: Path, file: str) -> None:
    make_older(folder, 2)
    sql = "UPDATE iterations SET state_file = ?, net_file = ? WHERE number = 3"
    damage_base(folder, sql, file, file)
    with Run.open(folder) as run:
        found = run.last()
        assert found is not None
        assert found.iteration == 2
        assert found.notes == (
            f"checkpoint 3 is not used: {file!r} is not the name of a checkpoint",
        )
        assert 3 not in run.nets()


@pytest.mark.parametrize("damage", [Path.unlink, lambda path: path.write_bytes(b"")])
def test_no_run_is_made_over_the_nets_of_one(
    folder: Path, damage: Callable[[Path], object]
) -> None:
    damage(folder / "games.sqlite")
    with pytest.raises(UserError, match="has checkpoints but no games"):
        Run.start(folder, CONFIG, FACTS)
    assert len(list((folder / "nets").iterdir())) == 3


@pytest.mark.parametrize(
    "damage",
    [
        lambda content: b"",
        lambda content: content[:5000],
        lambda content: b"no database at all" * 1000,
        lambda content: content[:4096] + b"\xa5" * (len(content) - 4096),
    ],
)
def test_a_damaged_database_is_one_line(
    folder: Path, damage: Callable[[bytes], bytes]
) -> None:
    path = folder / "games.sqlite"
    content = damage(path.read_bytes())
    path.write_bytes(content)
    for write in (False, True):
        with pytest.raises(UserError, match=str(folder)) as caught:
            Run.open(folder, write=write, facts=FACTS)
        assert len(str(caught.value).splitlines()) == 1
    assert path.read_bytes() == content


CHANGED = {
    "games": ("result = 0.5 WHERE number = 15", "game 15 is damaged and left out"),
    "unfinished": ("vals = zeroblob(20)", "game 40 is damaged and left out"),
    "iterations": ("seconds = 1 WHERE number = 2", "iteration 2 is damaged"),
    "tallies": ("wins = 9 WHERE iteration = 2", "the sums of iteration 2 are damaged"),
}


@pytest.mark.parametrize("table", CHANGED)
def test_a_changed_row_is_left_out_and_named(folder: Path, table: str) -> None:
    change, complaint = CHANGED[table]
    with Run.open(folder) as run:
        totals, results = run.totals(), run.results()
    damage_base(folder, f"UPDATE {table} SET {change}")
    with Run.open(folder, write=True) as run:
        assert len(list(run.games())) == 30 - (table == "games")
        assert len(run.unfinished()) == 1 - (table == "unfinished")
        assert len(run.metrics()) == 3 - (table == "iterations")
        assert replace(run.totals(), seconds=0) == replace(totals, seconds=0)
        assert run.results() == results
        assert [line.startswith(complaint) for line in run.damage] == [True]
        commit(run, 4)


@pytest.mark.parametrize("table", ["games", "iterations", "unfinished"])
def test_lost_rows_are_noticed(folder: Path, table: str) -> None:
    keys = {"games": "number = 15", "iterations": "number = 3", "unfinished": "1"}
    damage_base(folder, f"DELETE FROM {table} WHERE {keys[table]}")
    if table == "iterations":
        with pytest.raises(UserError, match=r"is damaged: iterations are missing$"):
            Run.open(folder)
        return
    with Run.open(folder) as run:
        list(run.games()), run.unfinished()
        assert len(run.damage) == 1


def test_changed_facts_stop_with_one_line(folder: Path) -> None:
    damage_base(folder, "UPDATE facts SET value = 'seed = 8' WHERE key = 'config'")
    for write in (False, True):
        with pytest.raises(UserError, match=r"is damaged: its facts have changed$"):
            Run.open(folder, write=write)


def test_a_database_without_its_last_byte_is_refused(folder: Path) -> None:
    path = folder / "games.sqlite"
    path.write_bytes(path.read_bytes()[:-1])
    with pytest.raises(UserError, match=r"is damaged: games.sqlite is cut$"):
        Run.open(folder)


def test_a_number_is_not_given_to_two_games_though_metrics_are_lost(
    folder: Path,
) -> None:
    with Run.open(folder) as run:
        assert run.next_number == 41


def test_verify_reads_everything_and_names_what_is_damaged(folder: Path) -> None:
    formats = {"truth.safetensors": TensorFormat("truth 1", "truth")}
    with Run.open(folder) as run:
        assert verify(run, formats) == []
    damage_base(folder, "UPDATE games SET result = 0.5 WHERE number = 15")
    flip(folder / "nets" / "000002.safetensors")
    flip(folder / "config.toml")
    content = formats["truth.safetensors"].pack({"a": np.zeros(9)}, {})
    (folder / "truth.safetensors").write_bytes(content)
    flip(folder / "truth.safetensors")
    with Run.open(folder) as run:
        found = "\n".join(verify(run, formats))
    for name in ("game 15", "nets/000002", "config.toml", "truth.safetensors"):
        assert name in found
    assert len(found.splitlines()) == 4
